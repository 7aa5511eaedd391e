"""Find the chapters of a plain text: which lines are headings, and on which level.

The rules are cautious. Lines are headings if their numbers follow each other with text between them, or if they are one
of a few words ("PREFACE") on their own. Numbered lines without text between them are a table of contents.
"""

from __future__ import annotations

import itertools
import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from statistics import median

from readagent.core.document import Document
from readagent.core.words import Paragraph, count_words
from readagent.loaders.text.decode import with_line_feeds
from readagent.loaders.text.headings import CONTENTS, NUMERALS, Candidate, candidates, is_unwrapped

_MAX_CANDIDATES = 50_000  # a text with more is a list, not prose
_MIN_BODY = 30  # words between two headings (median)
_MIN_FRAMED = 3  # headings that have one of their two words in common
_CONTENTS_SHARE = 0.2  # entries of a table of contents have less text between them than this share of a chapter
_MAX_MEASURED = 20_000  # characters between two headings that are counted
_MAX_TITLE_WORDS = 15
_MAX_CAPITAL_TITLE_WORDS = 60
_USUALLY = 0.7  # share of headings followed by a title, for a kind that usually has one
_CLOSED = re.compile(r"[.!?…:;。！？\"'”’»)\]*_—-]\s*$")
_BLOCK = re.compile(r"(?:[^\S\n]*+\S[^\n]*+\n?){1,5}+")
_LINE = re.compile(r"[^\n]*+\n?")


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading is ``text[start:end]``, including the white space after it; the outermost level is 1."""

    start: int
    end: int
    level: int


def mark(document: Document) -> Document:
    """Return the document with its headings marked, each as a paragraph of its own; the text is unchanged."""
    found = headings(with_line_feeds(document.text))
    return replace(document, paragraphs=_cut(document.text, document.paragraphs, found)) if found else document


def headings(text: str) -> list[Heading]:
    """Return the headings of a text whose lines end in line feeds, in order."""
    possible = list(itertools.islice(candidates(text), _MAX_CANDIDATES + 1))
    if len(possible) > _MAX_CANDIDATES:
        return []
    explicit = [one for one in possible if one.kind[0] in "#=-"]
    if len(explicit) >= 3:
        return _spans(text, [(one, _explicit_level(one)) for one in explicit], {})
    pairs = [one for one in possible if one.kind == "framed"]
    possible = [one for one in possible if one.kind != "framed"]
    chains = _chains(text, possible) or ([] if explicit else _framed(text, pairs))
    chained = sorted((one for chain in chains for one in chain), key=lambda one: one.start)
    single = _singles(text, possible, chained)
    levels = _levels(chained, single, outer=1 if explicit else 0)
    chosen = sorted([*explicit, *chained, *single], key=lambda one: one.start)
    return _spans(text, [(one, levels.get(one) or _explicit_level(one)) for one in chosen], _titled_kinds(text, chosen))


def _singles(text: str, possible: Sequence[Candidate], chained: Sequence[Candidate]) -> list[Candidate]:
    """Return one-word headings followed by a chapter or by text, but not the entries of a table of contents."""
    known = {one.start for one in chained}
    last = {one.words: one.start for one in possible if one.kind == "single"}
    found = []
    for place, one in enumerate(possible):
        above = place + 1 < len(possible) and possible[place + 1].start in known and one.start == last.get(one.words)
        if one.kind == "single" and (above or one.words in CONTENTS or _body(text, one, possible) >= _MIN_BODY):
            found.append(one)
    return found


def _explicit_level(one: Candidate) -> int:
    """Return the level of a heading that is marked with ``#`` or underlined."""
    return {"=": 1, "-": 2}.get(one.kind, len(one.kind))


# Numbering


