"""Prefixes: how much of a prompt is shared with earlier ones, so that a server with a prefix cache can skip it."""

from __future__ import annotations

_BLOCK = 256  # characters compared at once; servers cache prefixes in blocks of about this size
_MOST = 1 << 20  # maximum number of stored blocks


class Prefixes:
    """The prefixes of the prompts so far, as a set of hashes, one for each block with everything before it."""

    def __init__(self) -> None:
        self._seen: set[int] = set()

    def shared(self, prompt: str) -> int:
        """Return how many characters, in whole blocks, an earlier prompt shares, and store this prompt."""
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
