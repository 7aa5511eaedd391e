"""Reading apart: what a room finds comes back as it was, and a room that hangs, dies or swells costs one file only."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import psutil
import pytest
from hypothesis import given
from hypothesis import strategies as st

from readagent.core.document import Document, Paragraph
from readagent.errors import LoadError
from readagent.loaders.apart.cell import Cell, Limits
from readagent.loaders.apart.frames import Message, packed, receive, send, unpacked
from readagent.loaders.blocks import Block, compose
from readagent.loaders.formats import Options

HOUSE = """
import os, sys
from readagent.core.document import Document
from readagent.errors import LoadError
from readagent.loaders.blocks import Block, compose
from readagent.loaders.apart.cell_child import serve


class Room:
    def parse(self, data, name, options):
        match data:
            case b"hang":
                os.read(os.pipe()[0], 1)
            case b"orphan":
                os.kill(os.getppid(), 9)
                os.read(os.pipe()[0], 1)
            case b"die":
                os.abort()
            case b"leave":
                os._exit(0)
            case b"swell":
                bytearray(8 << 30)
            case b"refuse":
                raise LoadError(f"{name} is\\udc80 locked", hint="unlock it")
            case b"slip":
                return {}["missing"]
            case b"sink":
                return (lambda f: f(f))(lambda f: f(f))
            case b"chatter":
                print("noise on standard output", flush=True)
                os.write(1, b"more noise")
            case b"who":
                return compose([Block(str(os.getpid()))])
        title = repr((options.whole, options.format))
        blocks = [Block("Head", heading=1), Block(data.decode(), place="page 2"), Block("a\\n b", lines=True)]
        return compose(blocks, title=title, metadata={"author": "A \\udc80"})


