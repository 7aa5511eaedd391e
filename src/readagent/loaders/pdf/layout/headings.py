"""Find headings: by the outline of the file if it matches the text, otherwise by larger or bold type, or by numbers."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from readagent.loaders.pdf.layout.paragraphs import Kind, Passage
from readagent.loaders.pdf.layout.typography import Typography
from readagent.loaders.text.headings import number_of

_SECTION = re.compile(r"([IVXL]{1,6})\. +(\S.*)")
_SUBSECTION = re.compile(r"([A-Z])\. +([A-Z0-9“\"].*[^.,;:])")
_UNNUMBERED = re.compile(r"(?i)acknowledge?ments?|references|appendix(?: [A-Z])?|appendices|bibliography")
_NUMBERED_WORDS = 14
_NUMBERED_LINES = 2
_MIN_SECTIONS = 2


def with_numbered(passages: Sequence[Passage]) -> list[Passage]:
    """Return the passages with levels for sections in capitals, numbered I, II, ..., and subsections A, B, ..."""
    levels: dict[int, int] = {}
    section, letter = 0, "A"
    for index, passage in enumerate(passages):
        if passage.level or not _is_alone(passage):
            continue
        number = _section_number(passage.text)
        below = _SUBSECTION.fullmatch(passage.text)
        if number == section + 1:
            section, letter = number, "A"
            levels[index] = 1
        elif section and _UNNUMBERED.fullmatch(passage.text) and passage.text.isupper():
            levels[index] = 1
        elif section and below and below[1] == letter:
            letter = chr(ord(letter) + 1)
            levels[index] = 2
    if section < _MIN_SECTIONS:
        return list(passages)
    return [
        replace(passage, kind=Kind.TEXT, level=levels[index]) if index in levels else passage
        for index, passage in enumerate(passages)
    ]


def _is_alone(passage: Passage) -> bool:
    few = len(passage.lines) <= _NUMBERED_LINES and len(passage.text.split()) <= _NUMBERED_WORDS
    return few and passage.kind in (Kind.TEXT, Kind.ITEM)


def _section_number(text: str) -> int:
    """Return the number of a section in capitals, or 0."""
    found = _SECTION.fullmatch(text)
    return number_of(found[1]) if found and found[2].isupper() else 0


_MAX_WORDS = 25
_MAX_LINES = 4
_MAX_LEVEL = 6
_MAX_ENTRIES = 200  # of an outline, per sheet
_NUMBERING = re.compile(
    r"^(?:chapter|part|section|appendix|kapitel|teil|abschnitt)?\s*(?:[\dA-Z]{1,3}(?:\.\d{1,3})*|[IVXLC]+)[.:)]?\s+",
    re.I,
)
_NUMERAL = re.compile(r"(?:\d{1,3}|[IVXLC]{1,7})\.?")
_LETTERS = re.compile(r"[^\W\d_]")


@dataclass(frozen=True, slots=True)
class Entry:
    """An entry of an outline: its title, its level from 1, and its sheet."""

    title: str
    level: int
    sheet: int


def with_headings(passages: Sequence[Passage], outline: Sequence[Entry], typography: Typography) -> list[Passage]:
    """Return the passages with heading levels; a heading of several lines becomes one passage."""
    found = _by_outline(passages, outline, typography)
    return found if found is not None else with_numbered(_by_type(passages, typography))


def _by_outline(passages: Sequence[Passage], outline: Sequence[Entry], typography: Typography) -> list[Passage] | None:
    """Mark the headings of the outline; return None if few of its entries are found in the text."""
    entries: defaultdict[int, list[Entry]] = defaultdict(list)
    for entry in outline:
        if len(entries[entry.sheet]) < _MAX_ENTRIES:
            entries[entry.sheet].append(entry)
    found: list[Passage] = []
    matched, index = 0, 0
    while index < len(passages):
        step, parts, hit = _matched(passages, index, entries)
        found += parts
        matched += hit
        index += step
    return _with_title(found, typography) if matched > 1 and matched >= 0.5 * len(outline) else None


def _with_title(passages: list[Passage], typography: Typography) -> list[Passage]:
    """Mark the largest text before the first heading of the outline as a heading: it is the title."""
    first = next(index for index, passage in enumerate(passages) if passage.level)
    before = list(_merged(passages[:first], typography))
    large = [passage for passage in before if passage.sheet == passages[0].sheet and _is_heading(passage, typography)]
    title = max(large, key=lambda passage: passage.size, default=None)
    if title is not None and title.size > 1.3 * typography.body:
        before[before.index(title)] = replace(title, level=1)
    return [*before, *passages[first:]]


def _matched(
    passages: Sequence[Passage], index: int, entries: dict[int, list[Entry]]
) -> tuple[int, list[Passage], int]:
    """Return how many passages are consumed, what they become, and whether an entry was found in them."""
    passage = passages[index]
    for sheet in (passage.sheet, passage.sheet - 1):
        for entry in entries.get(sheet, ()):
            match = _match_length(passages, index, entry)
            if match:
                entries[sheet].remove(entry)
                last = passages[index + match[0] - 1]
                lines = tuple(line for other in passages[index : index + match[0]] for line in other.lines)
                cut = len(lines) - (len(last.lines) - match[1])
                heading = replace(passage, lines=lines[:cut], kind=Kind.TEXT, level=entry.level)
                rest = [replace(last, lines=lines[cut:], kind=Kind.TEXT)] if cut < len(lines) else []
                return match[0], [heading, *rest], 1
    return 1, [passage], 0


def _match_length(passages: Sequence[Passage], index: int, entry: Entry) -> tuple[int, int] | None:
    """Return how many passages, and lines of the last of them, form the title of an entry; or None."""
    wanted = _plain(entry.title)
    text = ""
    for count, passage in enumerate(passages[index : index + 3], 1):
        for number, line in enumerate(passage.lines[:_MAX_LINES], 1):
            text = f"{text} {line.text}".strip()
            found = _plain(text)
            if set(found) & set(wanted):
                return count, number
            if not any(title.startswith(start) for title in wanted for start in found if start):
                return None
    return None


def _plain(title: str) -> tuple[str, str]:
    """Return the letters and digits of a title, with its number and without."""
    return _letters(title), _letters(_NUMBERING.sub("", title)) or _letters(title)


def _letters(text: str) -> str:
    return "".join(character for character in text.casefold() if character.isalnum())


def _by_type(passages: Sequence[Passage], typography: Typography) -> list[Passage]:
    merged = list(_merged(passages, typography))
    styles = sorted({_style(passage) for passage in merged if _is_heading(passage, typography)}, reverse=True)
    levels: dict[tuple[float, bool], int] = {}
    last: tuple[float, bool] | None = None
    for style in styles:
        alike = last is not None and style[0] > 0.96 * last[0] and style[1] == last[1]
        levels[style] = min(_MAX_LEVEL, len(set(levels.values())) + (not alike)) or 1
        last = style
    return [
        replace(passage, kind=Kind.TEXT, level=levels[_style(passage)]) if _is_heading(passage, typography) else passage
        for passage in merged
    ]


def _style(passage: Passage) -> tuple[float, bool]:
    return round(passage.size, 1), passage.bold


def _merged(passages: Sequence[Passage], typography: Typography) -> Iterator[Passage]:
    """Yield the passages, with the lines of one heading joined."""
    current: Passage | None = None
    for passage in passages:
        if current and _same_heading(current, passage, typography):
            current = replace(current, lines=(*current.lines, *passage.lines))
            continue
        if current:
            yield current
        current = passage
    if current:
        yield current


def _same_heading(above: Passage, below: Passage, typography: Typography) -> bool:
    alike = above.sheet == below.sheet and abs(above.size - below.size) < 0.03 * above.size and above.bold == below.bold
    if not alike or below.above * typography.leading_of(below.size) > 1.45 * below.size:
        return False
    return _is_heading(above, typography) and _is_heading(below, typography)


def _is_heading(passage: Passage, typography: Typography) -> bool:
    """Whether this looks like a heading: few words, in larger or bold type."""
    text = passage.text
    if passage.kind not in (Kind.TEXT, Kind.ITEM, Kind.VERSE) or len(passage.lines) > _MAX_LINES:
        return False
    if len(text.split()) > _MAX_WORDS or (len(_LETTERS.findall(text)) < 2 and not _NUMERAL.fullmatch(text)):
        return False
    if "@" in text or "://" in text:
        return False
    if passage.size >= 1.12 * typography.body:
        return True
    if not passage.bold or passage.size < 0.95 * typography.body or len(passage.lines) > 2:
        return False
    last = passage.lines[-1]
    short = last.right < passage.right - 0.1 * (passage.right - passage.left)
    return short and passage.above > 1.15 and not text.endswith((",", ";", ".", ":"))
