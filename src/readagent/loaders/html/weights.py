"""How much text each element of a page holds, how much of it links, and how much running text: found in one walk."""

from __future__ import annotations

from dataclasses import dataclass

from readagent.loaders.html.tree import TEXT, Element, Skip, walk
from readagent.loaders.html.visibility import NO_TEXT, unseen

_PROSE = 80  # letters of a paragraph's own text from which on it is running text
_MOST_LINKS = 0.35  # of running text
_FLOWING = frozenset("a abbr acronym b bdi bdo big cite code del dfn em font i ins kbd mark math nobr q ruby s samp"
                     " small span strike strong sub sup time tt u var wbr".split())  # fmt: skip


@dataclass(slots=True)
class Weight:
    """Characters of text in an element, those of them in links, those in running text; its links and its headings."""

    text: int = 0
    linking: int = 0
    prose: int = 0
    links: int = 0
    titles: int = 0  # headings of the first level
    headings: int = 0  # and of the second

    @property
    def linked(self) -> float:
        """The share of the text that is links."""
        return self.linking / self.text if self.text else 0.0

    def add(self, other: Weight) -> None:
        """Weigh the other as well."""
        self.text += other.text
        self.linking += other.linking
        self.prose += other.prose
        self.links += other.links
        self.titles += other.titles
        self.headings += other.headings


def weigh(root: Element, skip: Skip | None = None) -> dict[int, Weight]:
    """The weight of every element below and with the root, by its number. What is not to be seen weighs nothing."""
    scales = _Scales(skip)
    walk(root, scales.enter, scales.leave)
    return scales.weights


class _Scales:
    def __init__(self, skip: Skip | None) -> None:
        self._skip = skip
        self.weights: dict[int, Weight] = {}
        self._open: list[tuple[Weight, Weight]] = []  # each open element: all in it, and what stands in it directly
        self._links = 0

    def enter(self, node: Element) -> bool:
        tag = node.tag
        if tag == TEXT:
            size = len("".join((node.text_content or "").split()))
            for weight in self._open[-1] if self._open else ():
                weight.text += size
                weight.linking += size if self._links else 0
            return False
        if tag is None or tag[0] == "-" or tag in NO_TEXT:
            return False
        attributes = node.attributes
        if ((attributes or tag == "dialog") and unseen(node, tag, attributes)) or (
            self._skip and self._skip(node, tag, attributes)
        ):
            return False
        link = tag == "a" and "href" in attributes
        self._links += link
        weight = Weight(links=int(link), titles=int(tag == "h1"), headings=int(tag in ("h1", "h2")))
        self.weights[node.mem_id] = weight
        self._open.append((weight, Weight()))
        return True

    def leave(self, node: Element) -> None:
        weight, own = self._open.pop()
        tag = node.tag or ""
        self._links -= tag == "a" and "href" in node.attributes
        if tag not in _FLOWING and own.text >= _PROSE and own.linked <= _MOST_LINKS:
            weight.prose += own.text
        if not self._open:
            return
        around, beside = self._open[-1]
        around.add(weight)
        if tag in _FLOWING:
            beside.add(own)
