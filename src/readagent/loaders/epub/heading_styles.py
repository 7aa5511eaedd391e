"""Headings that are set like headings but not called so: paragraphs in bold and larger type, as style sheets say.

Some programs write books so. How deep such a heading stands, its first appearance tells: below the one before it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from readagent.core.words import count_words
from readagent.loaders.blocks import Block
from readagent.loaders.html.tree import TEXT, Attributes, Element, classes_of, words_in

BY_LOOK = 100  # headings from this level on are numbered by their look, not by their depth
_RULE = re.compile(r"([^{}]{1,500})\{([^{}]{0,2000})\}")
_CLASS = re.compile(r"(?:p|span|div)?\.([\w-]+)")
_SIZE = re.compile(r"font-size\s*:\s*(\d{1,4}(?:\.\d{1,4})?)\s*(pt|px|em|rem|%)", re.IGNORECASE)
_BOLD = re.compile(r"font-weight\s*:\s*(?:bold|[6-9]00)|font\s*:[^;]*\bbold\b", re.IGNORECASE)
_ITALIC = re.compile(r"font-style\s*:\s*italic", re.IGNORECASE)
_NORMAL = {"pt": 12.0, "px": 16.0, "em": 1.0, "rem": 1.0, "%": 100.0}
_LARGER = 1.1  # than the type of the text
_MOST_WORDS = 14
_LONGEST = 150  # characters
_MOST_STYLES = 5000


@dataclass(frozen=True, slots=True)
class Look:
    """How text is set: its size against that of running text, and whether it is bold or italic."""

    size: float = 1.0
    bold: bool = False
    italic: bool = False


class Looks:
    """The looks that the style sheets of a book define, and which of them its headings have."""

    def __init__(self, style_sheets: Iterable[str]) -> None:
        self._looks: dict[str, Look] = {}
        for sheet in style_sheets:
            for selectors, body in _RULE.findall(sheet)[:_MOST_STYLES]:
                for selector in selectors.split(","):
                    if found := _CLASS.fullmatch(selector.strip()):
                        self._looks[found[1].lower()] = _look(body)
        self._headings: list[Look] = []

    def heading(self, node: Element, tag: str, attributes: Attributes) -> int:
        """A level from ``BY_LOOK`` on where a paragraph is set like a heading, the same for the same look; else 0."""
        words = words_in(node) if tag == "p" else ""
        if not words or len(words) > _LONGEST or words[-1] in ".,;:" or count_words(words) > _MOST_WORDS:
            return 0
        look = self._of(node, attributes)
        if not look.bold or look.size < _LARGER:
            return 0
        if look not in self._headings:
            self._headings.append(look)
        return BY_LOOK + self._headings.index(look)

    def _of(self, node: Element, attributes: Attributes) -> Look:
        """The look of a paragraph that is set in one look; a plain one of any other."""
        look = Look()
        inner: Element | None = node
        while inner is not None:
            for name in classes_of(inner.attributes):
                found = self._looks.get(name, Look())
                size = found.size if found.size != 1 else look.size
                look = Look(size, look.bold or found.bold, look.italic or found.italic)
            look = replace(look, bold=look.bold or inner.tag in ("b", "strong"))
            inside = [one for one in _inside(inner) if not _is_blank(one)]
            inner = inside[0] if len(inside) == 1 and inside[0].tag != TEXT else None
            if len(inside) > 1:
                return Look()
        return look


def by_depth(blocks: Sequence[Block]) -> list[Block]:
    """The blocks, headings known by their look as deep as that look: one deeper than what it first stands below."""
    depths: dict[int, int] = {}
    found: list[Block] = []
    last = 0
    for block in blocks:
        if block.heading >= BY_LOOK:
            block = replace(block, heading=depths.setdefault(block.heading, last + 1))
        last = block.heading or last
        found.append(block)
    return found


def _look(body: str) -> Look:
    size = _SIZE.search(body)
    relative = float(size[1]) / _NORMAL[size[2].lower()] if size else 1.0
    return Look(round(relative, 2), bool(_BOLD.search(body)), bool(_ITALIC.search(body)))


def _inside(node: Element) -> Iterable[Element]:
    child = node.first_child
    while child is not None:
        yield child
        child = child.next


def _is_blank(node: Element) -> bool:
    return node.tag == TEXT and not (node.text_content or "").strip()
