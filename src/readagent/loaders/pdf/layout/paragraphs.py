"""From the lines of a column to passages: paragraphs, list items, verse, tables and listings."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from enum import Enum

from readagent.loaders.pdf.layout.columns import LABEL
from readagent.loaders.pdf.layout.page import Column, Line
from readagent.loaders.pdf.layout.tables import contents_in, listings_in, tables_in
from readagent.loaders.pdf.layout.typography import Setting, is_short

_LABELLED = re.compile(rf"(?:{LABEL.pattern})\s+\S|[•◦▪‣●]\S")
CAPTION = re.compile(
    r"(?i)(?:figure|fig\.|table|tab\.|abbildung|abb\.|tabelle|tableau|figura|tabla|listing|algorithm)\s*[\dA-Z][\d.]*[:.]\s"
)
_VERSE = 3  # lines


class Kind(Enum):
    """What a passage is."""

    TEXT = "text"
    ITEM = "item"
    VERSE = "verse"
    CONTENTS = "contents"
    TABLE = "table"
    LISTING = "listing"


@dataclass(frozen=True, slots=True)
class Passage:
    """Lines that belong together; ``left`` and ``right`` are the edges between which they are set.

    ``above`` is how far the line above it is away, in lines; ``level`` is that of a heading, from 1, or 0.
    """

    lines: tuple[Line, ...]
    sheet: int
    left: float
    right: float
    kind: Kind = Kind.TEXT
    above: float = 9.0
    level: int = 0

    @property
    def text(self) -> str:
        """Its lines with nothing undone, to look at."""
        return " ".join(line.text for line in self.lines)

    @property
    def size(self) -> float:
        """Of its type."""
        return max(self.lines, key=lambda line: len(line.text)).size

    @property
    def bold(self) -> bool:
        """Whether all of it is bold."""
        return all(line.bold for line in self.lines)


def passages_of(column: Column, setting: Setting, *, mono: bool = False) -> list[Passage]:
    """The passages of a column; ``mono`` says that the whole document is in type of one width."""
    lines = column.lines
    special: dict[int, tuple[int, Kind]] = {start: (end, Kind.TABLE) for start, end in tables_in(lines)}
    if not mono:
        special |= {start: (end, Kind.LISTING) for start, end in listings_in(lines)}
    special |= {start: (end, Kind.CONTENTS) for start, end in contents_in(lines)}
    found: list[Passage] = []
    start = plain = 0
    while start < len(lines):
        if start in special:
            found += _paragraphs(column, plain, start, setting)
            end, kind = special[start]
            found.append(_passage(column, start, end, setting, kind))
            start = plain = end
        else:
            start += 1
    found += _paragraphs(column, plain, len(lines), setting)
    return found


def _passage(column: Column, start: int, end: int, setting: Setting, kind: Kind = Kind.TEXT) -> Passage:
    lines = column.lines
    above = (lines[start].base - lines[start - 1].base) / setting.leading_of(lines[start].size) if start else 9.0
    return Passage(lines[start:end], column.sheet, column.left, column.right, kind, above)


def _paragraphs(column: Column, start: int, end: int, setting: Setting) -> list[Passage]:
    """The paragraphs of the lines from ``start`` to ``end``."""
    edges, blocks = _edges(column, start, end, setting)
    found: list[Passage] = []
    begin = start
    for index in range(start + 1, end + 1):
        if index == end or _breaks(column, begin, index, edges[index - 1 - start], blocks[index - start], setting):
            kind = Kind.ITEM if _LABELLED.match(column.lines[begin].text) else Kind.TEXT
            passage = _passage(column, begin, index, setting, kind)
            found.append(replace(passage, right=edges[index - 1 - start]))
            begin = index
    return list(_verses(found, setting))


def _edges(column: Column, start: int, end: int, setting: Setting) -> tuple[list[float], list[bool]]:
    """For each line the right edge to which it could run, and whether it is one of a block that is drawn in whole."""
    lines = column.lines
    edges, blocks = [column.right] * (end - start), [False] * (end - start)
    first = start
    while first < end:
        last = first + 1
        while last < end and _even(lines[first], lines[last]):
            last += 1
        if last - first > 2 and _is_block(column, first, last, setting):
            edge = max(line.right for line in lines[first:last])
            blocks[first - start + 1 : last - start] = [True] * (last - first - 1)
            while first > start and _of_block(lines[first - 1], lines[first], lines[last - 1], edge):
                first -= 1
            while last < end and _of_block(lines[last], lines[last - 1], lines[last - 1], edge):
                last += 1
            edges[first - start : last - start] = [edge] * (last - first)
        first = last
    return edges, blocks


def _is_block(column: Column, first: int, last: int, setting: Setting) -> bool:
    """Whether lines that begin at one place, right of the column's edge, are running text."""
    group = column.lines[first:last]
    edge = max(line.right for line in group)
    if group[0].left <= column.left + 0.6 * group[0].size or edge > column.right + 2:
        return False
    full = sum(not is_short(line, following, edge) for line, following in itertools.pairwise(group))
    return full >= 0.8 * (len(group) - 1) and _set_off(column, first, last, setting)


