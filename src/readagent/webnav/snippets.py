"""The pages of a page: elements at a target depth with all that is in them, split where long, joined where tiny.

The snippets tile the page in its order: every text and every element that can be acted on lies in exactly one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import log

from readagent.core.words import WordIndex, count_words
from readagent.webnav.dom import Element, Node, Snapshot
from readagent.webnav.render import opening_tag, render

WORDS = 300  # of a snippet, at most
DEPTHS = (5, 6, 7)
_TINY = 0.2  # of those words: what has fewer is joined with its neighbour


@dataclass(frozen=True, slots=True)
class Snippet:
    """A part of a page as it is shown, and where it is from: the paths of the elements that it is made of."""

    index: int
    html: str
    words: int
    elements: tuple[Element, ...]
    paths: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Piece:
    """A node with all that is in it, or else the opening tag of one or a text; ``words`` are about as many."""

    node: Node
    words: int
    html: str = ""

    def render(self) -> str:
        """As a model sees it."""
        return self.html or render(self.node)

    def ids(self) -> Iterator[str]:
        """The ids of the elements in it that can be acted on."""
        if not self.html:
            yield from (one.id for one in self.node.walk() if one.id)
        elif self.node.id and self.html.startswith("<"):
            yield self.node.id


def cut(snapshot: Snapshot, words: int = WORDS, depth: int | None = None) -> tuple[Snippet, ...]:
    """The page in snippets of at most so many words, from elements at this depth, or at the one that cuts best."""
    cutter = Cutter(words)
    cutter.count(snapshot.root)
    found = [cutter.pieces(snapshot.root, one) for one in (DEPTHS if depth is None else (depth,))]
    best = min(found, key=lambda pieces: unevenness([piece.words for piece in pieces], words))
    known = {element.id: element for element in snapshot.elements}
    groups = cutter.join_tiny([small for piece in best for small in cutter.split(piece)])
    return tuple(_snippet(index, group, known) for index, group in enumerate(groups))


def _snippet(index: int, group: Sequence[Piece], known: Mapping[str, Element]) -> Snippet:
    html = "\n".join(piece.render() for piece in group)
    elements = tuple(known[name] for piece in group for name in piece.ids())
    return Snippet(index, html, count_words(html), elements, tuple(dict.fromkeys(piece.node.path for piece in group)))


def unevenness(sizes: Sequence[int], words: int) -> float:
    """How far pieces are from this many words, on the average word: 0 where every one has just as many."""
    return sum(size * abs(log(size / words)) for size in sizes if size) / max(1, sum(sizes))


@dataclass(slots=True)
class Cutter:
    """A page being cut: the words wanted, and the words that each node has with all that is in it."""

    words: int
    sizes: dict[str, int] = field(default_factory=dict)

    def count(self, node: Node) -> int:
        """Count the words of a node and of all nodes in it."""
        inside = (count_words(one) if isinstance(one, str) else self.count(one) for one in node.children)
        tag = opening_tag(node)
        end = bool(tag) and not node.id  # the closing tag of a block stands by itself
        self.sizes[node.path] = sum(inside) + count_words(tag) + end
        return self.sizes[node.path]

    def pieces(self, node: Node, depth: int) -> list[Piece]:
        """The nodes at this depth, whole, what stands above them, and what is too small to be taken apart."""
        size = self.sizes[node.path]
        if node.depth >= depth or size < _TINY * self.words or node.tag == "select":
            return [Piece(node, size)]
        return [
            piece for part in self._parts(node) for piece in ([part] if part.html else self.pieces(part.node, depth))
        ]

    def _parts(self, node: Node) -> Iterator[Piece]:
        """A node taken apart: its opening tag, and what is in it."""
        if tag := opening_tag(node):
            yield Piece(node, count_words(tag), tag)
        for child in node.children:
            if isinstance(child, str):
                yield Piece(node, count_words(child), child)
            else:
                yield Piece(child, self.sizes[child.path])

    def split(self, piece: Piece) -> Iterator[Piece]:
        """A piece as it is, or in parts that have no more words than wanted."""
        if piece.words <= self.words:
            yield piece
        elif not piece.html:
            for part in self._parts(piece.node):
                yield from self.split(part)
        elif piece.html.startswith("<"):  # a tag, which cannot be cut
            yield piece
        else:
            index, start = WordIndex(piece.html), 0
            while start < len(piece.html):
                end = index.after(start, self.words)
                yield Piece(piece.node, min(self.words, piece.words), piece.html[start:end].strip())
                start = end

    def join_tiny(self, pieces: Sequence[Piece]) -> list[list[Piece]]:
        """Neighbours put together where one of them is tiny and both have room in one snippet."""
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
