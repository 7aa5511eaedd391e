"""Modes: whether a model can read in one pass, as its replies have shown so far."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal

_IN_A_ROW = 3  # windows in a row without a usable page that show that the model cannot read in one pass after all
_TRIALS = 2  # texts in a row that a model could not begin in one pass, after which it is not tried any more


@dataclass(slots=True)
class Modes:
    """The mode that suits a model, shared by all readings of an agent in the mode ``auto``.

    ``failed`` is the number of texts in a row that the model could not begin in one pass, also in earlier processes;
    ``keep`` is called when it changes. ``found`` is None until a reading has shown the mode, or several have failed.
    One reading finds it out at a time: whoever holds ``trying``.
    """

    failed: int = 0
    keep: Callable[[int], None] | None = field(default=None, repr=False)
    found: Literal["fast", "paper"] | None = None
    trying: asyncio.Lock = field(default_factory=asyncio.Lock, repr=False)
    _unusable: int = 0

    def __post_init__(self) -> None:
        if self.failed >= _TRIALS:
            self.found = "paper"

    def tried(self, *, usable: bool) -> None:
        """Note whether the model could begin a text in one pass."""
        self.found = "fast" if usable else "paper"
        failed = 0 if usable else self.failed + 1
        if failed != self.failed and self.keep is not None:
            self.keep(failed)
        self.failed = failed

    def read(self, *, usable: bool) -> None:
        """Note whether the model named a page in a window that it read in one pass."""
        self._unusable = 0 if usable else self._unusable + 1
        if self._unusable >= _IN_A_ROW and self.found == "fast":
            self.found = "paper"
