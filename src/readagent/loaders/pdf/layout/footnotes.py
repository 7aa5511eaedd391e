"""Separate footnotes and tables of contents from the text."""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from readagent.loaders.pdf.layout.paragraphs import Kind, Passage
from readagent.loaders.pdf.layout.sheet import Column, Line
from readagent.loaders.pdf.layout.typography import Typography

_MARK = re.compile(r"(\d{1,3}|[*†‡§¶‖#]{1,3}|[a-z](?=[.)]))(?:[.)]?\s+|(?=[^\W\d]))")
_LETTER = re.compile(r"[^\W\d_]")
_SMALL = 0.94  # relative to running text
_MAX_SHARE = 0.7  # of the lines of a column, for notes as large as the text


@dataclass(frozen=True, slots=True)
class Footnote:
    """A footnote: its mark, and its lines, which may continue at the bottom of the next sheet."""

    mark: str
    column: Column


def extract_footnotes(columns: Sequence[Column], typography: Typography) -> tuple[list[Column], list[Footnote]]:
    """Return the columns without footnotes and their marks, and the footnotes; other superscripts are kept."""
    sheets: defaultdict[int, list[Column]] = defaultdict(list)
    for column in columns:
        sheets[column.sheet].append(column)
    kept: list[Column] = []
    notes: list[Footnote] = []
    found: defaultdict[int, set[str]] = defaultdict(set)  # the marks of notes, by the sheet with the reference
    for number, group in sheets.items():
        here = {mark for column in group for line in column.lines for mark in _references(line)}
        before = {mark for column in sheets.get(number - 1, ()) for line in column.lines for mark in _references(line)}
        open_references = before - found[number - 1]
        for column in group:
            start = _first_note_line(column, here | open_references, typography, alone=len(group) == 1)
            above = _continued_from(column, start, notes, typography)
            if above < start:
                notes[-1] = _extended(notes[-1], column.lines[above:start])
            for note in _notes(replace(column, lines=column.lines[start:])):
                notes.append(note)
                found[number if note.mark in here else number - 1].add(note.mark)
            if above:
                kept.append(replace(column, lines=column.lines[:above]))
    return [_without_marks(column, found[column.sheet]) for column in kept], notes


def _extended(note: Footnote, lines: Sequence[Line]) -> Footnote:
    return replace(note, column=replace(note.column, lines=(*note.column.lines, *lines)))


def _without_marks(column: Column, marks: set[str]) -> Column:
    return replace(column, lines=tuple(line.without(marks) for line in column.lines))


def _references(line: Line) -> Iterator[str]:
    """Yield the superscript marks in a line that are not at its beginning."""
    for start, end in line.raised:
        if start > 0 and not line.text[start - 1].isspace():
            yield _plain(line.text[start:end])


def _plain(mark: str) -> str:
    return unicodedata.normalize("NFKC", mark).strip(" .)(,[]")


def _leading_mark(line: Line) -> tuple[str, bool]:
    """Return the mark at the beginning of a line, and whether it is superscript."""
    if line.raised and line.raised[0][0] == 0:
        mark = _plain(line.text[: line.raised[0][1]])
        more = _LETTER.search(line.text, line.raised[0][1])
        return (mark, True) if mark and len(mark) <= 3 and more else ("", False)
    found = _MARK.match(line.text)
    return (found[1], False) if found else ("", False)


def _first_note_line(column: Column, references: set[str], typography: Typography, *, alone: bool) -> int:
    """Return the index of the first line of the notes of a column; the number of lines if it has none."""
    lines = column.lines
    first = len(lines)
    for index in reversed(range(len(lines))):
        if abs(lines[index].size - lines[-1].size) > 0.08 * lines[-1].size or lines[index].bold:
            break
        if _is_note(lines, index, references, typography):
            first = index
    if first == 0 and alone:
        return len(lines)
    small = lines[-1].size < _SMALL * typography.body
    too_many = not small and len(lines) - first > max(3, _MAX_SHARE * len(lines)) and first > 0
    return len(lines) if too_many else first


def _is_note(lines: Sequence[Line], index: int, references: set[str], typography: Typography) -> bool:
    """Whether a line begins a note: smaller than the text or set off from it, with a mark that the text refers to."""
    line = lines[index]
    mark, raised = _leading_mark(line)
    if not mark:
        return False
    if line.size < _SMALL * typography.body:
        return raised or mark in references
    set_off = index == 0 or line.base - lines[index - 1].base > 1.2 * typography.leading_of(line.size)
    return set_off and mark in references and mark.isdigit() and not line.text[len(mark) : len(mark) + 1].strip(" ")