serve(lambda format: Room())
"""
OPTIONS = Options(whole=True, format="pdf")
Ask = Callable[..., Document]


def started() -> set[psutil.Process]:
    """The processes of ours that were not there before this test: others may be kept by what ran before."""
    return set(psutil.Process().children()) - _before


_before: set[psutil.Process] = set()


@pytest.fixture(autouse=True)
def _note_processes() -> None:
    _before.clear()
    _before.update(psutil.Process().children())


@pytest.fixture
def house(tmp_path: Path) -> list[str]:
    path = tmp_path / "house.py"
    path.write_text(HOUSE)
    return [sys.executable, "-P", str(path)]


@pytest.fixture
def cell(house: list[str]) -> Iterator[Cell]:
    cell = Cell(house)
    yield cell
    cell.end()


def ask(cell: Cell, data: bytes) -> Document:
    return cell.parse("pdf", data, "book.pdf", OPTIONS)


def refused(cell: Cell, data: bytes) -> LoadError:
    with pytest.raises(LoadError) as caught:
        ask(cell, data)
    assert str(caught.value).startswith("book.pdf ")
    assert caught.value.hint
    return caught.value


def expected(text: str) -> Document:
    blocks = [Block("Head", heading=1), Block(text, place="page 2"), Block("a\n b", lines=True)]
    return compose(blocks, title="(True, 'pdf')", metadata={"author": "A \udc80"})


def test_a_document_comes_back_as_the_room_made_it(cell: Cell) -> None:
    assert ask(cell, "Anna — ан 川.".encode()) == expected("Anna — ан 川.")
    assert len(ask(cell, b"word " * 1_000_000).text) > 4_900_000


def test_what_a_room_prints_is_not_taken_for_its_answer(cell: Cell) -> None:
    assert ask(cell, b"chatter") == expected("chatter")


def test_one_process_reads_many_files(cell: Cell) -> None:
    first = ask(cell, b"who").text
    refused(cell, b"refuse")
    refused(cell, b"slip")
    assert ask(cell, b"who").text == first


def test_a_refusal_comes_back_in_the_rooms_own_words(cell: Cell) -> None:
    error = refused(cell, b"refuse")
    assert (str(error), error.hint) == ("book.pdf is\udc80 locked", "unlock it")


@pytest.mark.parametrize("data", [b"die", b"leave", b"slip", b"sink"])
def test_a_room_that_breaks_down_costs_one_file(cell: Cell, data: bytes) -> None:
    ask(cell, b"before")
    assert str(refused(cell, data)) == "book.pdf cannot be read: the PDF reader broke down on it"
    assert ask(cell, b"after") == expected("after")


def test_the_reason_of_a_breakdown_is_kept_for_those_who_look(cell: Cell) -> None:
    assert "KeyError: 'missing'" in str(refused(cell, b"slip").__cause__)


def test_a_room_that_hangs_is_stopped(house: list[str]) -> None:
    cell = Cell(house, Limits(seconds=0.3))
    assert str(refused(cell, b"hang")) == "book.pdf took longer than 0.3 seconds to read"
    assert not started()


def test_time_grows_with_the_file_up_to_a_limit() -> None:
    limits = Limits(seconds=10, seconds_per_megabyte=2, most_seconds=40)
    assert [limits.seconds_for(size) for size in (0, 1_000_000, 90_000_000)] == [10, 12, 40]


@pytest.mark.skipif(sys.platform != "linux", reason="the limit on memory is not kept everywhere")
def test_a_room_that_wants_too_much_memory_is_stopped(cell: Cell) -> None:
    before = ask(cell, b"who").text
    assert "memory" in str(refused(cell, b"swell"))
    assert ask(cell, b"who").text != before


def test_a_process_that_was_killed_while_it_waited_is_replaced(cell: Cell) -> None:
    process = psutil.Process(int(ask(cell, b"who").text))
    process.kill()
    process.wait()
    assert ask(cell, b"after") == expected("after")


def test_threads_do_not_mix_up_their_documents(cell: Cell) -> None:
    texts = [f"text {number} " * 2000 for number in range(24)]
    with ThreadPoolExecutor(4) as threads:
        documents = list(threads.map(lambda text: ask(cell, text.encode()), texts))
    assert documents == [expected(text) for text in texts]
    assert len(started()) <= 4


def test_a_process_outlives_the_thread_that_began_it(cell: Cell) -> None:
    found: list[str] = []
    for _ in range(2):
        thread = threading.Thread(target=lambda: found.append(ask(cell, b"who").text))
        thread.start()
        thread.join()
    assert found[0] == found[1]


def test_no_process_is_left_behind(cell: Cell) -> None:
    ask(cell, b"one")
    refused(cell, b"die")
    ask(cell, b"two")
    cell.end()
    assert not started()
    cell.end()


def test_what_cannot_be_started_says_so() -> None:
    assert "process" in str(refused(Cell(["/nowhere/python"]), b"any"))


def test_what_speaks_another_language_has_broken_down() -> None:
    for program in ("print('x' * 100)", "import sys; sys.stdin.buffer.read(10); print(chr(0) * 99)"):
        assert "broke down" in str(refused(Cell([sys.executable, "-c", program]), b"any"))


SCRIPT = """
import os, psutil, sys
{before}
from readagent.loaders.apart.cell import parse_apart
from readagent.loaders.formats import Options
def say(number):
    data = rb"{{\\rtf1 Anna crossed the river.}}"
    text = parse_apart("rtf", data, "a.rtf", Options()).text.strip()
    [worker] = psutil.Process().children()
    os.write(2, f"{{number}} {{text}} {{worker.pid}}\\n".encode())
