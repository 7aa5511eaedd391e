"""Which gists the memory shows: one for each page, and where these are too many, one for several older pages.

The choice depends on the number of pages alone. With one more page, it is the same and one more, or the oldest gists
have been joined: the text before them stays as it is.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

_MOST_JOINED = 8


@dataclass(frozen=True, slots=True)
class Node:
    """The pages from ``start`` to before ``end``: a page, or several ``parts`` whose gists are joined."""

    start: int
    end: int
    level: int = 0
    parts: tuple[Node, ...] = ()

    @property
    def tag(self) -> str:
        """The tag above its gist."""
        return f"<Page {self.start}>" if not self.parts else f"<Page {self.start} to {self.end - 1}>"


@lru_cache(maxsize=256)
def overview(pages: int, most: int) -> tuple[Node, ...]:
    """Return at most ``most`` nodes that cover so many pages."""
    nodes = list[Node]()
    for page in range(pages):
        nodes.append(Node(page, page + 1))
        if len(nodes) > most:
            start, end = _to_join(nodes, max(2, min(_MOST_JOINED, most // 2)))
            parts = tuple(nodes[start:end])
            level = 1 + max(part.level for part in parts)
            nodes[start:end] = [Node(parts[0].start, parts[-1].end, level, parts)]
    return tuple(nodes)


def _to_join(nodes: list[Node], wanted: int) -> tuple[int, int]:
    """Return the oldest nodes of one level that are as many as wanted, or else the longest run, or the oldest two."""
    best = (0, min(2, len(nodes)))
    start = 0
    for at in range(1, len(nodes) + 1):
        if at < len(nodes) and nodes[at].level == nodes[start].level and at - start < wanted:
            continue
        if at - start == wanted:
            return start, at
        if at - start > best[1] - best[0]:
            best = start, at
        start = at
    return best
