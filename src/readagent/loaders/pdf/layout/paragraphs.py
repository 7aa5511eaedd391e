"""Split the lines of a column into passages: paragraphs, list items, verse, tables and listings."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from enum import Enum

from readagent.loaders.pdf.layout.columns import LABEL
from readagent.loaders.pdf.layout.sheet import Column, Line
from readagent.loaders.pdf.layout.tables import contents_in, listings_in, tables_in
from readagent.loaders.pdf.layout.typography import Typography, is_short

_LABELLED = re.compile(rf"(?:{LABEL.pattern})\s+\S|[•◦▪‣●]\S")
CAPTION = re.compile(
    r"(?i)(?:figure|fig\.|table|tab\.|abbildung|abb\.|tabelle|tableau|figura|tabla|listing|algorithm)\s*[\dA-Z][\d.]*[:.]\s"
)
_MIN_VERSE_LINES = 3


class Kind(Enum):
    """The kind of a passage."""

    TEXT = "text"
    ITEM = "item"
    VERSE = "verse"
    CONTENTS = "contents"
    TABLE = "table"
    LISTING = "listing"


@dataclass(frozen=True, slots=True)
class Passage:
    """Lines that belong together; ``left`` and ``right`` are the edges of the column.

    ``above`` is the distance to the line above in line heights; ``level`` is that of a heading, or 0.
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
        """Its lines joined with spaces, hyphenation included."""
        return " ".join(line.text for line in self.lines)

    @property
    def size(self) -> float:
        """Its font size."""
        return max(self.lines, key=lambda line: len(line.text)).size

    @property
    def bold(self) -> bool:
        """Whether all of it is bold."""
        return all(line.bold for line in self.lines)


def passages_of(column: Column, typography: Typography, *, mono: bool = False) -> list[Passage]:
    """Return the passages of a column; ``mono`` means that the whole document is monospaced."""
    lines = column.lines
    special: dict[int, tuple[int, Kind]] = {start: (end, Kind.TABLE) for start, end in tables_in(lines)}
    if not mono:
        special |= {start: (end, Kind.LISTING) for start, end in listings_in(lines)}
    special |= {start: (end, Kind.CONTENTS) for start, end in contents_in(lines)}
    found: list[Passage] = []
    start = plain = 0
    while start < len(lines):
        if start in special:
            found += _paragraphs(column, plain, start, typography)
            end, kind = special[start]
            found.append(_passage(column, start, end, typography, kind))
            start = plain = end
        else:
            start += 1
    found += _paragraphs(column, plain, len(lines), typography)
    return found


def _passage(column: Column, start: int, end: int, typography: Typography, kind: Kind = Kind.TEXT) -> Passage:
    lines = column.lines
    above = (lines[start].base - lines[start - 1].base) / typography.leading_of(lines[start].size) if start else 9.0
    return Passage(lines[start:end], column.sheet, column.left, column.right, kind, above)


def _paragraphs(column: Column, start: int, end: int, typography: Typography) -> list[Passage]:
    """Return the paragraphs in the lines from ``start`` to ``end``."""
    edges, blocks = _edges(column, start, end, typography)
    found: list[Passage] = []
    begin = start
    for index in range(start + 1, end + 1):
        if index == end or _breaks(column, begin, index, edges[index - 1 - start], blocks[index - start], typography):
            kind = Kind.ITEM if _LABELLED.match(column.lines[begin].text) else Kind.TEXT
            passage = _passage(column, begin, index, typography, kind)
            found.append(replace(passage, right=edges[index - 1 - start]))
            begin = index
    return list(_verses(found, typography))


def _edges(column: Column, start: int, end: int, typography: Typography) -> tuple[list[float], list[bool]]:
    """Return the right edge of each line, and whether it is in an indented block."""
    lines = column.lines
    edges, blocks = [column.right] * (end - start), [False] * (end - start)
    first = start
    while first < end:
        last = first + 1
        while last < end and _aligned(lines[first], lines[last]):
            last += 1
        if last - first > 2 and _is_block(column, first, last, typography):
            edge = max(line.right for line in lines[first:last])
            blocks[first - start + 1 : last - start] = [True] * (last - first - 1)
            while first > start and _belongs_to_block(lines[first - 1], lines[first], lines[last - 1], edge):
                first -= 1
            while last < end and _belongs_to_block(lines[last], lines[last - 1], lines[last - 1], edge):
                last += 1
            edges[first - start : last - start] = [edge] * (last - first)
        first = last
    return edges, blocks


def _is_block(column: Column, first: int, last: int, typography: Typography) -> bool:
    """Whether lines with the same indent, right of the edge of the column, are running text."""
    group = column.lines[first:last]
    edge = max(line.right for line in group)
    if group[0].left <= column.left + 0.6 * group[0].size or edge > column.right + 2:
        return False
    full = sum(not is_short(line, following, edge) for line, following in itertools.pairwise(group))
    return full >= 0.8 * (len(group) - 1) and _set_off(column, first, last, typography)


def _belongs_to_block(line: Line, neighbour: Line, like: Line, edge: float) -> bool:
    """Whether a line next to a block belongs to it: same size, within its edges, perhaps with a first-line indent."""
    indent = line.left - like.left
    alike = abs(line.size - like.size) < 0.06 * like.size and abs(line.base - neighbour.base) < 2 * like.size
    return alike and -1.5 < indent < 3 * like.size and line.right < edge + 1.5


