"""Headings of a book: those of its table of contents, and paragraphs that its style sheets show as headings."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from urllib.parse import unquote

from readagent.core.words import count_words
from readagent.loaders.blocks import Block
from readagent.loaders.html.tree import TEXT, Attributes, Element, classes_of, walk, words_in

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


Find = Callable[[str, str], str]  # path of a part, link in it -> path of the target

_NO_HEADING = re.compile(r"section ?\d+|unknown|untitled|start|title ?page|cover|\S+\.x?html?", re.IGNORECASE)
_LOOK_AHEAD = 3  # blocks between the target of an entry and its heading
_MAX_HEADING = 200  # characters


@dataclass(frozen=True, slots=True)
class Entry:
    """An entry of a table of contents: its label, its target (a path and an anchor), and its depth.

    ``has_children`` is true if deeper entries follow.
    """

    label: str
    path: str
    anchor: str
    depth: int
    has_children: bool = False


def entries_of(root: Element, path: str, find: Find) -> list[Entry]:
    """Return the entries of a table of contents in EPUB 3 or EPUB 2 format."""
    lists = root.css("nav") or root.css("navmap")
    tables = [one for one in lists if one.tag == "navmap" or _is_contents(one.attributes)] or lists[:1]
    if not tables:
        return []
    collector = _Collector(path, find)
    walk(tables[0], collector.enter, collector.leave)
    return _with_targets(collector.entries)


def _is_contents(attributes: Attributes) -> bool:
    return "toc" in (attributes.get("epub:type") or "").split() or attributes.get("role") == "doc-toc"


class _Collector:
    """Collects entries while walking over a table of contents, and tracks the depth."""

    def __init__(self, path: str, find: Find) -> None:
        self.entries: list[Entry] = []
        self._path = path
        self._find = find
        self._depth = 0
        self._label = ""

    def enter(self, node: Element) -> bool:
        tag = node.tag or ""
        self._depth += tag in ("ol", "ul", "navpoint")
        if tag == "navlabel":
            self._label = words_in(node)
            return False
        if tag == "content":
            self._add(self._label, node.attributes.get("src") or "")
            return False
        if tag in ("a", "span") and self._depth:
            self._add(words_in(node), node.attributes.get("href") or "" if tag == "a" else "")
            return False
        return tag[:1] != "-"

    def leave(self, node: Element) -> None:
        self._depth -= node.tag in ("ol", "ul", "navpoint")

    def _add(self, label: str, href: str) -> None:
        if label:
            path = self._find(self._path, href) if href else ""
            self.entries.append(Entry(label[:_MAX_HEADING], path, unquote(href.partition("#")[2]), self._depth))


def _with_targets(entries: list[Entry]) -> list[Entry]:
    """Return the entries; those without a link get the target of the next one."""
    found: list[Entry] = []
    for entry in reversed(entries):
        after = found[-1] if found else None
        entry = replace(entry, has_children=after is not None and after.depth > entry.depth)
        if entry.path:
            found.append(entry)
        elif after is not None:
            found.append(replace(entry, path=after.path, anchor=after.anchor))
    return found[::-1]


def with_headings(blocks: Sequence[Block], anchors: Mapping[str, int], entries: Sequence[Entry]) -> list[Block]:
    """Return the blocks of a part with the headings of its entries.

    If an entry points to a heading, that gets the depth of the entry, and later headings are shifted with it. If it
    points to a paragraph with the same text, that becomes the heading. Otherwise the label is added as a heading.
    """
    starts = _starts(blocks, anchors, entries)
    found: list[Block] = []
    depth = above = 0  # of the last entry, and the level of its heading in the document
    i = 0
    while i < len(blocks):
        here = starts.pop(i, ())
        before = i
        for entry in here:
            count = _heading_blocks(entry, blocks, i, alone=len(here) == 1)
            if not count and _NO_HEADING.fullmatch(entry.label):
                continue
            depth, above = entry.depth, blocks[i].heading if count else 0
            found.append(Block(blocks[i].text if count == 1 else entry.label, heading=depth))
            i += count
        if i == before:
            found.append(_below(blocks[i], depth, above))
            i += 1
    parts = (entry for start in sorted(starts) for entry in starts[start] if entry.has_children)
    return [*found, *(Block(entry.label, heading=entry.depth) for entry in parts)]


def _below(block: Block, depth: int, above: int) -> Block:
    """Return a block; a heading without an entry gets a level that fits below the last entry."""
    if not depth or not 0 < block.heading < BY_STYLE:
        return block
    deepened = block.heading + (depth - above if 0 < above < BY_STYLE else 0)
    return replace(block, heading=max(deepened, depth + 1 if block.heading > above else 1))


def _starts(
    blocks: Sequence[Block], anchors: Mapping[str, int], entries: Sequence[Entry]
) -> dict[int, Sequence[Entry]]:
    """Return the entries by the block where they start: their target, or the heading with the same text."""
    headings = {_plain(block.text): i for i, block in reversed(list(enumerate(blocks))) if block.heading}
    starts: dict[int, list[Entry]] = {}
    for entry in entries:
        start = anchors.get(entry.anchor, -1) if entry.anchor else 0
        named = headings.get(_plain(entry.label), -1)
        if start < 0 or start < named < start + _LOOK_AHEAD:
            start = named
        if start >= 0:
            starts.setdefault(start, []).append(entry)
    return dict(starts)


def _heading_blocks(entry: Entry, blocks: Sequence[Block], i: int, *, alone: bool) -> int:
    """Return how many blocks from this one on form the heading of an entry: none, one or two."""
    first = blocks[i] if i < len(blocks) else Block("")
    second = blocks[i + 1] if i + 1 < len(blocks) else Block("")
    if first.heading and (alone or _same(entry.label, first.text)):
        return 1
    if first.text and _plain(first.text) == _plain(entry.label):
        return 1
    two = first.text and second.text and len(first.text) + len(second.text) < _MAX_HEADING
    return 2 if two and _plain(first.text + second.text) == _plain(entry.label) else 0


def _same(label: str, heading: str) -> bool:
    ours, theirs = _plain(label), _plain(heading)
    return bool(ours and theirs) and (ours in theirs or theirs in ours)


def _plain(text: str) -> str:
    return "".join(character for character in text[: 2 * _MAX_HEADING].casefold() if character.isalnum())