def _chains(text: str, possible: Sequence[Candidate]) -> list[list[Candidate]]:
    """Return the runs of candidates whose numbers follow each other, without tables of contents."""
    kinds: dict[str, list[Candidate]] = {}
    for one in possible:
        if one.path:
            kinds.setdefault(one.kind, []).append(one)
    found: list[list[Candidate]] = []
    for kind, ones in kinds.items():
        chains = _consecutive(kind, ones)
        bodies = [_between(text, chain, possible) for chain in chains]
        most = max(bodies, default=0.0)
        for chain, body in zip(chains, bodies, strict=True):
            required = max(_MIN_BODY, _CONTENTS_SHARE * most if len(chains) > 1 and body < 300 else 0)
            known = kind not in NUMERALS and not chain[0].unsure
            if body >= required and (known or _follow_full_stops(text, chain)):
                found.append(chain)
    return found


def _framed(text: str, pairs: Sequence[Candidate]) -> list[list[Candidate]]:
    """Return the lines of two words that share one of them, such as Erstes Kapitel and Zweites Kapitel."""
    words = [(one.words.split(), one) for one in pairs]
    shared = Counter(word for both, _ in words for word in both).most_common(1)
    others = {frozenset(both): one for both, one in words if shared[0][0] in both}
    ordered = sorted(others.values(), key=lambda one: one.start)
    chain = [replace(one, path=(number,)) for number, one in enumerate(ordered, start=1)]
    long = len(chain) >= _MIN_FRAMED and _between(text, chain, chain) >= _MIN_BODY
    return [chain] if long and _follow_full_stops(text, chain) else []


def _consecutive(kind: str, ones: Sequence[Candidate]) -> list[list[Candidate]]:
    """Split candidates into runs of consecutive numbers. Numerals without a word must begin at 1."""
    chains: list[list[Candidate]] = []
    for one in ones:
        if chains and _follows(chains[-1][-1], one):
            chains[-1].append(one)
        elif (kind not in NUMERALS and not one.unsure) or one.path == (1,):
            chains.append([one])
    return [chain for chain in chains if len(chain) > 1 + chain[0].unsure or _may_be_alone(kind, chain[0])]


def _follows(last: Candidate, one: Candidate) -> bool:
    """Whether the number of a candidate comes after that of another one."""
    if one.path == (*last.path, 1):
        return True
    depth = len(one.path)
    return depth <= len(last.path) and one.path == (*last.path[: depth - 1], last.path[depth - 1] + 1)


def _may_be_alone(kind: str, one: Candidate) -> bool:
    """Whether this is a heading even if no other follows: ``CHAPTER I`` in capitals or at the start of the text."""
    known = kind not in NUMERALS and not one.unsure
    return known and one.bare and (one.capitals or one.start == 0)


def _between(text: str, chain: Sequence[Candidate], possible: Sequence[Candidate]) -> float:
    """Return the median number of words between the headings of a chain."""
    if len(chain) == 1:
        return _body(text, chain[0], possible)
    return median(_words(text, a.end, b.start) for a, b in itertools.pairwise(chain))


def _body(text: str, one: Candidate, possible: Sequence[Candidate]) -> int:
    place = bisect_right(possible, one.start, key=lambda other: other.start)
    return _words(text, one.end, possible[place].start if place < len(possible) else len(text))


def _words(text: str, start: int, end: int) -> int:
    return count_words(text[start : min(end, start + _MAX_MEASURED)])


def _follow_full_stops(text: str, chain: Iterable[Candidate]) -> bool:
    """Whether sentences end before these numbers; page numbers come in the middle of sentences."""
    before = [text[max(0, one.start - 300) : one.start].rstrip() for one in chain if one.start > 0]
    closed = sum(1 for words in before if not words or _CLOSED.search(words[-3:]))
    return closed >= 0.8 * (len(before) - 1)


# Levels