def _set_off(column: Column, first: int, last: int, typography: Typography) -> bool:
    """Whether lines with the indent of first lines are a block of their own, by the gaps around them."""
    lines = column.lines
    if not typography.indent or abs(lines[first].left - column.left - typography.indent) > 0.35 * lines[first].size:
        return True
    wide = 1.1 * typography.leading_of(lines[first].size)
    above = first > 0 and lines[first].base - lines[first - 1].base > wide
    return above and last < len(lines) and lines[last].base - lines[last - 1].base > wide


def _aligned(above: Line, below: Line) -> bool:
    """Whether two lines begin at the same position and have the same size."""
    return abs(above.left - below.left) < 1.5 and abs(above.size - below.size) < 0.06 * above.size


def _breaks(column: Column, begin: int, index: int, edge: float, in_block: bool, typography: Typography) -> bool:
    """Whether a new paragraph begins with line ``index``; the previous one began with line ``begin``."""
    lines = column.lines
    above, line = lines[index - 1], lines[index]
    size = max(above.size, line.size)
    distance = (line.base - above.base) / typography.leading_of(size)
    short = is_short(above, line, edge)
    if abs(above.size - line.size) > 0.08 * size:
        within = 0.9 < distance < 1.1 and not short and not above.ends_sentence and abs(above.left - line.left) < 1
        return not (within and abs(above.size - line.size) < 0.16 * size)
    continues = not short and not above.ends_sentence and line.text[:1].islower()
    if continues and above.text[-1:] in "-‐\u00ad" and 0.3 < distance < 1.3:
        return False
    if distance > 1.3 or distance < 0.3:
        return not (continues and 0.3 < distance < 2.0)
    if (above.bold != line.bold or CAPTION.match(line.text)) and (short or above.ends_sentence):
        return True
    if distance > 1.1 and (short or above.ends_sentence):
        return True
    if _LABELLED.match(line.text) and _new_item(column, begin, index, short):
        return True
    return _breaks_by_indent(column, begin, index, short, in_block, typography)


def _new_item(column: Column, begin: int, index: int, short: bool) -> bool:
    """Whether a line that begins like a list item is one, and not a line that happens to begin with a number."""
    lines = column.lines
    first, line = lines[begin], lines[index]
    label = line.text.split()[0]
    if not label.strip("()[].").isdecimal():
        return short or abs(line.left - lines[index - 1].left) > 0.6 * line.size or _same_list(first, line)
    value = int(label.strip("()[]."))
    earlier = (other for other in lines[max(0, index - 40) : index] if _same_list(other, line))
    return short or value == 1 or any(other.text.split()[0].strip("()[].") == str(value - 1) for other in earlier)


def _same_list(item: Line, line: Line) -> bool:
    """Whether a line begins at the same position as a list item."""
    return bool(_LABELLED.match(item.text)) and abs(item.left - line.left) < 0.8 * line.size


def _breaks_by_indent(
    column: Column, begin: int, index: int, short: bool, in_block: bool, typography: Typography
) -> bool:
    lines = column.lines
    first, above, line = lines[begin], lines[index - 1], lines[index]
    step = 0.6 * line.size
    is_first_line = typography.indent > 0 and abs(line.left - column.left - typography.indent) < 0.35 * line.size
    if line.left > above.left + step:
        if index - 1 == begin and (_LABELLED.match(first.text) or not is_first_line):
            return short  # the second line of a paragraph with a hanging indent
        return short or is_first_line or above.ends_sentence
    if line.left < above.left - step:
        hangs = _LABELLED.match(first.text) and abs(first.left - column.left - typography.indent) > 0.35 * line.size
        broken_off = not above.ends_sentence and line.text[:1].islower()  # as next to a drop cap
        out = index - 1 > begin and not broken_off
        return short or out or bool(hangs and line.left < first.left - step / 2)
    if is_first_line and not in_block and not _LABELLED.match(first.text) and abs(first.left - line.left) < step:
        return True
    return short


def _verses(passages: Sequence[Passage], typography: Typography) -> Iterator[Passage]:
    """Join single lines without gaps to verse if most of them end in the middle of a sentence."""
    run: list[Passage] = []
    for passage in passages:
        if run and not (_is_verse_line(passage, typography) and _goes_with(run[-1], passage)):
            yield from _verse(run)
            run = []
        if _is_verse_line(passage, typography):
            run.append(passage)
        else:
            yield passage
    yield from _verse(run)


def _is_verse_line(passage: Passage, typography: Typography) -> bool:
    return passage.kind is Kind.TEXT and len(passage.lines) == 1 and passage.size < 1.1 * typography.body


def _goes_with(above: Passage, passage: Passage) -> bool:
    return passage.above < 1.1 and above.bold == passage.bold and abs(above.size - passage.size) < 0.06 * above.size


def _verse(run: Sequence[Passage]) -> Iterator[Passage]:
    unfinished = sum(not passage.lines[0].ends_sentence for passage in run[:-1])
    if len(run) < _MIN_VERSE_LINES or 2 * unfinished < len(run) - 1:
        yield from run
    else:
        yield replace(run[0], lines=tuple(line for passage in run for line in passage.lines), kind=Kind.VERSE)
