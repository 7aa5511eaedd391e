"""Random damage to the files of a library: every command says so in one line, or is not affected."""

from __future__ import annotations

import json
import os
import random
import shutil
from pathlib import Path
from typing import Any

import pytest

from cli.console import Console, Result, diary
from library.processes import start
from readagent.testing.loopback import LoopbackServer

COMMANDS = (
    ("list", "--json"),
    ("show", "diary.txt", "--json"),
    ("find", "omen", "--json"),
    ("export", "diary.txt"),
    ("ask", "diary.txt", "Who saw an omen?", "--json"),
)
CASES = 6


def harm(file: Path, draw: random.Random) -> None:
    """Flip bits, zero a page, replace it by another one, write noise, or cut the file."""
    data = bytearray(file.read_bytes())
    at = draw.randrange(len(data))
    kind = draw.choice(["flip", "zero", "swap", "noise", "cut"])
    if kind == "flip":
        for _ in range(draw.choice([1, 8])):
            data[draw.randrange(len(data))] ^= 1 << draw.randrange(8)
    elif kind == "zero":
        at -= at % 4096
        data[at : at + 4096] = bytes(len(data[at : at + 4096]))
    elif kind == "swap":
        at, other = (draw.randrange(len(data) // 4096) * 4096 for _ in range(2))
        data[at : at + 4096] = data[other : other + 4096]
    elif kind == "noise":
        data[at : at + 64] = draw.randbytes(len(data[at : at + 64]))
    else:
        del data[at:]
    file.write_bytes(data)


def shown(result: Result) -> Any:
    """Return what a command printed, without the questions, whose number grows with every run."""
    value = json.loads(result.out)
    for record in value if isinstance(value, list) else [value]:
        record.pop("questions", None)
        record.pop("answers", None)
    return value


@pytest.fixture
def kept(console: Console, server: LoopbackServer, desk: Path, own_home: Path) -> list[Path]:
    """A closed library, and the same one left by a killed process."""
    (desk / "diary.txt").write_text(diary(30))
    console.done("read", "diary.txt", "--page-words", "120")
    console.done("ask", "diary.txt", "Who saw an omen?")
    console.done("read", "story.txt")
    closed, killed = desk / "closed", desk / "killed"
    shutil.copytree(own_home, closed)
    shutil.copytree(own_home, killed)
    with start("put_for_ever", killed) as child:
        assert child.stdout is not None
        for _ in range(10):
            child.stdout.readline()
        child.kill()
    return [closed, killed]


@pytest.mark.skipif(os.name == "nt", reason="the log is not checked on Windows")
@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(1, 5))])
def test_damage_is_told_or_changes_nothing(
    console: Console,
    server: LoopbackServer,
    own_home: Path,
    kept: list[Path],
    monkeypatch: pytest.MonkeyPatch,
    seed: int,
) -> None:
    monkeypatch.setattr("readagent.library.file_state._CLOSING", 0)
    expected = [shown(console.done(*command)) for command in COMMANDS]
    server.requests.clear()
    told = 0
    for case in range(CASES):
        draw = random.Random(CASES * seed + case)
        shutil.rmtree(own_home)
        shutil.copytree(draw.choice(kept), own_home)
        harm(draw.choice([file for file in own_home.iterdir() if file.suffix in (".db", ".db-wal")]), draw)
        for command, normal in zip(COMMANDS, expected, strict=True):
            result = console(*command)
            assert "unexpected error" not in result.err
            if result.code or "is damaged" in result.err:  # an answer that could not be kept is shown with a note
                assert result.err.startswith(("error: ", "note: ")), result
                told += 1
            else:
                assert shown(result) == normal
            assert server.requests == []
    assert told
