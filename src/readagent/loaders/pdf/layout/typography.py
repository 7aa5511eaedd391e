"""The typography of a document: font size of the text, line spacing, first-line indent, and column edges."""

from __future__ import annotations

import itertools
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from readagent.loaders.pdf.layout.sheet import Column, Line

_MAX_INDENT = 4.5  # times the font size
_ENOUGH_LINES = 8  # to trust the edges of a column


@dataclass(frozen=True, slots=True)
class Typography:
    """``body`` is the font size of running text, ``indent`` the indent of first lines of paragraphs, or 0."""

    body: float
    leading: Mapping[int, float]
    indent: float = 0.0

    def leading_of(self, size: float) -> float:
        """Return the distance between baselines in text of this size."""
        return self.leading.get(_step(size)) or 1.2 * size


def typography_of(columns: Sequence[Column], body: float) -> Typography:
    """Return the typography of columns whose edges are known."""
    typography = Typography(body, _leadings(columns))
    return replace(typography, indent=_indent(columns, typography))


def _step(size: float) -> int:
    return round(2 * size)


def _leadings(columns: Iterable[Column]) -> dict[int, float]:
    """Return the most common distance between baselines for each font size."""
    seen: defaultdict[int, Counter[float]] = defaultdict(Counter)
    for column in columns:
        for above, below in itertools.pairwise(column.lines):
            distance = below.base - above.base
            if _step(above.size) == _step(below.size) and 0.8 * above.size < distance < 3 * above.size:
                seen[_step(above.size)][round(2 * distance) / 2] += 1
    return {size: _most_common(distances) for size, distances in seen.items()}


def _most_common(distances: Counter[float]) -> float:
    """Return the smallest of the most common distances, since gaps between paragraphs are larger."""
    most = max(distances.values())
    return min(distance for distance, count in distances.items() if count > 0.6 * most)


def _indent(columns: Iterable[Column], typography: Typography) -> float:
    """Return the first-line indent: that of full lines which are indented while the next line is not."""
    lines, found = 0, Counter[int]()
    for column in columns:
        lines += len(column.lines)
        for first, second in itertools.pairwise(column.lines):
            indent = first.left - column.left
            if (
                0.6 * first.size < indent < _MAX_INDENT * first.size
                and abs(second.left - column.left) < 0.3 * first.size
                and not is_short(first, second, column.right)
                and second.base - first.base < 1.15 * typography.leading_of(first.size)
            ):
                found[round(indent)] += 1
    if not found:
        return 0.0
    indent, count = found.most_common(1)[0]
    count += found[indent - 1] + found[indent + 1]
    return float(indent) if count >= max(2, 0.02 * lines) else 0.0


def is_short(line: Line, following: Line, right: float) -> bool:
    """Whether the first word of the next line would have fitted on this one, so the line was ended on purpose."""
    word = following.text.split(" ", 1)[0]
    if is_cjk(word[:1]):
        word = word[:1]
    width = (following.right - following.left) / max(1, len(following.text)) * len(word)
    return line.right + 0.25 * line.size + 1.1 * width < right - 0.4 * line.size


def is_cjk(character: str) -> bool:
    """Whether this character belongs to a script without spaces: Chinese, Japanese."""
    return bool(re.match("[\u3000-\u30ff\u3400-\u9fff\uf900-\ufaff\uff00-\uffef]", character))


def with_true_edges(columns: Sequence[Column]) -> list[Column]:
    """Return the columns with their real edges: outliers are ignored, short columns use those of similar ones."""
    own = [replace(column, left=_left(column.lines), right=_right(column.lines)) for column in columns]
    rights: defaultdict[int, Counter[int]] = defaultdict(Counter)
    for column in own:
        if len(column.lines) >= _ENOUGH_LINES:
            rights[round(column.left / 4)][round(column.right)] += len(column.lines)
    return [_with_usual_edge(column, rights) for column in own]


def _left(lines: Sequence[Line]) -> float:
    """Return the leftmost position at which several lines begin."""
    starts = sorted(line.left for line in lines)
    enough = max(2, round(0.06 * len(starts)))
    return next(
        (start for start, later in zip(starts, starts[enough - 1 :], strict=False) if later - start < 2), starts[0]
    )


def _right(lines: Sequence[Line]) -> float:
    """Return the rightmost position at which two lines end."""
    ends = sorted((line.right for line in lines), reverse=True)
    return next((end for end, later in itertools.pairwise(ends) if end - later < 3), ends[0])


def _with_usual_edge(column: Column, rights: Mapping[int, Counter[int]]) -> Column:
    key = round(column.left / 4)
    common: Counter[int] = Counter()
    for near in _near(key):
        common.update(rights.get(near, {}))
    if not common:
        return column
    usual = float(common.most_common(1)[0][0])
    beyond = sum(line.right > usual + 4 for line in column.lines)
    if column.right > usual and beyond <= 0.1 * len(column.lines) + 1:
        return replace(column, right=usual)
    return replace(column, right=usual) if len(column.lines) < _ENOUGH_LINES and column.right < usual else column


def _near(key: int) -> Iterator[int]:
    yield from (key - 1, key, key + 1)
