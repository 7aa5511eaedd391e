"""Prefixes: how much of a prompt earlier ones began with, which a server that keeps prefixes need not read again."""

from __future__ import annotations

_BLOCK = 256  # characters that are compared at once; servers keep prefixes in blocks of about as many
_MOST = 1 << 20  # blocks that are remembered


class Prefixes:
    """The beginnings of the prompts so far, each block remembered along with all that stands before it."""

    def __init__(self) -> None:
        self._seen: set[int] = set()

    def shared(self, prompt: str) -> int:
        """Characters, in whole blocks, with which an earlier prompt began too; this one is remembered."""
        known, before = 0, 0
        for at in range(0, len(prompt) - _BLOCK + 1, _BLOCK):
            before = hash((before, prompt[at : at + _BLOCK]))
            if known == at and before in self._seen:
                known = at + _BLOCK
            elif len(self._seen) < _MOST:
                self._seen.add(before)
            else:
                break
        return known
