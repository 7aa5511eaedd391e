"""Chapters of a plain text: which of its lines are headings, on which level, and the paragraphs they make.

Caution comes first: a line is a heading where such lines count on from one to the next with text between them, or
where it is one of a few words ("PREFACE") alone in its paragraph. What counts on without text between is a list of
contents.
"""

from __future__ import annotations

import itertools
import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from statistics import median

from readagent.core.document import Document, Paragraph
from readagent.core.words import count_words
from readagent.loaders.text.headings import CONTENTS, Candidate, candidates, one_a_line
from readagent.loaders.text.lines import with_line_feeds

_MOST = 50_000  # a text with more lines that may be headings is a list of something
_LEAST_BODY = 30  # words that stand between two headings, mostly
_CONTENTS_SHARE = 0.2  # a list of contents has less than this between its entries, of what the chapters have
_FAR = 20_000  # characters; what lies between two headings is measured so far
_TITLE_WORDS = 15
_CAPITAL_TITLE_WORDS = 60
_HABIT = 0.7
_NUMERALS = ("arabic", "roman", "roman titled", "section")
_CLOSED = re.compile(r"[.!?…:;。！？\"'”’»)\]*_—-]\s*$")
_BLOCK = re.compile(r"(?:[^\S\n]*+\S[^\n]*+\n?){1,5}+")
_LINE = re.compile(r"[^\n]*+\n?")


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading is ``text[start:end]``, the white space after it included; the outermost level is 1."""

    start: int
    end: int
    level: int


def mark(document: Document) -> Document:
    """The same document with its headings known, each a paragraph of its own; the text is left as it is."""
    found = headings(with_line_feeds(document.text))
    return replace(document, paragraphs=_cut(document.text, document.paragraphs, found)) if found else document


def headings(text: str) -> list[Heading]:
    """The headings of a text whose lines end in line feeds, in order."""
    possible = list(itertools.islice(candidates(text), _MOST + 1))
    if len(possible) > _MOST:
        return []
    written = [one for one in possible if one.kind[0] in "#=-"]
    if len(written) >= 3:
        return _spans(text, [(one, _written_level(one)) for one in written], {})
    chains = _chains(text, possible)
    chained = sorted((one for chain in chains for one in chain), key=lambda one: one.start)
    single = _singles(text, possible, chained)
    levels = _levels(chained, single, outer=1 if written else 0)
    chosen = sorted([*written, *chained, *single], key=lambda one: one.start)
    return _spans(text, [(one, levels.get(one) or _written_level(one)) for one in chosen], _titled_kinds(text, chosen))


def _singles(text: str, possible: Sequence[Candidate], chained: Sequence[Candidate]) -> list[Candidate]:
    """Headings of one word; above a chapter, or over some text. In a list of contents they only announce themselves."""
    known = {one.start for one in chained}
    last = {one.words: one.start for one in possible if one.kind == "single"}
    found = []
    for place, one in enumerate(possible):
        above = place + 1 < len(possible) and possible[place + 1].start in known and one.start == last.get(one.words)
        if one.kind == "single" and (above or one.words in CONTENTS or _body(text, one, possible) >= _LEAST_BODY):
            found.append(one)
    return found


def _written_level(one: Candidate) -> int:
    """The level of a heading that is written as one: by its marks, or by what it is underlined with."""
    return {"=": 1, "-": 2}.get(one.kind, len(one.kind))


# Counting


def _chains(text: str, possible: Sequence[Candidate]) -> list[list[Candidate]]:
    """Candidates that count on from one to the next, without those that list the contents."""
    kinds: dict[str, list[Candidate]] = {}
    for one in possible:
        if one.path:
            kinds.setdefault(one.kind, []).append(one)
    found: list[list[Candidate]] = []
    for kind, ones in kinds.items():
        chains = _counting(kind, ones)
        bodies = [_between(text, chain, possible) for chain in chains]
        most = max(bodies, default=0.0)
        for chain, body in zip(chains, bodies, strict=True):
            least = max(_LEAST_BODY, _CONTENTS_SHARE * most if len(chains) > 1 and body < 300 else 0)
            if body >= least and (kind not in _NUMERALS or _after_full_stops(text, chain)):
                found.append(chain)
    return found


def _counting(kind: str, ones: Sequence[Candidate]) -> list[list[Candidate]]:
    """The runs in which the numbers follow each other. A numeral without a word must begin at 1."""
    chains: list[list[Candidate]] = []
    for one in ones:
        if chains and _follows(chains[-1][-1].path, one.path):
            chains[-1].append(one)
        elif kind not in _NUMERALS or one.path == (1,):
            chains.append([one])
    unread = [one for one in ones if one.path == (0,)]
    if len(unread) >= 3 and len(unread) == len(ones):
        return [list(ones)]
    return [chain for chain in chains if len(chain) > 1 or _stands_alone(kind, chain[0])]


def _follows(last: tuple[int, ...], path: tuple[int, ...]) -> bool:
    if path == (*last, 1):
        return True
    depth = len(path)
    return depth <= len(last) and path == (*last[: depth - 1], last[depth - 1] + 1)


def _stands_alone(kind: str, one: Candidate) -> bool:
    """``CHAPTER I`` is a heading even if no other follows, in capitals or where the text begins."""
    return kind not in _NUMERALS and one.path != (0,) and one.bare and (one.capitals or one.start == 0)


def _between(text: str, chain: Sequence[Candidate], possible: Sequence[Candidate]) -> float:
    """Words between two headings of a chain, in the middle of all; after the last one up to any other candidate."""
    if len(chain) == 1:
        return _body(text, chain[0], possible)
    return median(_words(text, a.end, b.start) for a, b in itertools.pairwise(chain))


def _body(text: str, one: Candidate, possible: Sequence[Candidate]) -> int:
    place = bisect_right(possible, one.start, key=lambda other: other.start)
    return _words(text, one.end, possible[place].start if place < len(possible) else len(text))


def _words(text: str, start: int, end: int) -> int:
    return count_words(text[start : min(end, start + _FAR)])


def _after_full_stops(text: str, chain: Iterable[Candidate]) -> bool:
    """Whether sentences have ended before these numbers; those of pages stand in the midst of them."""
    before = [text[max(0, one.start - 300) : one.start].rstrip() for one in chain if one.start > 0]
    closed = sum(1 for words in before if not words or _CLOSED.search(words[-3:]))
    return closed >= 0.8 * (len(before) - 1)


# Levels


def _levels(chained: Sequence[Candidate], single: Sequence[Candidate], outer: int) -> dict[Candidate, int]:
    """What there are fewer of stands above what it is followed by: books above chapters."""
    kinds: dict[str, list[Candidate]] = {}
    for one in chained:
        kinds.setdefault(one.kind, []).append(one)
    order = sorted(kinds, key=lambda kind: (len(kinds[kind]), kinds[kind][0].start))
    level: dict[str, int] = {}
    for place, kind in enumerate(order):
        above = [level[upper] for upper in order[:place] if _holds(kinds[upper], kinds[kind])]
        level[kind] = 1 + max(above, default=outer)
    found = {one: level[one.kind] + len(one.path) - 1 for one in chained}
    return found | dict.fromkeys(single, 1 + outer)


def _holds(upper: Sequence[Candidate], lower: Sequence[Candidate]) -> bool:
    """Whether most headings of one kind are followed by some of the other before the next of their own."""
    starts = [one.start for one in lower]
    places = [bisect_left(starts, one.start) for one in upper]
    held = sum(1 for a, b in zip(places, [*places[1:], len(starts)], strict=True) if a < b)
    return held >= max(1, 0.5 * len(upper))


# Titles, and the spans of headings


def _after(text: str, one: Candidate, *, spread: bool) -> tuple[int, int]:
    """The block that follows a heading's line: the rest of its own, or else the next one; no more than five lines."""
    start = _next_line(text, one.end)
    found = (_LINE if spread else _BLOCK).match(text, start)
    return start, found.end() if found else start


