"""Commands on a pseudo-terminal. Every wait has a limit, after which the command is killed and the test fails."""

from __future__ import annotations

import os
import re
import select
import struct
import subprocess
from time import monotonic
from types import TracebackType
from typing import Self

import pyte
import pytest

from cli.console import LIMIT, command

CLEARED = "\r\x1b[K"
PROMPT = "\x1b[?2004h"  # what the line for questions begins with: pasted text is marked as such


class Terminal:
    """A command on a terminal of its own, and everything that has appeared there so far.

    ``stdin`` replaces what is typed there: a file descriptor, or ``subprocess.PIPE``. ``no_color`` is NO_COLOR.
    ``before`` is Python code that is run first, in place of a computer on which things are that way.
    """

    def __init__(
        self, columns: int, *arguments: object, stdin: int | None = None, no_color: str = "", before: str = ""
    ) -> None:
        fcntl, termios = pytest.importorskip("fcntl"), pytest.importorskip("termios")  # Windows has neither
        self._master, slave = os.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
        given = {"PAGER": "cat", **os.environ}
        environ = {name: value for name, value in given.items() if name not in ("COLUMNS", "LINES", "NO_COLOR")}
        environ["NO_COLOR"] = no_color
        environ["PROMPT_TOOLKIT_NO_CPR"] = "1"  # nobody answers a request for the position of the cursor here
        environ.setdefault("TERM", "xterm")
        self.process = subprocess.Popen(
            command(*arguments, before=before),
            stdin=slave if stdin is None else stdin,
            stdout=slave,
            stderr=slave,
            env=environ,
            start_new_session=True,
        )
        os.close(slave)
        self._open = True
        self.output = ""
        self.seen = ""  # what appeared before ``output``
        self.columns = columns

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._close()

    def until(self, text: str) -> str:
        """Read until this text has appeared, and return everything up to there."""
        deadline = monotonic() + LIMIT
        while text not in self.output:
            if not self._read(deadline, f"{text!r} to appear"):
                self._close()
                pytest.fail(f"the command ended before {text!r} appeared: {self.output!r}")
        return self.output

    def prompt(self, text: str = PROMPT) -> None:
        """Read until a question can be typed, and forget what has appeared so far."""
        self.until(text)
        self.seen += self.output
        self.output = ""

    def screen(self, rows: int = 60) -> list[str]:
        """Return the lines that a real terminal of this width shows, without empty ones at the end."""
        screen = pyte.Screen(self.columns, rows)
        pyte.Stream(screen).feed(self.seen + self.output)
        return "\n".join(line.rstrip() for line in screen.display).rstrip().split("\n")

    def type(self, text: str) -> None:
        os.write(self._master, text.encode())

    def end(self) -> tuple[int, str]:
        """Read to the end, and return the exit code and everything that appeared."""
        deadline = monotonic() + LIMIT
        while self._read(deadline, "the command to end"):
            pass
        try:
            code = self.process.wait(LIMIT)
        finally:
            self._close()
        return code, self.output

    def _read(self, deadline: float, waiting_for: str) -> str:
        """Read what has appeared; empty at the end. Fail if nothing appears before the deadline."""
        ready, _, _ = select.select([self._master], [], [], max(0.0, deadline - monotonic()))
        if not ready:
            self._close()
            pytest.fail(f"waited {LIMIT} s for {waiting_for}: {self.output!r}")
        try:
            piece = os.read(self._master, 65536).decode("utf-8", "replace")
        except OSError:  # the other end is closed
            return ""
        self.output += piece
        return piece

    def _close(self) -> None:
        """Kill the command if it is still running."""
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        if self._open:
            os.close(self._master)
            self._open = False


_MOVES = re.compile(r"(\r?\n|(?:\x1b\[\d+A)?\r\x1b\[[JK])")


def shown(output: str) -> list[str]:
    """Return the lines that are left on the screen, without colours."""
    lines = [""]
    for piece in _MOVES.split(output):
        if piece in ("\n", "\r\n"):
            lines.append("")
        elif moved := re.fullmatch(r"(?:\x1b\[(\d+)A)?\r\x1b\[[JK]", piece):
            del lines[len(lines) - 1 - int(moved[1] or 0) :]
            lines.append("")
        else:
            lines[-1] += piece
    return [re.sub(r"\x1b\[[0-9;]*m", "", line) for line in lines]
