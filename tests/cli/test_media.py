"""A library on a medium that cannot be written, or that is full: what is in it can be used."""

from __future__ import annotations

import ctypes
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from cli.console import LIMIT, Console, diary
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


def full_disk_works() -> bool:
    """Whether a test may mount a small disk."""
    command = ["unshare", "-m", "mount", "-t", "tmpfs", "-o", "size=1m", "none", tempfile.gettempdir()]
    return (
        sys.platform == "linux"
        and shutil.which("unshare") is not None
        and not subprocess.run(command, capture_output=True, check=False).returncode
    )


SCRIPT = """
mount -t tmpfs -o size=40m none "$READAGENT_HOME"
cp -r "$KEPT"/. "$READAGENT_HOME"
readagent() { "$PYTHON" -m readagent "$@"; }
readagent ask diary.txt "Who counted casks?" > /dev/null || exit 9
dd if=/dev/zero of="$READAGENT_HOME/filler" bs=4k 2> /dev/null
dd if=/dev/zero of="$READAGENT_HOME/filler2" bs=1 2> /dev/null
for command in list "show diary.txt" "find omen" "export diary.txt"; do
    readagent $command > /dev/null || echo "failed: $command"
done
readagent ask diary.txt "Who counted casks?" --json
readagent ask diary.txt "Something that was never asked?"
rm "$READAGENT_HOME/filler"
readagent remove diary.txt --yes
readagent remove story.txt --yes
readagent list
"""


@pytest.mark.slow
def test_a_full_disk_can_be_read_and_goes_on_when_there_is_space(
    own_home: Path, read_before: dict[object, str], console: Console, server: LoopbackServer, tmp_path: Path
) -> None:
    if not full_disk_works():
        pytest.skip("no small disk can be mounted here")
    console.done("read", "story.txt")
    kept = tmp_path / "kept"
    shutil.copytree(own_home, kept)
    result = subprocess.run(
        ["unshare", "-m", "bash", "-c", SCRIPT],
        env={**os.environ, "KEPT": str(kept), "PYTHON": sys.executable},
        capture_output=True,
        text=True,
        timeout=LIMIT,
        check=False,
    )
    answer, *lines = result.stdout.splitlines()
    assert json.loads(answer)["answer"]
    assert lines == ["removed diary", "removed The Second Two Hundred"]
    assert f"error: no space left for {own_home / 'library.db'}" in result.stderr
    assert "the library is empty" in result.stderr
