"""Prefixes: how much of a prompt is shared with earlier ones, so that a server with a prefix cache can skip it."""

from __future__ import annotations

_BLOCK = 256  # characters compared at once; servers cache prefixes in blocks of about this size
_MOST = 1 << 14  # blocks that are stored at least, and half of what is stored at most


class Prefixes:
    """The prefixes of the latest prompts, as sets of hashes, one for each block with everything before it.

    What was not used for a long time is forgotten, as a server does, so that memory stays bounded.
    """

    def __init__(self) -> None:
        self._latest: set[int] = set()
        self._older: set[int] = set()

    def shared(self, prompt: str) -> int:
        """Return how many characters, in whole blocks, an earlier prompt shares, and store this prompt."""
        known, before = 0, 0
        latest, older = self._latest, self._older
        for at in range(0, len(prompt) - _BLOCK + 1, _BLOCK):
            before = hash((before, prompt[at : at + _BLOCK]))
            if known == at and (before in latest or before in older):
                known = at + _BLOCK
            latest.add(before)
        if len(latest) >= _MOST:
            self._latest, self._older = set(), latest
        return known
