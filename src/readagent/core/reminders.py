"""Reminders: whether it helps to remind a model that its gists are too long."""

from __future__ import annotations

from dataclasses import dataclass

_ENOUGH = 5  # reminders in a row without effect, after which there are no more
_SHORTER = 0.8  # share of its words that a gist has at most after a reminder that had an effect


@dataclass(slots=True)
class Reminders:
    """The reminders of one run that gists are too long. ``useful`` is False once several in a row had no effect."""

    _ignored: int = 0

    @property
    def useful(self) -> bool:
        return self._ignored < _ENOUGH

    def sent(self, before: int, after: int) -> None:
        """Note how many words gists had before a reminder and after it."""
        self._ignored = 0 if after <= _SHORTER * before else self._ignored + 1