def _reads_as_title(text: str, start: int, end: int) -> bool:
    words = text[start:end].strip()
    if not words or words.count("\n") > 3:
        return False
    if words.isupper():
        return count_words(words) <= _CAPITAL_TITLE_WORDS
    return count_words(words) <= _TITLE_WORDS and words[0] not in "\"“«‘'—-" and words[-1] not in ",;:—-"


def _is_title(text: str, start: int, end: int, habit: bool | None) -> bool:
    """Whether the block after a heading is its title: it reads like one, and this is the habit or it is in capitals."""
    return _reads_as_title(text, start, end) and (bool(habit) or text[start:end].strip().isupper())


def _titled_kinds(text: str, chosen: Sequence[Candidate]) -> dict[str, bool]:
    """The kinds of headings that mostly have a title on the lines after them."""
    kinds: dict[str, list[bool]] = {}
    spread = one_a_line(text)
    starts = {one.start for one in chosen}
    for one in chosen:
        if one.bare and one.path:
            start, end = _after(text, one, spread=spread)
            kinds.setdefault(one.kind, []).append(start not in starts and _reads_as_title(text, start, end))
    return {kind: sum(found) >= max(2, _HABIT * len(found)) for kind, found in kinds.items()}


def _spans(text: str, chosen: Sequence[tuple[Candidate, int]], titled: dict[str, bool]) -> list[Heading]:
    """Each heading up to where the next line begins, its title and its underlining included."""
    found: list[Heading] = []
    spread = one_a_line(text)
    starts = {one.start for one, _ in chosen}
    for one, level in chosen:
        start, end = _after(text, one, spread=spread)
        if one.kind in ("=", "-"):
            end = text.find("\n", start)
            start = _next_line(text, end if end >= 0 else len(text))
        elif one.bare and one.path and start not in starts and _is_title(text, start, end, titled.get(one.kind)):
            start = _next_line(text, end)
        found.append(Heading(one.start, start, level))
    return found


def _next_line(text: str, offset: int) -> int:
    """The start of the next line that holds anything."""
    start = offset
    while start < len(text) and text[start].isspace():
        start += 1
    return max(offset, text.rfind("\n", 0, start) + 1)


def _cut(text: str, paragraphs: Sequence[Paragraph], found: Sequence[Heading]) -> tuple[Paragraph, ...]:
    """The paragraphs with every heading cut out as one of its own; they still tile the text."""
    level = {one.start: one.level for one in found}
    ends = iter([*((one.start, one.end) for one in found), (len(text), len(text))])
    heading = next(ends)
    starts = {0, *level, *(one.end for one in found)}
    for paragraph in paragraphs:
        while paragraph.start >= heading[1] and heading[0] < len(text):
            heading = next(ends)
        if not heading[0] < paragraph.start < heading[1]:
            starts.add(paragraph.start)
    kept: list[int] = []
    for start, end in itertools.pairwise([*sorted(starts), len(text)]):
        if text[start:end].strip() or not kept:
            kept.append(start)
    spans = itertools.pairwise([*kept, len(text)])
    return tuple(Paragraph(i, a, b, level.get(a, 0)) for i, (a, b) in enumerate(spans))
