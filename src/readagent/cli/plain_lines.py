"""What is told about waiting where no line can be drawn again, as in a pipe or with TERM=dumb: now and then a line."""

from __future__ import annotations

from time import monotonic
from typing import TextIO

from readagent.cli.screen import safe

_LONG = 4.0  # seconds; shorter waits are not told, nor that a wait lasts so much longer than was told
_FIRST, _FIRST_IN_PIPE = 10.0, 30.0  # seconds until the first line that says what is being done
_RAREST = 600.0  # seconds between such lines; the time doubles with each

WIDTH = 200  # characters of a line


class PlainLines:
    """Writes lines to a stream: one for a long wait, and others, more and more rarely, while something is done."""

    def __init__(self, stream: TextIO | None) -> None:
        self._stream = stream
        self._every = _FIRST if stream is not None and stream.isatty() else _FIRST_IN_PIPE
        self._next = monotonic() + self._every
        self._told_until = 0.0  # the end of the last wait that was told

    @property
    def due(self) -> bool:
        """Whether it is time to say what is being done."""
        return monotonic() >= self._next

    def wait(self, seconds: float, reason: str) -> None:
        """Tell that something is waited for, unless it is short or lasts hardly longer than a wait that was told."""
        until = monotonic() + seconds
        if seconds >= _LONG and until > self._told_until + _LONG:
            self._told_until = until
            self._next = max(self._next, until)
            self._write(f"waiting {seconds:.0f} s: {reason}")

    def tell(self, line: str) -> None:
        """Write what is being done, and let the next such line come later."""
        self._every = min(_RAREST, 2 * self._every)
        self._next = monotonic() + self._every
        self._write(line)

    def _write(self, line: str) -> None:
        if self._stream is not None:
            self._stream.write(f"{safe(line)}\n")
            self._stream.flush()
