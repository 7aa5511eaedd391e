"""Which gists the memory shows: one for each page, and where these are too many, one for several older pages.

The choice depends on the number of pages alone. With one more page, it is the same and one more, as long as there is
space. Then so many are joined at once that about half of the space is free, which does not happen often.
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


def joined(node: Node) -> int:
    """Return how many gists are made by joining others, for a node and its parts."""
    return bool(node.parts) + sum(map(joined, node.parts))


@lru_cache(maxsize=256)
def overview(pages: int, most: int) -> tuple[Node, ...]:
    """Return at most ``most`` nodes that cover so many pages."""
    nodes = list[Node]()
    for page in range(pages):
        nodes.append(Node(page, page + 1))
        if len(nodes) > most:
            _join(nodes, most)
    return tuple(nodes)


def _join(nodes: list[Node], most: int) -> None:
    """Join nodes until only half of the space is taken, or a little more if that needs less than a full group."""
    wanted = max(2, min(_MOST_JOINED, most // 2 + 2))
    while len(nodes) > max(1, most // 2):
        start, end = _to_join(nodes, wanted)
        if end - start < wanted and len(nodes) <= most * 3 // 4:
            return
        parts = tuple(nodes[start:end])
        level = 1 + max(part.level for part in parts)
        nodes[start:end] = [Node(parts[0].start, parts[-1].end, level, parts)]


def _to_join(nodes: list[Node], wanted: int) -> tuple[int, int]:
    """Return the oldest nodes of the lowest level that has as many as wanted, or else the longest run of one level.

    Levels fall from the oldest to the newest node, so that what stands before these nodes stays as it is.
    """
    runs, start = list[tuple[int, int]](), 0
    for at in range(1, len(nodes) + 1):
        if at == len(nodes) or nodes[at].level != nodes[start].level:
            runs.append((start, min(at, start + wanted)))
            start = at
    start, end = max(reversed(runs), key=lambda run: run[1] - run[0])
    return (start, end) if end - start > 1 else (0, 2)
