"""A library on a medium that cannot be written, or shared by processes, or whose process is interrupted: nothing is lost."""

from __future__ import annotations

import ctypes
import os
import signal
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from cli.console import LIMIT, Console, diary, process, prompts, running
from cli.interrupter import Interrupter
from needs import real_weights
from readagent.testing.loopback import LoopbackServer
from readagent_bench.folder import RunFolder
from sessions import EXAMPLES

QUESTION = ("ask", "diary.txt", "Who saw an omen?", "--json")
READERS = (("list",), ("show", "diary.txt"), ("find", "omen"), ("export", "diary.txt"), ("library", "check"))


@contextmanager
def read_only(home: Path) -> Iterator[None]:
    """Take away the right to write to a folder and the files in it, also from root."""
    for path in (home, *home.iterdir()):
        path.chmod(0o555 if path.is_dir() else 0o444)
    root = os.geteuid() == 0
    if root:
        ignore_permissions(False)
    try:
        yield
    finally:
        if root:
            ignore_permissions(True)
        for path in (home, *home.iterdir()):
            path.chmod(0o700)


def ignore_permissions(allowed: bool) -> None:
    """Let root ignore the permissions of files, as it usually does, or not, in this thread and those it starts."""
    version, this_thread, override = 0x20080522, 0, 0b110  # CAP_DAC_OVERRIDE and CAP_DAC_READ_SEARCH
    header, sets = (ctypes.c_uint32 * 2)(version, this_thread), (ctypes.c_uint32 * 6)()
    libc = ctypes.CDLL(None, use_errno=True)
    assert libc.capget(header, sets) == 0
    sets[0] = sets[0] | override if allowed else sets[0] & ~override
    assert libc.capset(header, sets) == 0, os.strerror(ctypes.get_errno())


@pytest.fixture
def read_before(own_home: Path, console: Console, server: LoopbackServer, desk: Path) -> dict[object, str]:
    """A library with a document and an answer, and what the commands print about it."""
    (desk / "diary.txt").write_text(diary(12))
    console.done("read", "diary.txt", "--page-words", "80")
    console.done(*QUESTION)
    printed = {command: console.done(*command).out for command in READERS}
    printed[QUESTION] = console.done(*QUESTION).json["answer"]
    server.requests.clear()
    return printed


@pytest.mark.skipif(os.name == "nt", reason="permissions work differently on Windows")
def test_a_read_only_library_can_be_read(
    own_home: Path,
    read_before: dict[object, str],
    console: Console,
    server: LoopbackServer,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(own_home.parent)
    known = console.done("list", "--json").json[0]["id"]
    with read_only(own_home):
        for command in (("list",), ("show", known), ("find", "omen"), ("library", "check")):
            assert console.done(*command).err == ""
        answer = console.done("ask", known, "Who saw an omen?", "--json")
        assert answer.json["answer"] == read_before[QUESTION]
        assert "read-only" in answer.err  # it was not kept
        assert "cannot write to" in console.fails("remove", known, "--yes")
        assert "cannot write to" in console.fails("ask", known, "Who counted the casks?")
    assert server.requests == []


def run_all(*commands: tuple[object, ...]) -> list[str]:
    """Run commands at the same time that must all succeed, and return their outputs."""
    results = []
    with ExitStack() as stack:
        children = [stack.enter_context(running(*command)) for command in commands]
        for child in children:
            out, err = child.communicate(timeout=LIMIT)
            assert child.returncode == 0, err
            results.append(out)
    return results


def repeated(server: LoopbackServer) -> list[str]:
    """Return the prompts that were sent more than once."""
    counts = Counter(request.prompt for request in server.requests if request.prompt)
    return [prompt for prompt, count in counts.items() if count > 1]


@pytest.mark.slow
def test_two_readers_of_one_document_share_the_calls(server: LoopbackServer, desk: Path) -> None:
    (desk / "diary.txt").write_text(diary(40))
    first, second = run_all(
        *[("read", "diary.txt", "--page-words", "200", "--min-page-words", "40", "--mode", "paper")] * 2
    )
    assert first == second
    assert len(server.requests) > 20
    assert repeated(server) == []


def test_a_second_benchmark_in_one_folder_says_so(console: Console, server: LoopbackServer) -> None:
    arguments = ("bench", "run", "own", "--data", EXAMPLES, "--methods", "full", "--out", "runs")
    with RunFolder(Path("runs")).lock():
        assert "another process is running in runs" in console.fails(*arguments)
    assert server.requests == []


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="Windows has no such signals")
@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM", "SIGHUP"])
def test_a_signal_ends_a_command_and_loses_nothing(desk: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    (desk / "page.html").write_text(f"<html><body><p>{'</p><p>'.join(diary(30).split(chr(10) * 2))}</p></body></html>")
    number = getattr(signal, name)
    interrupter = Interrupter(9, number)
    with LoopbackServer(interrupter.answer).in_thread() as server:
        monkeypatch.setenv("READAGENT_BASE_URL", server.base_url)
        with running("read", "page.html", "--page-words", "80", "--mode", "paper") as child:
            interrupter.watch(child)
            out, err = child.communicate(timeout=LIMIT)
        assert child.returncode == 128 + number
        assert out == ""
        assert [line for line in err.splitlines() if line] == [
            f"sending the text to {server.base_url}",
            "stopped; nothing is lost: run the same command again to continue",
        ]
        answered = set(prompts(server.requests))
        assert len(answered) >= 8
        server.requests.clear()
        assert process("read", "page.html", "--page-words", "80", "--mode", "paper").returncode == 0
        assert not answered & {request.prompt for request in server.requests}
    if sys.platform == "linux":
        assert interrupter.children  # the process that parsed the page
        assert not any(Path(f"/proc/{one}").exists() for one in interrupter.children)


@pytest.mark.slow
@pytest.mark.weights
@pytest.mark.skipif(os.name == "nt", reason="Windows has no such signal")
def test_the_process_of_a_gguf_model_ends_with_a_terminated_command(desk: Path) -> None:
    psutil = pytest.importorskip("psutil")
    (desk / "diary.txt").write_text(diary(60))
    with running("read", "diary.txt", "--model", str(real_weights("smollm2") / "model.gguf")) as child:
        watched, models = psutil.Process(child.pid), []
        while child.poll() is None and not models:
            models = [one for one in watched.children() if "readagent.embedded.child" in one.cmdline()]
        child.send_signal(signal.SIGTERM)
        child.communicate(timeout=LIMIT)
    assert models
    assert not psutil.wait_procs(models, timeout=LIMIT)[1]
