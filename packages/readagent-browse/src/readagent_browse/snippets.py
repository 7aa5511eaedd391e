"""Cut a page into snippets: elements at a target depth, split if they are long, joined if they are tiny.

The snippets cover the page in its order: every text and every usable element is in exactly one of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import log

from readagent.core.words import WordIndex, count_words
from readagent_browse.dom import Element, Node, Snapshot
from readagent_browse.render import opening_tag, render

WORDS = 300  # maximum words of a snippet
DEPTHS = (5, 6, 7)
_TINY = 0.2  # a piece with less than this share of the maximum is joined with its neighbour


@dataclass(frozen=True, slots=True)
class Snippet:
    """A part of a page as prompts show it, with the paths of the elements it consists of."""

    index: int
    html: str
    words: int
    elements: tuple[Element, ...]
    paths: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Piece:
    """A whole node, or with ``html`` only its opening tag or one of its texts; ``words`` is approximate."""

    node: Node
    words: int
    html: str = ""

    def render(self) -> str:
        """Return the piece as prompts show it."""
        return self.html or render(self.node)

    def ids(self) -> Iterator[str]:
        """Yield the ids of the usable elements in the piece."""
        if not self.html:
            yield from (node.id for node in self.node.walk() if node.id)
        elif self.node.id and self.html.startswith("<"):
            yield self.node.id


def cut(snapshot: Snapshot, words: int = WORDS, depth: int | None = None) -> tuple[Snippet, ...]:
    """Return the page in snippets of at most this many words.

    They are the elements at ``depth``, or at the depth whose elements are closest to this size.
    """
    cutter = Cutter(words)
    cutter.count(snapshot.root)
    candidates = [cutter.pieces(snapshot.root, level) for level in (DEPTHS if depth is None else (depth,))]
    best = min(candidates, key=lambda pieces: unevenness([piece.words for piece in pieces], words))
    known = {element.id: element for element in snapshot.elements}
    groups = cutter.join_tiny([part for piece in best for part in cutter.split(piece)])
    return tuple(_snippet(index, group, known) for index, group in enumerate(groups))


def _snippet(index: int, group: Sequence[Piece], known: Mapping[str, Element]) -> Snippet:
    html = "\n".join(piece.render() for piece in group)
    elements = tuple(known[name] for piece in group for name in piece.ids())
    return Snippet(index, html, count_words(html), elements, tuple(dict.fromkeys(piece.node.path for piece in group)))


def unevenness(sizes: Sequence[int], words: int) -> float:
    """Return how far the sizes are from ``words``, weighted by size: 0 if all are equal to it."""
    return sum(size * abs(log(size / words)) for size in sizes if size) / max(1, sum(sizes))


@dataclass(slots=True)
class Cutter:
    """Cuts one page. ``words`` is the size wanted; ``sizes`` are the words of each node by its path."""

    words: int
    sizes: dict[str, int] = field(default_factory=dict)

    def count(self, node: Node) -> int:
        """Count the words of a node and of all its descendants."""
        inside = (count_words(child) if isinstance(child, str) else self.count(child) for child in node.children)
        tag = opening_tag(node)
        closing = bool(tag) and not node.id  # the closing tag of a block counts as a word of its own
        self.sizes[node.path] = sum(inside) + count_words(tag) + closing
        return self.sizes[node.path]

    def pieces(self, node: Node, depth: int) -> list[Piece]:
        """Return the nodes at this depth, the content above them, and nodes that are too small to divide."""
        size = self.sizes[node.path]
        if node.depth >= depth or size < _TINY * self.words or node.tag == "select":
            return [Piece(node, size)]
        return [
            piece for part in self._parts(node) for piece in ([part] if part.html else self.pieces(part.node, depth))
        ]

    def _parts(self, node: Node) -> Iterator[Piece]:
        """Yield the opening tag of a node and each of its children."""
        if tag := opening_tag(node):
            yield Piece(node, count_words(tag), tag)
        for child in node.children:
            if isinstance(child, str):
                yield Piece(node, count_words(child), child)
            else:
                yield Piece(child, self.sizes[child.path])

    def split(self, piece: Piece) -> Iterator[Piece]:
        """Yield the piece, or parts of it that are no longer than wanted."""
        if piece.words <= self.words:
            yield piece
        elif not piece.html:
            for part in self._parts(piece.node):
                yield from self.split(part)
        elif piece.html.startswith("<"):  # a tag cannot be split
            yield piece
        else:
            index, start = WordIndex(piece.html), 0
            while start < len(piece.html):
                end = index.after(start, self.words)
                yield Piece(piece.node, min(self.words, piece.words), piece.html[start:end].strip())
                start = end

    def join_tiny(self, pieces: Sequence[Piece]) -> list[list[Piece]]:
        """Group neighbours if one of them is tiny and both fit into one snippet."""
        groups: list[list[Piece]] = []
        size = 0
        for piece in pieces:
            tiny = min(size, piece.words) < _TINY * self.words
            if groups and tiny and size + piece.words <= self.words:
                groups[-1].append(piece)
                size += piece.words
            else:
                groups.append([piece])
                size = piece.words
        return groups