def _of_block(line: Line, beside: Line, like: Line, edge: float) -> bool:
    """Whether a line next to a block belongs to it: as large, within its edges, perhaps drawn in as a first line."""
    inward = line.left - like.left
    alike = abs(line.size - like.size) < 0.06 * like.size and abs(line.base - beside.base) < 2 * like.size
    return alike and -1.5 < inward < 3 * like.size and line.right < edge + 1.5


def _set_off(column: Column, first: int, last: int, setting: Setting) -> bool:
    """Whether lines drawn in as far as first lines are a block of their own, by the gaps around them."""
    lines = column.lines
    if not setting.indent or abs(lines[first].left - column.left - setting.indent) > 0.35 * lines[first].size:
        return True
    wide = 1.1 * setting.leading_of(lines[first].size)
    above = first > 0 and lines[first].base - lines[first - 1].base > wide
    return above and last < len(lines) and lines[last].base - lines[last - 1].base > wide


def _even(above: Line, below: Line) -> bool:
    """Whether two lines begin at the same place and are of the same size."""
    return abs(above.left - below.left) < 1.5 and abs(above.size - below.size) < 0.06 * above.size


def _breaks(column: Column, begin: int, index: int, edge: float, in_block: bool, setting: Setting) -> bool:
    """Whether a new paragraph begins with line ``index``, where the one before began with line ``begin``."""
    lines = column.lines
    above, line = lines[index - 1], lines[index]
    size = max(above.size, line.size)
    apart = (line.base - above.base) / setting.leading_of(size)
    short = is_short(above, line, edge)
    if abs(above.size - line.size) > 0.08 * size:
        within = 0.9 < apart < 1.1 and not short and not above.closed and abs(above.left - line.left) < 1
        return not (within and abs(above.size - line.size) < 0.16 * size)
    goes_on = not short and not above.closed and line.text[:1].islower()
    if goes_on and above.text[-1:] in "-‐\u00ad" and 0.3 < apart < 1.3:
        return False
    if apart > 1.3 or apart < 0.3:
        return not (goes_on and 0.3 < apart < 2.0)
    if (above.bold != line.bold or CAPTION.match(line.text)) and (short or above.closed):
        return True
    if apart > 1.1 and (short or above.closed):
        return True
    if _LABELLED.match(line.text) and _new_item(column, begin, index, short):
        return True
    return _breaks_by_indent(column, begin, index, short, in_block, setting)


def _new_item(column: Column, begin: int, index: int, short: bool) -> bool:
    """Whether a line that begins like a list item is one, and no line that happens to begin with a number."""
    lines = column.lines
    first, line = lines[begin], lines[index]
    label = line.text.split()[0]
    if not label.strip("()[].").isdecimal():
        return short or abs(line.left - lines[index - 1].left) > 0.6 * line.size or _beside(first, line)
    value = int(label.strip("()[]."))
    earlier = (other for other in lines[max(0, index - 40) : index] if _beside(other, line))
    return short or value == 1 or any(other.text.split()[0].strip("()[].") == str(value - 1) for other in earlier)


def _beside(item: Line, line: Line) -> bool:
    """Whether an item begins where another does."""
    return bool(_LABELLED.match(item.text)) and abs(item.left - line.left) < 0.8 * line.size


def _breaks_by_indent(column: Column, begin: int, index: int, short: bool, in_block: bool, setting: Setting) -> bool:
    lines = column.lines
    first, above, line = lines[begin], lines[index - 1], lines[index]
    step = 0.6 * line.size
    is_first_line = setting.indent > 0 and abs(line.left - column.left - setting.indent) < 0.35 * line.size
    if line.left > above.left + step:
        if index - 1 == begin and (_LABELLED.match(first.text) or not is_first_line):
            return short  # the second line of a paragraph whose first hangs out
        return short or is_first_line or above.closed
    if line.left < above.left - step:
        hangs = _LABELLED.match(first.text) and abs(first.left - column.left - setting.indent) > 0.35 * line.size
        broken_off = not above.closed and line.text[:1].islower()  # as beside a large initial
        out = index - 1 > begin and not broken_off
        return short or out or bool(hangs and line.left < first.left - step / 2)
    if is_first_line and not in_block and not _LABELLED.match(first.text) and abs(first.left - line.left) < step:
        return True
    return short


def _verses(passages: Sequence[Passage], setting: Setting) -> Iterator[Passage]:
    """Single lines that follow one another without a gap, most of them in the middle of a sentence, are verse."""
    run: list[Passage] = []
    for passage in passages:
        if run and not (_is_verse_line(passage, setting) and _goes_with(run[-1], passage)):
            yield from _verse(run)
            run = []
        if _is_verse_line(passage, setting):
            run.append(passage)
        else:
            yield passage
    yield from _verse(run)


def _is_verse_line(passage: Passage, setting: Setting) -> bool:
    return passage.kind is Kind.TEXT and len(passage.lines) == 1 and passage.size < 1.1 * setting.body


def _goes_with(above: Passage, passage: Passage) -> bool:
    return passage.above < 1.1 and above.bold == passage.bold and abs(above.size - passage.size) < 0.06 * above.size


def _verse(run: Sequence[Passage]) -> Iterator[Passage]:
    unfinished = sum(not passage.lines[0].closed for passage in run[:-1])
    if len(run) < _VERSE or 2 * unfinished < len(run) - 1:
        yield from run
    else:
        yield replace(run[0], lines=tuple(line for passage in run for line in passage.lines), kind=Kind.VERSE)
