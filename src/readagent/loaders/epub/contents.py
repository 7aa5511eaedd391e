"""The table of contents of a book, and the headings that it gives to the text: those that are missing, and how deep."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from urllib.parse import unquote

from readagent.loaders.blocks import Block
from readagent.loaders.epub.heading_styles import BY_LOOK
from readagent.loaders.html.tree import Attributes, Element, walk, words_in

Find = Callable[[str, str], str]  # the path of what a part points to, by the path of the part and the link in it

_NO_HEADING = re.compile(r"section ?\d+|unknown|untitled|start|title ?page|cover|\S+\.x?html?", re.IGNORECASE)
_LOOK_AHEAD = 3  # blocks between where an entry points to and its heading
_LONGEST = 200  # characters of a heading


@dataclass(frozen=True, slots=True)
class Entry:
    """A line of a table of contents: its words, where it points to (a path and a name in it), how deep it stands.

    ``holds`` says that there are deeper ones below it.
    """

    label: str
    path: str
    name: str
    depth: int
    holds: bool = False


def entries_of(root: Element, path: str, find: Find) -> list[Entry]:
    """The entries of a table of contents, in EPUB 3's form or in EPUB 2's."""
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
    """Walks over a table of contents, and counts how many lists or points are open."""

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
            self.entries.append(Entry(label[:_LONGEST], path, unquote(href.partition("#")[2]), self._depth))


def _with_targets(entries: list[Entry]) -> list[Entry]:
    """The entries, those without a link of their own pointing to where the next one does."""
    pointing: list[Entry] = []
    for entry in reversed(entries):
        after = pointing[-1] if pointing else None
        entry = replace(entry, holds=after is not None and after.depth > entry.depth)
        if entry.path:
            pointing.append(entry)
        elif after is not None:
            pointing.append(replace(entry, path=after.path, name=after.name))
    return pointing[::-1]


def headed(blocks: Sequence[Block], places: Mapping[str, int], entries: Sequence[Entry]) -> list[Block]:
    """The blocks of a document with the headings that the entries for it call for.

    Where an entry points to a heading, that gets the entry's depth, and the headings after it go with it; where it
    points to a paragraph with the same words, that is the heading; else the entry's words become one.
    """
    starts = _starts(blocks, places, entries)
    found: list[Block] = []
    depth = above = 0  # of the last entry, and what the level of its heading was in the document
    i = 0
    while i < len(blocks):
        here = starts.pop(i, ())
        before = i
        for entry in here:
            taken = _taken(entry, blocks, i, alone=len(here) == 1)
            if not taken and _NO_HEADING.fullmatch(entry.label):
                continue
            depth, above = entry.depth, blocks[i].heading if taken else 0
            found.append(Block(blocks[i].text if taken == 1 else entry.label, heading=depth))
            i += taken
        if i == before:
            found.append(_below(blocks[i], depth, above))
            i += 1
    parts = (entry for start in sorted(starts) for entry in starts[start] if entry.holds)
    return [*found, *(Block(entry.label, heading=entry.depth) for entry in parts)]


def _below(block: Block, depth: int, above: int) -> Block:
    """A block; where it is a heading that has no entry, as deep as it should be below the last one that has."""
    if not depth or not 0 < block.heading < BY_LOOK:
        return block
    deepened = block.heading + (depth - above if 0 < above < BY_LOOK else 0)
    return replace(block, heading=max(deepened, depth + 1 if block.heading > above else 1))


def _starts(blocks: Sequence[Block], places: Mapping[str, int], entries: Sequence[Entry]) -> dict[int, Sequence[Entry]]:
    """At which block each entry starts: where it points to, or at the heading with its words."""
    headings = {_plain(block.text): i for i, block in reversed(list(enumerate(blocks))) if block.heading}
    starts: dict[int, list[Entry]] = {}
    for entry in entries:
        start = places.get(entry.name, -1) if entry.name else 0
        named = headings.get(_plain(entry.label), -1)
        if start < 0 or start < named < start + _LOOK_AHEAD:
            start = named
        if start >= 0:
            starts.setdefault(start, []).append(entry)
    return dict(starts)


def _taken(entry: Entry, blocks: Sequence[Block], i: int, *, alone: bool) -> int:
    """How many blocks from this one on are the heading that an entry calls for: none, one, or two."""
    first = blocks[i] if i < len(blocks) else Block("")
    second = blocks[i + 1] if i + 1 < len(blocks) else Block("")
    if first.heading and (alone or _same(entry.label, first.text)):
        return 1
    if first.text and _plain(first.text) == _plain(entry.label):
        return 1
    two = first.text and second.text and len(first.text) + len(second.text) < _LONGEST
    return 2 if two and _plain(first.text + second.text) == _plain(entry.label) else 0


def _same(label: str, heading: str) -> bool:
    ours, theirs = _plain(label), _plain(heading)
    return bool(ours and theirs) and (ours in theirs or theirs in ours)


def _plain(text: str) -> str:
    return "".join(character for character in text[: 2 * _LONGEST].casefold() if character.isalnum())
