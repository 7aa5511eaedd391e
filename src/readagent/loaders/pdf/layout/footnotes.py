"""Footnotes: found at the foot of columns by their marks, and set apart; their marks are taken out of the text."""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from readagent.loaders.pdf.layout.page import Column, Line
from readagent.loaders.pdf.layout.typography import Setting

_MARK = re.compile(r"(\d{1,3}|[*†‡§¶‖#]{1,3}|[a-z](?=[.)]))(?:[.)]?\s+|(?=[^\W\d]))")
_LETTER = re.compile(r"[^\W\d_]")
_SMALL = 0.94  # of the size of running text
_MOST_OF_COLUMN = 0.7  # of a column's lines that may be notes of the size of the text


@dataclass(frozen=True, slots=True)
class Note:
    """A footnote: its mark, and its lines, which may go on at the foot of the next sheet."""

    mark: str
    column: Column


def notes_apart(columns: Sequence[Column], setting: Setting) -> tuple[list[Column], list[Note]]:
    """The columns without footnotes and their marks, and the footnotes; other raised digits stay, as ² does."""
    sheets: defaultdict[int, list[Column]] = defaultdict(list)
    for column in columns:
        sheets[column.sheet].append(column)
    kept: list[Column] = []
    notes: list[Note] = []
    found: defaultdict[int, set[str]] = defaultdict(set)  # the marks of notes, by the sheet on which they are called
    for number, group in sheets.items():
        here = {mark for column in group for line in column.lines for mark in _calls(line)}
        before = {mark for column in sheets.get(number - 1, ()) for line in column.lines for mark in _calls(line)}
        open_calls = before - found[number - 1]
        for column in group:
            start = _foot(column, here | open_calls, setting, alone=len(group) == 1)
            above = _goes_on_from(column, start, notes, setting)
            if above < start:
                notes[-1] = _longer(notes[-1], column.lines[above:start])
            for note in _notes(replace(column, lines=column.lines[start:])):
                notes.append(note)
                found[number if note.mark in here else number - 1].add(note.mark)
            if above:
                kept.append(replace(column, lines=column.lines[:above]))
    return [_without(column, found[column.sheet]) for column in kept], notes


def _longer(note: Note, lines: Sequence[Line]) -> Note:
    return replace(note, column=replace(note.column, lines=(*note.column.lines, *lines)))


def _without(column: Column, marks: set[str]) -> Column:
    return replace(column, lines=tuple(line.without(marks) for line in column.lines))


def _calls(line: Line) -> Iterator[str]:
    """The marks that stand raised in a line, though not at its beginning."""
    for start, end in line.raised:
        if start > 0 and not line.text[start - 1].isspace():
            yield _plain(line.text[start:end])


def _plain(mark: str) -> str:
    return unicodedata.normalize("NFKC", mark).strip(" .)(,[]")


def _opens(line: Line) -> tuple[str, bool]:
    """The mark with which a line begins, and whether it is raised."""
    if line.raised and line.raised[0][0] == 0:
        mark = _plain(line.text[: line.raised[0][1]])
        more = _LETTER.search(line.text, line.raised[0][1])
        return (mark, True) if mark and len(mark) <= 3 and more else ("", False)
    found = _MARK.match(line.text)
    return (found[1], False) if found else ("", False)


def _foot(column: Column, called: set[str], setting: Setting, *, alone: bool) -> int:
    """The line with which the notes of a column begin; the number of its lines where it has none."""
    lines = column.lines
    first = len(lines)
    for index in reversed(range(len(lines))):
        if abs(lines[index].size - lines[-1].size) > 0.08 * lines[-1].size or lines[index].bold:
            break
        if _is_note(lines, index, called, setting):
            first = index
    if first == 0 and alone:
        return len(lines)
    small = lines[-1].size < _SMALL * setting.body
    too_many = not small and len(lines) - first > max(3, _MOST_OF_COLUMN * len(lines)) and first > 0
    return len(lines) if too_many else first


def _is_note(lines: Sequence[Line], index: int, called: set[str], setting: Setting) -> bool:
    """Whether a line begins a note: smaller than the text, or set off from it, with a mark that the text has too."""
    line = lines[index]
    mark, raised = _opens(line)
    if not mark:
        return False
    if line.size < _SMALL * setting.body:
        return raised or mark in called
    apart = index == 0 or line.base - lines[index - 1].base > 1.2 * setting.leading_of(line.size)
    return apart and mark in called and mark.isdigit() and not line.text[len(mark) : len(mark) + 1].strip(" ")


def _goes_on_from(column: Column, start: int, notes: Sequence[Note], setting: Setting) -> int:
    """Where the end of the last sheet's last note begins, above this column's own notes; else ``start``."""
    lines = column.lines
    if not notes or notes[-1].column.sheet != column.sheet - 1 or notes[-1].column.lines[-1].closed:
        return start
    size, above = notes[-1].column.lines[-1].size, start
    if size > _SMALL * setting.body:
        return start
    while above > 0 and abs(lines[above - 1].size - size) < 0.04 * size:
        above -= 1
    return above if above > 0 else start


def _notes(column: Column) -> Iterator[Note]:
    """The notes whose lines these are."""
    lines: list[Line] = []
    mark = ""
    for line in column.lines:
        opens, _ = _opens(line)
        if opens and (not lines or _follows(mark, opens)):
            if lines:
                yield Note(mark, replace(column, lines=tuple(lines)))
            mark, lines = opens, []
            line = _unmarked(line)
        lines.append(line)
    if lines:
        yield Note(mark, replace(column, lines=tuple(lines)))


def _follows(mark: str, opens: str) -> bool:
    """Whether one mark may come after another: 4 after 3, but no 1931 that a line happens to begin with."""
    return (
        int(opens) == int(mark) + 1 if mark.isdigit() and opens.isdigit() else not opens.isdigit() or not mark.isdigit()
    )


def _unmarked(line: Line) -> Line:
    end = line.raised[0][1] if line.raised and line.raised[0][0] == 0 else 0
    if not end:
        found = _MARK.match(line.text)
        end = found.end() if found else 0
    return replace(line, text=line.text[end:].lstrip(" .)"), raised=())
