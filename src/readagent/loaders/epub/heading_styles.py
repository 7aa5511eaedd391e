"""Recognise headings by style: paragraphs in bold and larger type according to the style sheets.

Some programs write books without heading elements. The level of such a style is one below the heading before its first
use.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from readagent.core.words import count_words
from readagent.loaders.blocks import Block
from readagent.loaders.html.tree import TEXT, Attributes, Element, classes_of, words_in

BY_STYLE = 100  # levels from here on number a style and are not yet a depth
_RULE = re.compile(r"([^{}]{1,500})\{([^{}]{0,2000})\}")
_CLASS = re.compile(r"(?:p|span|div)?\.([\w-]+)")
_SIZE = re.compile(r"font-size\s*:\s*(\d{1,4}(?:\.\d{1,4})?)\s*(pt|px|em|rem|%)", re.IGNORECASE)
_BOLD = re.compile(r"font-weight\s*:\s*(?:bold|[6-9]00)|font\s*:[^;]*\bbold\b", re.IGNORECASE)
_ITALIC = re.compile(r"font-style\s*:\s*italic", re.IGNORECASE)
_BASE_SIZES = {"pt": 12.0, "px": 16.0, "em": 1.0, "rem": 1.0, "%": 100.0}
_MIN_SIZE = 1.1  # relative to running text
_MAX_WORDS = 14
_MAX_CHARACTERS = 150
_MAX_RULES = 5000


@dataclass(frozen=True, slots=True)
class TextStyle:
    """The style of text: its size relative to running text, and whether it is bold or italic."""

    size: float = 1.0
    bold: bool = False
    italic: bool = False


class HeadingStyles:
    """The styles that the style sheets of a book define, and those that its headings use."""

    def __init__(self, style_sheets: Iterable[str]) -> None:
        self._styles: dict[str, TextStyle] = {}
        for sheet in style_sheets:
            for selectors, body in _RULE.findall(sheet)[:_MAX_RULES]:
                for selector in selectors.split(","):
                    if found := _CLASS.fullmatch(selector.strip()):
                        self._styles[found[1].lower()] = _style(body)
        self._headings: list[TextStyle] = []

    def level(self, node: Element, tag: str, attributes: Attributes) -> int:
        """Return a level from ``BY_STYLE`` on if a paragraph looks like a heading, one per style; otherwise 0."""
        words = words_in(node) if tag == "p" else ""
        if not words or len(words) > _MAX_CHARACTERS or words[-1] in ".,;:" or count_words(words) > _MAX_WORDS:
            return 0
        style = self._style_of(node)
        if not style.bold or style.size < _MIN_SIZE:
            return 0
        if style not in self._headings:
            self._headings.append(style)
        return BY_STYLE + self._headings.index(style)

    def _style_of(self, node: Element) -> TextStyle:
        """Return the style of a paragraph that has a single style, and the plain style for any other."""
        style = TextStyle()
        inner: Element | None = node
        while inner is not None:
            for name in classes_of(inner.attributes):
                found = self._styles.get(name, TextStyle())
                size = found.size if found.size != 1 else style.size
                style = TextStyle(size, style.bold or found.bold, style.italic or found.italic)
            style = replace(style, bold=style.bold or inner.tag in ("b", "strong"))
            children = [one for one in _children(inner) if not _is_blank(one)]
            inner = children[0] if len(children) == 1 and children[0].tag != TEXT else None
            if len(children) > 1:
                return TextStyle()
        return style


def resolve_levels(blocks: Sequence[Block]) -> list[Block]:
    """Replace the levels of styles by depths: one deeper than the heading before the first use of the style."""
    depths: dict[int, int] = {}
    found: list[Block] = []
    last = 0
    for block in blocks:
        if block.heading >= BY_STYLE:
            block = replace(block, heading=depths.setdefault(block.heading, last + 1))
        last = block.heading or last
        found.append(block)
    return found


def _style(body: str) -> TextStyle:
    size = _SIZE.search(body)
    relative = float(size[1]) / _BASE_SIZES[size[2].lower()] if size else 1.0
    return TextStyle(round(relative, 2), bool(_BOLD.search(body)), bool(_ITALIC.search(body)))


def _children(node: Element) -> Iterable[Element]:
    child = node.first_child
    while child is not None:
        yield child
        child = child.next


def _is_blank(node: Element) -> bool:
    return node.tag == TEXT and not (node.text_content or "").strip()
