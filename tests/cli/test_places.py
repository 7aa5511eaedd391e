"""`append`, places and files that are known: one form in every command, and no file is parsed or added twice."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from cli.console import LIMIT, Console, diary, running
from cli.interrupter import Interrupter
from loaders.pdf_writer import Page, pdf_bytes
from readagent import Library
from readagent.cli import documents
from readagent.cli.commands import append
from readagent.testing.loopback import LoopbackServer

PDF = Path(__file__).parents[1] / "fixtures" / "pdf" / "story.latex.pdf"
CODE = "import os\n\n\ndef weigh_salt():\n    return 'the salt of Brenza'\n"


@pytest.fixture
def paper(console: Console, server: LoopbackServer, desk: Path) -> dict[str, object]:
    """The JSON of an answer about a PDF with two printed pages."""
    (desk / "tin.pdf").write_bytes(PDF.read_bytes())
    console.done("read", "tin.pdf", "--page-words", "200")
    answer: dict[str, object] = console.done("ask", "tin.pdf", "What is the sweet canal?", "--json").json
    return answer


def test_every_command_cites_the_printed_page(console: Console, paper: dict[str, list[dict[str, str]]]) -> None:
    quote = paper["quotes"][0]
    cited = f"({quote['place']})"
    assert quote["place"].startswith("p. ")
    assert cited in console.done("ask", "tin.pdf", "What is the sweet canal?").out
    (hit,) = console.done("find", '"what is the sweet canal"', "--json").json
    assert hit["place"] == "p. 2, The Bus"
    assert console.done("find", '"what is the sweet canal"').out.startswith("The Tin, p. 2, The Bus\n")
    exported = console.done("export", "tin.pdf").json
    assert exported["answers"][0]["quotes"][0]["place"] == quote["place"]
    assert exported["pages"][0]["place"] == "p. 1"
    markdown = console.done("export", "tin.pdf", "-f", "markdown").out
    assert f"> — {quote['place']}\n" in markdown
    assert "## Page 1 (p. 1)" in markdown
    assert "Page 1  p. 1  " in console.done("show", "tin.pdf").out


def test_show_takes_the_places_of_the_source(console: Console, paper: object, desk: Path) -> None:
    def texts(*arguments: str) -> str:
        pages = console.done("show", "tin.pdf", *arguments, "--json").json["page_list"]
        return " ".join(" ".join(page["text"].split()) for page in pages)

    assert "What is the sweet canal?" in texts("--at", "p. 2")
    assert "What is the sweet canal?" not in texts("--at", "The Tin")
    assert texts("--at", "The Bus") == texts("--at", "bus")
    assert console.fails("show", "tin.pdf", "--at", "p. 9") == (
        "error: there is no place 'p. 9' in the text\nhint: near ones: p. 1; p. 2\n"
    )
    for text in (console.fails("ask", "tin.pdf", "Who?", "--up-to", "p. 99"), up_to_in_chat(console)):
        assert "error: 'p. 99' is not a page, chapter or sentence of the text\nhint: near places: p. 1; p. 2\n" in text
    (desk / "salt.py").write_text(CODE)
    console.done("read", "salt.py")
    assert "the salt of Brenza" in console.done("show", "salt.py", "--at", "salt.py:5").out
    assert console.done("find", "Brenza").out.startswith("salt.py, salt.py:5\n")


def up_to_in_chat(console: Console) -> str:
    return console.done("chat", "tin.pdf", stdin="/up-to p. 99\n").err


def test_a_quote_after_a_page_break_is_cited_by_the_page_that_it_is_on(
    console: Console, server: LoopbackServer, desk: Path
) -> None:
    texts = [["Irma carried the first lamp over the hill. It rained, and the"],
             ["whole village slept. The second lamp stayed with Paul."], ["Vera came."], ["Olga left."]]  # fmt: skip
    pages = [Page().put(170, 40, f"The Lamp {at}", 9).lines(50, 90, text) for at, text in enumerate(texts, 301)]
    (desk / "lamp.pdf").write_bytes(pdf_bytes(pages))
    console.done("read", "lamp.pdf")
    answer = console.done("ask", "lamp.pdf", "Who had the second lamp that stayed?", "--json").json
    places = {one["text"]: one["place"] for one in answer["quotes"]}
    assert places["The second lamp stayed with Paul."] == "p. 302"
    assert "(p. 302)" in console.done("ask", "lamp.pdf", "Who had the second lamp that stayed?").out
    assert console.done("find", "Paul").out.startswith("lamp, p. 302\n")


PAGES = ("--page-words", "80", "--min-page-words", "40")


@pytest.fixture
def parsed(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of the files that commands parse."""
    names: list[str] = []
    load = documents.load

    def noting(name: str, **options: Any) -> object:
        names.append(name)
        return load(name, **options)

    monkeypatch.setattr(documents, "load", noting)
    return names


