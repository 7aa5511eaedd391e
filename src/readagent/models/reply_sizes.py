"""ReplySizes: how long replies are on average, to expect that of the next one."""

from __future__ import annotations

from collections import Counter


class ReplySizes:
    """The mean tokens of the replies to each step; 0 before the first reply."""

    def __init__(self) -> None:
        self._tokens: Counter[str] = Counter()
        self._replies: Counter[str] = Counter()

    def add(self, step: str, tokens: int) -> None:
        """Record a reply."""
        self._tokens[step] += tokens
        self._replies[step] += 1

    def expected(self, step: str) -> int:
        """Return the tokens to expect of a reply."""
        return self._tokens[step] // self._replies[step] if self._replies[step] else 0
