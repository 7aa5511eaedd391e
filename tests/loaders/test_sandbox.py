"""The sandbox: documents come back unchanged, and a parser that hangs, crashes or runs out of memory costs one file."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import psutil
import pytest
from hypothesis import given
from hypothesis import strategies as st

from readagent.core.document import Document
from readagent.core.words import Paragraph
from readagent.errors import LoadError
from readagent.loaders.blocks import Block, compose
from readagent.loaders.formats import Options
from readagent.loaders.sandbox.messages import pack, receive, send, unpack
from readagent.loaders.sandbox.pool import Limits, WorkerPool
from readagent.loaders.sandbox.system_calls import can_be_filtered

CHILD = """
import os, sys, time
from readagent.core.document import Document
from readagent.errors import LoadError
from readagent.loaders.blocks import Block, compose
from readagent.loaders.sandbox import confinement
from readagent.loaders.child import serve
from readagent.loaders.sandbox.confinement import confine


def tried(code):
    import ctypes, fcntl, resource, signal, socket, subprocess

    def call(*values):
        if ctypes.CDLL(None, use_errno=True).syscall(*values) < 0:
            raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))

    try:
        exec(code)
    except OSError as error:
        return f"refused: {error.strerror}"
    return "done"


class FakeParser:
    def parse(self, data, name, options):
        match data:
            case b"hang":
                os.read(os.pipe()[0], 1)
            case b"loop":
                while True:
                    pass
            case b"more pages":
                confinement.add(60)
                began = time.process_time()
                while time.process_time() < began + 0.6:
                    pass
            case b"abort":
                os.abort()
            case b"exit":
                os._exit(0)
            case b"exhaust":
                bytearray(8 << 30)
            case b"refuse":
                raise LoadError(f"{name} is\\udc80 locked", hint="unlock it")
            case b"raise":
                return {}["missing"]
            case b"recurse":
                return (lambda f: f(f))(lambda f: f(f))
            case b"print":
                print("noise on standard output", flush=True)
                os.write(1, b"more noise")
            case b"pid":
                return compose([Block(str(os.getpid()))])
            case b"environment":
                return compose([Block(" ".join(os.environ))])
            case b"confined":
                return compose([Block(str(confine()))])
            case _ if data.startswith(b"try "):
                return compose([Block(tried(data.decode()[4:]))])
        title = repr((options.whole, options.format))
        blocks = [Block("Head", heading=1), Block(data.decode(), place="page 2"), Block("a\\n b", lines=True)]
        return compose(blocks, title=title, metadata={"author": "A \\udc80"})