say(1)
{after}
"""


def said(before: str = "", after: str = "") -> list[list[str]]:
    """Number, text and process of each reading of a script."""
    code = SCRIPT.format(before=before, after=after)
    done = subprocess.run([sys.executable, "-c", code], input=b"", capture_output=True, timeout=60)
    return [line.replace("Anna crossed the river.", "read").split() for line in done.stderr.decode().splitlines()]


def gone(process: str) -> bool:
    """Whether this process ends, which may take it a moment; it may then still wait for someone to take note."""
    for _ in range(600):
        try:
            if psutil.Process(int(process)).status() == psutil.STATUS_ZOMBIE:
                return True
            psutil.Process(int(process)).wait(timeout=0.05)
        except psutil.NoSuchProcess:
            return True
        except psutil.TimeoutExpired:
            continue
    return False


@pytest.mark.parametrize(
    "before", ["", "os.close(0); os.close(1)", "sys.stdin.close(); sys.stdout = sys.stderr = None"]
)
def test_it_works_without_standard_input(before: str) -> None:
    [[_, read, worker]] = said(before=before)
    assert read == "read"
    assert gone(worker)


@pytest.mark.parametrize("after", ["os._exit(0)", "os.abort()", "1 / 0", "os.kill(os.getpid(), 9)"])
def test_it_ends_with_our_process_however_that_ends(after: str) -> None:
    assert gone(said(after=after)[0][2])


ORPHAN = """
import sys
from readagent.loaders.apart.cell import Cell, Limits
from readagent.loaders.formats import Options
cell = Cell(sys.argv[1:], Limits(seconds=1))
print(cell.parse("pdf", b"who", "a.pdf", Options()).text, flush=True)
cell.parse("pdf", b"orphan", "a.pdf", Options())
"""


@pytest.mark.skipif(not hasattr(os, "getppid"), reason="no parents here")
def test_a_process_that_hangs_ends_even_if_ours_was_killed_meanwhile(house: list[str]) -> None:
    done = subprocess.run([sys.executable, "-c", ORPHAN, *house], capture_output=True, timeout=60)
    assert done.returncode != 0
    assert gone(done.stdout.decode())


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
def test_a_forked_process_begins_its_own() -> None:
    first, second, third = said(after="(os.wait(), say(3)) if os.fork() else say(2)")
    assert [first[:2], second[:2], third[:2]] == [["1", "read"], ["2", "read"], ["3", "read"]]
    assert first[2] == third[2] != second[2]
    assert all(gone(worker) for _, _, worker in (first, second))


def test_the_process_starts_light() -> None:
    code = "import sys, readagent.loaders.apart.cell_child; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, text=True)
    loaded = {name.partition(".")[0] for name in done.stdout.split()}
    ours = {name for name in done.stdout.split() if name.startswith("readagent.")}
    assert not loaded & {
        "httpx2",
        "click",
        "rich",
        "msgspec",
        "sqlite3",
        "mammoth",
        "selectolax",
        "trafilatura",
        "numpy",
    }
    assert all(name.startswith(("readagent.loaders", "readagent.core", "readagent.errors")) for name in ours)


texts = st.text(st.characters(exclude_categories=[]), max_size=20)
paragraphs = st.builds(
    Paragraph, st.just(0), st.integers(0), st.integers(0), heading=st.integers(0, 9), place=texts, lines=st.booleans()
)


@given(texts, st.lists(paragraphs, max_size=1), texts, st.dictionaries(texts, texts, max_size=2), texts)
def test_any_document_travels(
    text: str, listed: list[Paragraph], title: str, metadata: dict[str, str], code: str
) -> None:
    document = Document(text, tuple(listed), title=title, metadata=metadata, code=code)
    reading, writing = os.pipe()
    with os.fdopen(reading, "rb") as there, os.fdopen(writing, "wb") as here:
        send(here, packed(document))
        here.close()
        arrived = receive(there)
        assert arrived is not None
        assert unpacked(arrived) == document
        assert receive(there) is None


@given(
    st.recursive(
        st.none() | st.integers() | texts, lambda one: st.lists(one) | st.dictionaries(texts, one), max_leaves=6
    ),
    st.binary(),
)
def test_what_is_no_document_is_a_value_error(value: object, body: bytes) -> None:
    for head in (
        {"paragraphs": value, "metadata": {}, "title": ""},
        {"paragraphs": [], "metadata": value, "title": ""},
    ):
        try:
            unpacked(Message(head, body))
        except ValueError:
            continue