def test_an_unchanged_file_is_parsed_once(
    console: Console, server: LoopbackServer, desk: Path, parsed: list[str]
) -> None:
    file = desk / "diary.txt"
    file.write_text(diary(8))
    console.done("read", "diary.txt", *PAGES)
    asked = console.done("ask", "diary.txt", "Who saw an omen?")
    console.done("show", "diary.txt")
    console.done("export", "diary.txt")
    assert parsed == []
    file.touch()
    assert console.done("ask", "diary.txt", "Who saw an omen?").out == asked.out
    assert parsed == []


def test_a_changed_file_of_the_same_size_and_time_is_noticed(
    console: Console, server: LoopbackServer, desk: Path, parsed: list[str]
) -> None:
    file = desk / "diary.txt"
    file.write_text(diary(8))
    before = file.stat()
    console.done("read", "diary.txt", *PAGES)
    file.write_text(diary(8).replace("cook", "crew"))
    os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert "has changed since it was read" in console.fails("show", "diary.txt")
    assert "crew" in console.done("ask", "diary.txt", "What did the crew say?", "--json").out
    assert parsed == ["diary.txt"] * 2


SMALL_PAGES = ("--page-words", "80", "--min-page-words", "40", "--mode", "paper")


def text_in(home: Path) -> str:
    with Library(home) as library:
        (row,) = library.documents()
        memory = library.memory(row.id)
        assert memory is not None
        assert "".join(memory.page_text(page.number) for page in memory.pages) == memory.document.text
        return memory.document.text


@pytest.mark.slow
def test_ctrl_c_keeps_all_lines(desk: Path, own_home: Path, monkeypatch: pytest.MonkeyPatch, console: Console) -> None:
    lines = [f"Speaker {n % 3}: line number {n} of the talk, and a few more words in it." for n in range(12)]
    interrupter = Interrupter(1)
    with LoopbackServer(interrupter.answer).in_thread() as server:
        monkeypatch.setenv("READAGENT_BASE_URL", server.base_url)
        monkeypatch.setenv("READAGENT_MODEL", "skimmer")
        interrupter.requests = 10**6  # the first reading is not interrupted
        console.done("read", "-", "--title", "talk", *SMALL_PAGES, stdin="A short beginning.")
        interrupter.requests = 0
        with running("append", "talk", "-", "--follow", stdin=subprocess.PIPE) as child:
            assert child.stdin is not None
            assert child.stdout is not None
            child.stdin.write("\n".join(lines) + "\n")
            child.stdin.flush()
            interrupter.watch(child)
            assert child.wait(LIMIT) == 0
            assert "unchanged" in child.stdout.read()
        assert text_in(own_home).split("\n\n") == ["A short beginning.", *lines]


def test_ctrl_c_just_after_a_line_was_saved_does_not_add_it_twice(
    console: Console, server: LoopbackServer, own_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Interrupted(append.Progress):
        """A progress line at whose end Ctrl-C arrives, once the text has grown."""

        def __exit__(self, *error: object) -> None:
            super().__exit__(*error)
            with Library(own_home) as library:
                if library.documents()[0].words > 3:
                    raise KeyboardInterrupt

    console.done("read", "-", "--title", "talk", *SMALL_PAGES, stdin="A short beginning.")
    with monkeypatch.context() as patched:
        patched.setattr(append, "Progress", Interrupted)
        assert "1 new page" in console.done("append", "talk", "-", "--follow", stdin="One line.\n").out
    assert text_in(own_home) == "A short beginning.\n\nOne line."
