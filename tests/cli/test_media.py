"""A library on a medium that cannot be written, or that is full: what is in it can be used."""

from __future__ import annotations

import ctypes
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from cli.console import Console, diary
from readagent.testing.loopback import LoopbackServer

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