def _levels(chained: Sequence[Candidate], single: Sequence[Candidate], outer: int) -> dict[Candidate, int]:
    """Return the level of each candidate: the rarer kind is above the kind it contains, as books above chapters."""
    kinds: dict[str, list[Candidate]] = {}
    for one in chained:
        kinds.setdefault(one.kind, []).append(one)
    order = sorted(kinds, key=lambda kind: (len(kinds[kind]), kinds[kind][0].start))
    level: dict[str, int] = {}
    for place, kind in enumerate(order):
        above = [level[upper] for upper in order[:place] if _contains(kinds[upper], kinds[kind])]
        level[kind] = 1 + max(above, default=outer)
    found = {one: level[one.kind] + len(one.path) - 1 for one in chained}
    return found | dict.fromkeys(single, 1 + outer)


def _contains(upper: Sequence[Candidate], lower: Sequence[Candidate]) -> bool:
    """Whether most headings of one kind are followed by the other kind before the next of their own."""
    starts = [one.start for one in lower]
    places = [bisect_left(starts, one.start) for one in upper]
    containing = sum(1 for a, b in zip(places, [*places[1:], len(starts)], strict=True) if a < b)
    return containing >= max(1, 0.5 * len(upper))


# Titles, and the spans of headings


def _after(text: str, one: Candidate, *, unwrapped: bool) -> tuple[int, int]:
    """Return start and end of the block after the line of a heading, at most five lines."""
    start = _next_line(text, one.end)
    found = (_LINE if unwrapped else _BLOCK).match(text, start)
    return start, found.end() if found else start


def _reads_as_title(text: str, start: int, end: int) -> bool:
    words = text[start:end].strip()
    if not words or words.count("\n") > 3:
        return False
    if words.isupper():
        return count_words(words) <= _MAX_CAPITAL_TITLE_WORDS
    return count_words(words) <= _MAX_TITLE_WORDS and words[0] not in "\"“«‘'—-" and words[-1] not in ",;:—-"


def _is_title(text: str, start: int, end: int, usual: bool | None) -> bool:
    """Whether the block after a heading is its title: it reads like one, and is in capitals or this is usual here."""
    return _reads_as_title(text, start, end) and (bool(usual) or text[start:end].strip().isupper())


def _titled_kinds(text: str, chosen: Sequence[Candidate]) -> dict[str, bool]:
    """Return which kinds of headings usually have a title on the next lines."""
    kinds: dict[str, list[bool]] = {}
    unwrapped = is_unwrapped(text)
    starts = {one.start for one in chosen}
    for one in chosen:
        if one.bare and one.path:
            start, end = _after(text, one, unwrapped=unwrapped)
            kinds.setdefault(one.kind, []).append(start not in starts and _reads_as_title(text, start, end))
    return {kind: sum(found) >= max(2, _USUALLY * len(found)) for kind, found in kinds.items()}


def _spans(text: str, chosen: Sequence[tuple[Candidate, int]], titled: dict[str, bool]) -> list[Heading]:
    """Return each heading up to the start of the next line, including its title and underline."""
    found: list[Heading] = []
    unwrapped = is_unwrapped(text)
    starts = {one.start for one, _ in chosen}
    for one, level in chosen:
        start, end = _after(text, one, unwrapped=unwrapped)
        if one.kind in ("=", "-"):
            end = text.find("\n", start)
            start = _next_line(text, end if end >= 0 else len(text))
        elif one.bare and one.path and start not in starts and _is_title(text, start, end, titled.get(one.kind)):
            start = _next_line(text, end)
        found.append(Heading(one.start, start, level))
    return found


def _next_line(text: str, offset: int) -> int:
    """Return the start of the next line that is not blank."""
    start = offset
    while start < len(text) and text[start].isspace():
        start += 1
    return max(offset, text.rfind("\n", 0, start) + 1)


def _cut(text: str, paragraphs: Sequence[Paragraph], found: Sequence[Heading]) -> tuple[Paragraph, ...]:
    """Cut every heading out as a paragraph of its own; together the paragraphs still cover the text."""
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
