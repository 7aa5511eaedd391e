"""Running the command line as a user does, in this process or in one of its own, against a server on loopback."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import pytest

from readagent.cli import run
from readagent.testing.loopback.requests import ReceivedRequest

DAYS = "Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split()


@dataclass(frozen=True, slots=True)
class Heard:
    """What a command came to."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


class Console:
    """``console("ask", file, "Who?")`` runs a command in this process and catches all that it prints."""

    def __init__(self, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
        self._capsys = capsys
        self._monkeypatch = monkeypatch

    def __call__(self, *arguments: object, stdin: str = "") -> Heard:
        self._monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(stdin.encode())))
        self._capsys.readouterr()
        code = run([str(argument) for argument in arguments])
        return Heard(code, *self._capsys.readouterr())

    def done(self, *arguments: object, stdin: str = "") -> Heard:
        """The same, for a command that is to succeed."""
        heard = self(*arguments, stdin=stdin)
        assert heard.code == 0, heard.err
        return heard

    def fails(self, *arguments: object, stdin: str = "") -> str:
        """What is printed on standard error by a command that fails: one clear line, and a hint where there is one."""
        heard = self(*arguments, stdin=stdin)
        assert heard.code == 1, heard
        assert heard.out == ""
        assert "unforeseen" not in heard.err
        lines = heard.err.splitlines()
        assert lines[0].startswith("error: ")
        assert len(lines) <= 2, heard.err
        assert all(line.startswith("hint: ") for line in lines[1:]), heard.err
        return heard.err


def command(*arguments: object) -> list[str]:
    """The command line of a process of its own."""
    return [sys.executable, "-m", "readagent", *map(str, arguments)]


def process(*arguments: object, stdin: str | None = None) -> subprocess.CompletedProcess[str]:
    """Run a command in a process of its own, and wait for it."""
    return subprocess.run(command(*arguments), input=stdin, capture_output=True, text=True, env=os.environ, check=False)


def prompts(requests: Iterable[ReceivedRequest]) -> list[str]:
    """The prompts of the requests that were answered in full."""
    return [request.prompt for request in requests if request.finished]


def diary(days: int) -> str:
    """A text of so many paragraphs, no two alike, about 40 words each."""
    return "\n\n".join(
        f"On {DAYS[day % 7]}, day {day} of the voyage, the {day * 7 % 31 + 1} sailors counted {day * 37 + 11} casks. "
        f"The cook said that number {day} was an omen, and wrote it on door {day * 3}. "
        f"Nobody slept that night, and the captain noted wind of force {day % 9} in log {day}."
        for day in range(days)
    )