serve(lambda format: FakeParser())
"""
FIXTURES = Path(__file__).parent.parent / "fixtures"
OPTIONS = Options(whole=True, format="pdf")
cpu_limited = pytest.mark.skipif(sys.platform == "win32", reason="Windows has no limit on processor time")


def started() -> set[psutil.Process]:
    """Return our child processes that this test has started; earlier tests may have left others."""
    return set(psutil.Process().children()) - _before


_before: set[psutil.Process] = set()


@pytest.fixture(autouse=True)
def _note_processes() -> None:
    _before.clear()
    _before.update(psutil.Process().children())


@pytest.fixture
def child(tmp_path: Path) -> list[str]:
    path = tmp_path / "child.py"
    path.write_text(CHILD)
    return [sys.executable, "-P", str(path)]


@pytest.fixture
def pool(child: list[str]) -> Iterator[WorkerPool]:
    pool = WorkerPool(child)
    yield pool
    pool.close()


def ask(pool: WorkerPool, data: bytes) -> Document:
    return pool.parse(data, "book.pdf", OPTIONS)


def refused(pool: WorkerPool, data: bytes) -> LoadError:
    with pytest.raises(LoadError) as caught:
        ask(pool, data)
    assert str(caught.value).startswith("book.pdf ")
    assert caught.value.hint
    return caught.value


def expected(text: str) -> Document:
    blocks = [Block("Head", heading=1), Block(text, place="page 2"), Block("a\n b", lines=True)]
    return compose(blocks, title="(True, 'pdf')", metadata={"author": "A \udc80"})


def test_a_document_comes_back_unchanged_and_an_error_with_its_hint(pool: WorkerPool) -> None:
    assert ask(pool, "Anna — ан 川.".encode()) == expected("Anna — ан 川.")
    assert len(ask(pool, b"word " * 1_000_000).text) > 4_900_000
    error = refused(pool, b"refuse")
    assert (str(error), error.hint) == ("book.pdf is\udc80 locked", "unlock it")


@pytest.mark.parametrize(
    ("data", "reason"), [(b"abort", "could not be read: its parser crashed"), (b"recurse", "is nested too deeply")]
)
def test_a_parser_that_crashes_costs_one_file(pool: WorkerPool, data: bytes, reason: str) -> None:
    ask(pool, b"before")
    assert str(refused(pool, data)) == f"book.pdf {reason}"
    assert ask(pool, b"after") == expected("after")


def test_a_parser_that_hangs_is_stopped(child: list[str]) -> None:
    pool = WorkerPool(child, Limits(seconds=0.3, patience=1))
    assert str(refused(pool, b"hang")) == "book.pdf takes too long to read"
    pool.close()  # the process that said so
    assert not started()


@cpu_limited
def test_a_parser_that_uses_too_much_processor_time_is_stopped(child: list[str]) -> None:
    pool = WorkerPool(child, Limits(seconds=0.3, patience=1000))
    assert str(refused(pool, b"loop")) == "book.pdf takes too long to read"
    assert not [process for worker in started() for process in worker.children()]
    pool.close()


@cpu_limited
def test_markup_that_takes_too_long_is_read_as_plain_text_and_says_so() -> None:
    pool = WorkerPool(limits=Limits(seconds=0.5, seconds_if_plain=0.2, seconds_per_megabyte=0))
    text = "[" * 50_000
    document = pool.parse(text.encode(), "notes.md", Options())
    assert (document.text.strip(), document.metadata["read_as"]) == (
        text, "plain text, since as Markdown it takes too long to read",
    )  # fmt: skip
    page = f"<html><body><p {' '.join(f'a{number}=1' for number in range(100_000))}>Anna."
    with pytest.raises(LoadError, match="takes too long to read"):
        pool.parse(page.encode(), "page.html", Options())
    pool.close()


def test_this_process_only_hands_a_file_over(tmp_path: Path) -> None:
    for name in ("garden.md", "garden.site.html", "latin.latin-1.txt"):
        shutil.copy(FIXTURES / name, tmp_path)
    (tmp_path / "table.csv").write_text("a,b\n1,2\n")
    code = "import sys, readagent; print(len(readagent.load(sys.argv[1]).text) > 500, *sys.modules)"
    done = subprocess.run([sys.executable, "-c", code, str(tmp_path)], capture_output=True, check=True, text=True)
    read, *loaded = done.stdout.split()
    assert read == "True"
    assert not {"csv", "charset_normalizer", "markdown_it", "selectolax", "readagent.loaders.sniff"} & {*loaded}


def test_the_time_limit_grows_with_the_file() -> None:
    limits = Limits(seconds=10, seconds_per_megabyte=2, max_seconds=40)
    assert [limits.seconds_for(size) for size in (0, 1_000_000, 90_000_000)] == [10, 12, 40]


@pytest.mark.skipif(sys.platform != "linux", reason="other systems do not enforce the memory limit")
def test_a_parser_that_needs_too_much_memory_is_stopped(pool: WorkerPool) -> None:
    assert "memory" in str(refused(pool, b"exhaust"))
    assert ask(pool, b"after") == expected("after")


def test_a_worker_that_was_killed_while_idle_is_replaced(pool: WorkerPool) -> None:
    ask(pool, b"before")
    [process] = started()
    process.kill()
    process.wait()
    assert ask(pool, b"after") == expected("after")


def test_threads_do_not_mix_up_their_documents(pool: WorkerPool) -> None:
    texts = [f"text {number} " * 2000 for number in range(24)]
    with ThreadPoolExecutor(4) as threads:
        documents = list(threads.map(lambda text: ask(pool, text.encode()), texts))
    assert documents == [expected(text) for text in texts]
    assert len(started()) <= 4


def test_no_process_is_left_behind(pool: WorkerPool) -> None:
    ask(pool, b"one")
    refused(pool, b"abort")
    ask(pool, b"two")
    pool.close()
    assert not started()
    pool.close()


SCRIPT = """
import os, psutil, sys
{before}
from readagent.loaders.sandbox.pool import parse_in_sandbox
from readagent.loaders.formats import Options
def report(number):
    data = rb"{{\\rtf1 Anna crossed the river.}}"
    text = parse_in_sandbox(data, "a.rtf", Options()).text.strip()
    [worker] = psutil.Process().children()
    os.write(2, f"{{number}} {{text}} {{worker.pid}}\\n".encode())
