"""Run the command line as a user does, in this process or in its own, against a server on loopback."""

from __future__ import annotations

import io
import json
import os
import re
import subprocess
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import dropwhile
from typing import Any

import pytest

from readagent.cli import run
from readagent.testing.loopback.requests import ReceivedRequest

DAYS = "Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split()
LIMIT = 60  # seconds that a test waits for another process before it kills it and fails


@dataclass(frozen=True, slots=True)
class Result:
    """The exit code of a command, and what it printed; ``announced`` is the line that says which server gets the text."""

    code: int
    out: str
    err: str
    announced: str = ""

    @property
    def json(self) -> Any:
        return json.loads(self.out)


class Console:
    """``console("ask", file, "Who?")`` runs a command in this process and captures what it prints."""

    def __init__(self, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
        self._capsys = capsys
        self._monkeypatch = monkeypatch

    def __call__(self, *arguments: object, stdin: str = "") -> Result:
        self._monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(stdin.encode())))
        self._capsys.readouterr()
        code = run([str(argument) for argument in arguments])
        out, err = self._capsys.readouterr()
        lines = err.splitlines(keepends=True)
        announced = "".join(line for line in lines if line.startswith("sending the text to "))
        return Result(code, out, "".join(line for line in lines if line not in announced), announced.strip())

    def done(self, *arguments: object, stdin: str = "") -> Result:
        """Run a command that must succeed."""
        result = self(*arguments, stdin=stdin)
        assert result.code == 0, result.err
        return result

    def fails(self, *arguments: object, stdin: str = "") -> str:
        """Run a command that must fail with one clear line, at most one note of what was spent and one hint, and return them.

        Lines before it say what the command waited for.
        """
        result = self(*arguments, stdin=stdin)
        assert result.code == 1, result
        assert result.out == ""
        assert "unexpected error" not in result.err
        lines = list(dropwhile(lambda line: line.startswith("waiting "), result.err.splitlines()))
        assert lines[0].startswith("error: ")
        assert len(lines) <= 3, result.err
        assert not re.search(r"^hint: .*`\w+(=[^`]*)?`", result.err, re.M), "a setting is named as Python has it"
        begin = [line.partition(":")[0] for line in lines]
        assert begin in (["error"], ["error", "hint"], ["error", "note"], ["error", "note", "hint"]), result.err
        return "".join(f"{line}\n" for line in lines)


def command(*arguments: object, before: str = "") -> list[str]:
    """Return the command line of a separate process; ``before`` is Python code that is run first."""
    program = ["-c", f"{before}\nfrom readagent.cli import main\nmain()"] if before else ["-m", "readagent"]
    return [sys.executable, *program, *map(str, arguments)]


def process(*arguments: object, stdin: str | None = None) -> subprocess.CompletedProcess[str]:
    """Run a command in a separate process, and wait for it."""
    return subprocess.run(
        command(*arguments), input=stdin, capture_output=True, text=True, env=os.environ, check=False, timeout=LIMIT
    )


@contextmanager
def running(*arguments: object, stdin: int | None = None) -> Iterator[subprocess.Popen[str]]:
    """Start a command in a separate process, and kill it if it still runs at the end of the block."""
    with subprocess.Popen(
        command(*arguments), stdin=stdin, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=os.environ
    ) as child:
        try:
            yield child
        finally:
            if child.poll() is None:
                child.kill()


def prompts(requests: Iterable[ReceivedRequest]) -> list[str]:
    """Return the prompts of the requests that were answered in full."""
    return [request.prompt for request in requests if request.finished]


def diary(days: int) -> str:
    """Return a text with one paragraph per day, no two alike, about 40 words each."""
    return "\n\n".join(
        f"On {DAYS[day % 7]}, day {day} of the voyage, the {day * 7 % 31 + 1} sailors counted {day * 37 + 11} casks. "
        f"The cook said that number {day} was an omen, and wrote it on door {day * 3}. "
        f"Nobody slept that night, and the captain noted wind of force {day % 9} in log {day}."
        for day in range(days)
    )