def _continued_from(column: Column, start: int, notes: Sequence[Footnote], typography: Typography) -> int:
    """Return where the last note of the previous sheet continues above the notes of this column, or ``start``."""
    lines = column.lines
    if not notes or notes[-1].column.sheet != column.sheet - 1 or notes[-1].column.lines[-1].ends_sentence:
        return start
    size, above = notes[-1].column.lines[-1].size, start
    if size > _SMALL * typography.body:
        return start
    while above > 0 and abs(lines[above - 1].size - size) < 0.04 * size:
        above -= 1
    return above if above > 0 else start


def _notes(column: Column) -> Iterator[Footnote]:
    """Yield the notes in these lines."""
    lines: list[Line] = []
    mark = ""
    for line in column.lines:
        next_mark, _ = _leading_mark(line)
        if next_mark and (not lines or _follows(mark, next_mark)):
            if lines:
                yield Footnote(mark, replace(column, lines=tuple(lines)))
            mark, lines = next_mark, []
            line = _without_mark(line)
        lines.append(line)
    if lines:
        yield Footnote(mark, replace(column, lines=tuple(lines)))


def _follows(mark: str, next_mark: str) -> bool:
    """Whether one mark may follow another: 4 after 3, but not a 1931 at the beginning of a line."""
    return (
        int(next_mark) == int(mark) + 1
        if mark.isdigit() and next_mark.isdigit()
        else not next_mark.isdigit() or not mark.isdigit()
    )


def _without_mark(line: Line) -> Line:
    end = line.raised[0][1] if line.raised and line.raised[0][0] == 0 else 0
    if not end:
        found = _MARK.match(line.text)
        end = found.end() if found else 0
    return replace(line, text=line.text[end:].lstrip(" .)"), raised=())


_TITLE = re.compile(
    r"(?i)(?:table of |brief |detailed )?contents|list of (?:figures|tables|listings|algorithms|illustrations|examples)"
    r"|inhalt(?:sverzeichnis)?|table des mati.res|sommaire|.ndice(?: generale?)?|contenido|sum.rio|inhoud(?:sopgave)?"
)
_PAGE = re.compile(r"(?:^|[\s.…])(\d{1,4}|[ivxlc]{1,7})$")
_MIN_ENTRIES = 4
_ENTRY_WORDS = 25  # of an entry


def without_contents(passages: Sequence[Passage]) -> list[Passage]:
    """Return the passages without tables of contents; all of them if nothing else would be left."""
    kept: list[Passage] = []
    index = 0
    while index < len(passages):
        end = _end(passages, index)
        if end > index:
            index = end
        else:
            kept.append(passages[index])
            index += 1
    return kept or list(passages)


def _end(passages: Sequence[Passage], start: int) -> int:
    """Return the end of the table of contents that begins here, or ``start``."""
    titled = bool(_TITLE.fullmatch(passages[start].text.strip(" .:")))
    if not titled and passages[start].kind is not Kind.CONTENTS:
        return start
    entries, leaders, page, end = 0, 0, 0, start + titled
    for index in range(start + titled, len(passages)):
        passage = passages[index]
        last = _last_page(passage)
        if _is_entry(passage, titled=titled) and (last is None or last >= page):
            page = last or page
            entries += len(passage.lines)
            leaders += passage.kind is Kind.CONTENTS
            end = index + 1
        elif not (_is_short(passage) and index + 1 < len(passages) and passages[index + 1].kind is Kind.CONTENTS):
            break
    return end if entries >= _MIN_ENTRIES and (leaders or titled) else start


def _is_entry(passage: Passage, *, titled: bool) -> bool:
    if passage.kind is Kind.CONTENTS:
        return True
    if passage.kind is Kind.TABLE:
        return titled and sum(bool(_PAGE.search(line.text)) for line in passage.lines) >= 0.7 * len(passage.lines)
    return _is_short(passage) and bool(_PAGE.search(passage.text))


def _is_short(passage: Passage) -> bool:
    return len(passage.text.split()) <= _ENTRY_WORDS and not passage.lines[-1].ends_sentence


def _last_page(passage: Passage) -> int | None:
    """Return the page of the last line, None if it is not a decimal number."""
    found = _PAGE.search(passage.lines[-1].text)
    return int(found[1]) if found and found[1].isdecimal() else None