report(1)
{after}
"""


def run_script(before: str = "", after: str = "") -> list[list[str]]:
    """Run the script; return number, text and worker process of each document it read."""
    code = SCRIPT.format(before=before, after=after)
    done = subprocess.run([sys.executable, "-c", code], input=b"", capture_output=True, timeout=60)
    return [line.replace("Anna crossed the river.", "read").split() for line in done.stderr.decode().splitlines()]


def gone(process: str) -> bool:
    """Whether this process ends, which may take a moment; it may remain as a zombie."""
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


def test_it_works_without_standard_input() -> None:
    [[_, read, worker]] = run_script()
    assert read == "read"
    assert gone(worker)


@pytest.mark.parametrize("after", ["os._exit(0)", "os.kill(os.getpid(), 9)"])
def test_a_worker_ends_with_its_parent(after: str) -> None:
    assert gone(run_script(after=after)[0][2])


ORPHAN = """
import os, sys
from readagent.loaders.sandbox import pool as module
from readagent.loaders.sandbox.pool import Limits, WorkerPool
from readagent.loaders.sandbox.system_calls import can_be_filtered
from readagent.loaders.formats import Options
pool = WorkerPool(sys.argv[1:])
print(pool.parse(b"pid", "a.pdf", Options(format="pdf")).text, flush=True)
pool._limits = Limits(seconds=1, patience=1)  # not before: starting the process takes time too
module.receive = lambda pipe: os._exit(9)  # the file is sent, and this process ends without waiting for the reply
pool.parse(b"hang", "a.pdf", Options(format="pdf"))
"""


@pytest.mark.slow
def test_a_hanging_worker_ends_after_its_parent_was_killed(child: list[str]) -> None:
    done = subprocess.run([sys.executable, "-c", ORPHAN, *child], capture_output=True, timeout=60)
    assert done.returncode == 9
    assert gone(done.stdout.decode())


def test_a_parser_sees_no_keys(pool: WorkerPool, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_API_KEY", "READAGENT_API_KEY", "AWS_SECRET_ACCESS_KEY", "SSH_AUTH_SOCK"):
        monkeypatch.setenv(name, "secret")
    names = ask(pool, b"environment").text.split()
    assert "PATH" in names
    assert not {name for name in names if any(word in name for word in ("KEY", "SECRET", "TOKEN", "AUTH"))}


@pytest.fixture
def confined(pool: WorkerPool) -> WorkerPool:
    if ask(pool, b"confined").text.strip() != "True":
        pytest.skip("this system has no Landlock")
    return pool


def test_a_parser_cannot_read_or_write_files_of_the_user(confined: WorkerPool, tmp_path: Path) -> None:
    secret = tmp_path / "id_rsa"
    secret.write_text("a private key")
    new = tmp_path / "new"
    for code in (
        f"open({str(secret)!r}).read()",
        f"open({str(new)!r}, 'w')",
        f"os.remove({str(secret)!r})",
        f"os.listdir({str(tmp_path)!r})",
        "open('/etc/passwd').read()",
        "subprocess.run(['/bin/sh', '-c', 'true'])",
    ):
        assert ask(confined, f"try {code}".encode()).text.strip() == "refused: Permission denied", code
    assert secret.read_text() == "a private key"
    assert not new.exists()


DANGEROUS = {
    "TCP": "socket.create_connection({server!r}, timeout=5)",
    "multipath TCP": "socket.socket(socket.AF_INET, socket.SOCK_STREAM, 262).connect({server!r})",
    "TCP fast open": "socket.socket().sendto(b'secret', 0x20000000, {server!r})",
    "UDP": "socket.socket(type=socket.SOCK_DGRAM).sendto(b'secret', {server!r})",
    "a socket with a path": "socket.socket(socket.AF_UNIX).connect({path!r})",
    "a pair of sockets": "socket.socketpair()", "io_uring": "call(425, 8, bytes(120))",
    "chmod": "os.chmod({file!r}, 0o777)", "utime": "os.utime({file!r}, (1, 1))",
    "chown": "os.chown({file!r}, os.getuid(), os.getgid())", "setxattr": "os.setxattr({file!r}, 'user.mark', b'x')",
    "truncate": "os.truncate({file!r}, 0)",
    "attributes of a file of its own": "fcntl.ioctl(open(os.__file__), 0x40086602, bytes(8))",
    "signals": "os.kill({parent}, 0)",
    "limits of another process": "resource.prlimit({parent}, resource.RLIMIT_CPU, (3600, 3600))",
    "priority of another process": "os.setpriority(os.PRIO_PROCESS, {parent}, 5)",
    "more memory": "resource.setrlimit(resource.RLIMIT_AS, (-1, -1))",
    "memory that is not counted": "os.memfd_create('more')", "a process that stays": "os.fork()",
    "a program": "os.execv('/bin/true', ['true'])",
    "outliving its parent": "call(157 if os.uname().machine == 'x86_64' else 167, 1, 0)",
    "the key ring": "call(250 if os.uname().machine == 'x86_64' else 219, 0, -3, 0)",
    "a call newer than the list": "call(469, 0, 0)",
}  # fmt: skip


@pytest.mark.skipif(not can_be_filtered(), reason="this system has no filter for system calls")
@pytest.mark.parametrize("what", DANGEROUS)
def test_a_parser_cannot_reach_others_or_change_files(pool: WorkerPool, tmp_path: Path, what: str) -> None:
    file = tmp_path / "notes.txt"
    file.write_text("mine")
    before = file.stat().st_ctime_ns
    with socket.create_server(("127.0.0.1", 0)) as server, socket.socket(socket.AF_UNIX) as unix:
        unix.bind(str(tmp_path / "socket"))
        unix.listen()
        places = {"server": server.getsockname(), "path": str(tmp_path / "socket"), "file": str(file)}
        code = DANGEROUS[what].format(parent=os.getpid(), **places)
        said = ask(pool, f"try {code}".encode()).text
        server.setblocking(False)
        unix.setblocking(False)
        for listening in (server, unix):
            with pytest.raises(BlockingIOError):
                listening.accept()
    assert said.startswith(("refused: Permission denied", "refused: Function not implemented")), said
    assert (file.stat().st_ctime_ns, file.read_text()) == (before, "mine")


@pytest.mark.skipif(not can_be_filtered(), reason="this system has no filter for system calls")
def test_text_recognition_can_run_its_program_and_no_more(child: list[str]) -> None:
    path = Path(child[-1])
    path.write_text(CHILD.replace("FakeParser())", "FakeParser(), programs=('true',))"))
    pool = WorkerPool(child)
    ran = ask(pool, b"try subprocess.run(['true'], check=True)").text
    connected = ask(pool, b"try socket.socket()").text
    pool.close()
    assert (ran.strip(), connected.strip()) == ("done", "refused: Permission denied")


@pytest.mark.skipif(sys.platform != "linux", reason="other systems have no process for each file")
def test_a_parser_leaves_no_dump_of_the_text_and_no_change_for_the_next_file(pool: WorkerPool) -> None:
    dumpable = "if ctypes.CDLL(None).prctl(3, 0, 0, 0, 0): raise OSError(1, 'dumpable')"
    assert ask(pool, f"try {dumpable}".encode()).text.strip() == "done"
    ask(pool, b"try FakeParser.parse = None")
    assert ask(pool, b"after") == expected("after")


def test_the_child_imports_no_heavy_packages() -> None:
    code = "import sys, readagent.loaders.child; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, text=True)
    loaded = {name.partition(".")[0] for name in done.stdout.split()}
    ours = {name for name in done.stdout.split() if name.startswith("readagent.")}
    assert not loaded & {
        "httpx2", "click", "rich", "msgspec", "sqlite3", "mammoth", "selectolax", "markdown_it", "pypdfium2", "numpy",
    }  # fmt: skip
    assert all(name.startswith(("readagent.loaders", "readagent.core", "readagent.errors")) for name in ours)


texts = st.text(st.characters(exclude_categories=[]), max_size=20)
marks = st.lists(st.tuples(st.integers(0), texts), max_size=2).map(tuple)
paragraphs = st.builds(
    Paragraph, st.just(0), st.integers(0), st.integers(0), heading=st.integers(0, 9), place=texts, lines=st.booleans(),
    marks=marks, speaker=texts,
)  # fmt: skip


@given(texts, st.lists(paragraphs, max_size=1), texts, st.dictionaries(texts, texts, max_size=2), texts)
def test_any_document_survives_the_pipe(
    text: str, listed: list[Paragraph], title: str, metadata: dict[str, str], code: str
) -> None:
    document = Document(text, tuple(listed), title=title, metadata=metadata, code=code)
    reading, writing = os.pipe()
    with os.fdopen(reading, "rb") as incoming, os.fdopen(writing, "wb") as outgoing:
        send(outgoing, pack(document))
        outgoing.close()
        arrived = receive(incoming)
        assert arrived is not None
        assert unpack(arrived) == document
        assert receive(incoming) is None
