"""Headings: by the file's outline where that is good, else by type that is larger, or bold on a short line."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from readagent.loaders.pdf.layout.paragraphs import Kind, Passage
from readagent.loaders.pdf.layout.typography import Setting

_MOST_WORDS = 25
_MOST_LINES = 4
_DEEPEST = 6
_MOST_ENTRIES = 200  # of an outline, on one sheet
_NUMBERING = re.compile(
    r"^(?:chapter|part|section|appendix|kapitel|teil|abschnitt)?\s*(?:[\dA-Z]{1,3}(?:\.\d{1,3})*|[IVXLC]+)[.:)]?\s+",
    re.I,
)
_NUMERAL = re.compile(r"(?:\d{1,3}|[IVXLC]{1,7})\.?")
_LETTERS = re.compile(r"[^\W\d_]")


@dataclass(frozen=True, slots=True)
class Entry:
    """An entry of an outline: what it says, how deep it is, from 1, and on which sheet it stands."""

    title: str
    level: int
    sheet: int


def with_headings(passages: Sequence[Passage], outline: Sequence[Entry], setting: Setting) -> list[Passage]:
    """The passages with the levels of headings; a heading over several lines is one passage."""
    found = _by_outline(passages, outline, setting)
    return found if found is not None else _by_type(passages, setting)


def _by_outline(passages: Sequence[Passage], outline: Sequence[Entry], setting: Setting) -> list[Passage] | None:
    """Headings where the outline says; None where few of its entries are found in the text."""
    entries: defaultdict[int, list[Entry]] = defaultdict(list)
    for entry in outline:
        if len(entries[entry.sheet]) < _MOST_ENTRIES:
            entries[entry.sheet].append(entry)
    found: list[Passage] = []
    matched, index = 0, 0
    while index < len(passages):
        step, parts, hit = _matched(passages, index, entries)
        found += parts
        matched += hit
        index += step
    return _with_title(found, setting) if matched > 1 and matched >= 0.5 * len(outline) else None


def _with_title(passages: list[Passage], setting: Setting) -> list[Passage]:
    """What stands in the largest type before the first heading of an outline is a heading too: the title."""
    first = next(index for index, passage in enumerate(passages) if passage.level)
    before = list(_merged(passages[:first], setting))
    large = [passage for passage in before if passage.sheet == passages[0].sheet and _is_heading(passage, setting)]
    title = max(large, key=lambda passage: passage.size, default=None)
    if title is not None and title.size > 1.3 * setting.body:
        before[before.index(title)] = replace(title, level=1)
    return [*before, *passages[first:]]


def _matched(
    passages: Sequence[Passage], index: int, entries: dict[int, list[Entry]]
) -> tuple[int, list[Passage], int]:
    """How many passages are dealt with, what they become, and whether an entry was found in them."""
    passage = passages[index]
    for sheet in (passage.sheet, passage.sheet - 1):
        for entry in entries.get(sheet, ()):
            taken = _taken(passages, index, entry)
            if taken:
                entries[sheet].remove(entry)
                last = passages[index + taken[0] - 1]
                lines = tuple(line for other in passages[index : index + taken[0]] for line in other.lines)
                cut = len(lines) - (len(last.lines) - taken[1])
                heading = replace(passage, lines=lines[:cut], kind=Kind.TEXT, level=entry.level)
                rest = [replace(last, lines=lines[cut:], kind=Kind.TEXT)] if cut < len(lines) else []
                return taken[0], [heading, *rest], 1
    return 1, [passage], 0


def _taken(passages: Sequence[Passage], index: int, entry: Entry) -> tuple[int, int] | None:
    """How many passages, and lines of the last of them, make the title of an entry."""
    wanted = _plain(entry.title)
    said = ""
    for count, passage in enumerate(passages[index : index + 3], 1):
        for number, line in enumerate(passage.lines[:_MOST_LINES], 1):
            said = f"{said} {line.text}".strip()
            found = _plain(said)
            if set(found) & set(wanted):
                return count, number
            if not any(title.startswith(begun) for title in wanted for begun in found if begun):
                return None
    return None


def _plain(title: str) -> tuple[str, str]:
    """The letters of a title, with its number and without."""
    return _letters(title), _letters(_NUMBERING.sub("", title)) or _letters(title)


def _letters(text: str) -> str:
    return "".join(character for character in text.casefold() if character.isalnum())


def _by_type(passages: Sequence[Passage], setting: Setting) -> list[Passage]:
    merged = list(_merged(passages, setting))
    styles = sorted({_style(passage) for passage in merged if _is_heading(passage, setting)}, reverse=True)
    levels: dict[tuple[float, bool], int] = {}
    last: tuple[float, bool] | None = None
    for style in styles:
        alike = last is not None and style[0] > 0.96 * last[0] and style[1] == last[1]
        levels[style] = min(_DEEPEST, len(set(levels.values())) + (not alike)) or 1
        last = style
    return [
        replace(passage, kind=Kind.TEXT, level=levels[_style(passage)]) if _is_heading(passage, setting) else passage
        for passage in merged
    ]


def _style(passage: Passage) -> tuple[float, bool]:
    return round(passage.size, 1), passage.bold


def _merged(passages: Sequence[Passage], setting: Setting) -> Iterator[Passage]:
    """Passages, the lines of one heading made one."""
    current: Passage | None = None
    for passage in passages:
        if current and _same_heading(current, passage, setting):
            current = replace(current, lines=(*current.lines, *passage.lines))
            continue
        if current:
            yield current
        current = passage
    if current:
        yield current


def _same_heading(above: Passage, below: Passage, setting: Setting) -> bool:
    alike = above.sheet == below.sheet and abs(above.size - below.size) < 0.03 * above.size and above.bold == below.bold
    if not alike or below.above * setting.leading_of(below.size) > 1.45 * below.size:
        return False
    return _is_heading(above, setting) and _is_heading(below, setting)


def _is_heading(passage: Passage, setting: Setting) -> bool:
    """Whether this looks like a heading: few words, and type that stands out."""
    text = passage.text
    if passage.kind not in (Kind.TEXT, Kind.ITEM, Kind.VERSE) or len(passage.lines) > _MOST_LINES:
        return False
    if len(text.split()) > _MOST_WORDS or (len(_LETTERS.findall(text)) < 2 and not _NUMERAL.fullmatch(text)):
        return False
    if "@" in text or "://" in text:
        return False
    if passage.size >= 1.12 * setting.body:
        return True
    if not passage.bold or passage.size < 0.95 * setting.body or len(passage.lines) > 2:
        return False
    last = passage.lines[-1]
    short = last.right < passage.right - 0.1 * (passage.right - passage.left)
    return short and passage.above > 1.15 and not text.endswith((",", ";", ".", ":"))
