"""Lines on the standard error of a terminal: predictions made and failed while a study runs, or documents searched."""

from __future__ import annotations

import sys
from typing import Protocol

from readagent.cli.screen import redraws
from readagent.core.events import Event, Waiting


class Predicted(Protocol):
    """What is counted. ``error`` is empty unless it failed."""

    @property
    def error(self) -> str: ...


class PredictionCounter:
    """Counts up to ``total``, starting at the number of predictions that are ``done`` already.

    ``what`` names what is counted.
    """

    def __init__(self, total: int, done: int = 0, what: str = "predictions") -> None:
        self._total = total
        self._what = what
        self._done = done
        self._failed = 0
        self._shown = redraws(sys.stderr)

    def __call__(self, prediction: Predicted) -> None:
        self._failed += bool(prediction.error)
        self.count()

    def count(self, *_: object) -> None:
        """Count one more that has not failed."""
        self._done += 1
        self._draw()

    def listen(self, event: Event) -> None:
        """Show a wait until the next prediction."""
        if isinstance(event, Waiting):
            self._draw(f"; waiting {event.seconds:.0f} s: {event.reason}")

    def _draw(self, more: str = "") -> None:
        if self._shown:
            failed = f", {self._failed} failed" if self._failed else ""
            sys.stderr.write(f"\r\x1b[K{self._done} of {self._total} {self._what}{failed}{more}")
            sys.stderr.flush()

    def __enter__(self) -> PredictionCounter:
        return self

    def __exit__(self, *_: object) -> None:
        if self._shown:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()
