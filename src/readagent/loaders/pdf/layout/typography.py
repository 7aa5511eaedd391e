"""How a document is set: the size of its type, how far its lines are apart, its columns' edges, its first lines."""

from __future__ import annotations

import itertools
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from readagent.loaders.pdf.layout.page import Column, Line

_MOST_INDENT = 4.5  # of the type size
_ENOUGH = 8  # lines that make a column's edges certain


@dataclass(frozen=True, slots=True)
class Setting:
    """``body`` is the size of running text; ``indent`` how far its paragraphs' first lines are drawn in, or 0."""

    body: float
    leading: Mapping[int, float]
    indent: float = 0.0

    def leading_of(self, size: float) -> float:
        """From baseline to baseline in text of this size."""
        return self.leading.get(_step(size)) or 1.2 * size


def setting_of(columns: Sequence[Column], body: float) -> Setting:
    """How these columns, whose edges are known, are set."""
    setting = Setting(body, _leadings(columns))
    return replace(setting, indent=_indent(columns, setting))


def _step(size: float) -> int:
    return round(2 * size)


def _leadings(columns: Iterable[Column]) -> dict[int, float]:
    """For each size the distance of baselines that is met most often."""
    seen: defaultdict[int, Counter[float]] = defaultdict(Counter)
    for column in columns:
        for above, below in itertools.pairwise(column.lines):
            apart = below.base - above.base
            if _step(above.size) == _step(below.size) and 0.8 * above.size < apart < 3 * above.size:
                seen[_step(above.size)][round(2 * apart) / 2] += 1
    return {size: _most(distances) for size, distances in seen.items()}


def _most(distances: Counter[float]) -> float:
    """The commonest; of two that are nearly as common the smaller, since gaps between paragraphs are larger."""
    most = max(distances.values())
    return min(distance for distance, count in distances.items() if count > 0.6 * most)


def _indent(columns: Iterable[Column], setting: Setting) -> float:
    """How far first lines are drawn in: a full line that is, with one after it that is not, is a first line."""
    lines, found = 0, Counter[int]()
    for column in columns:
        lines += len(column.lines)
        for first, second in itertools.pairwise(column.lines):
            inward = first.left - column.left
            if (
                0.6 * first.size < inward < _MOST_INDENT * first.size
                and abs(second.left - column.left) < 0.3 * first.size
                and not is_short(first, second, column.right)
                and second.base - first.base < 1.15 * setting.leading_of(first.size)
            ):
                found[round(inward)] += 1
    if not found:
        return 0.0
    inward, count = found.most_common(1)[0]
    count += found[inward - 1] + found[inward + 1]
    return float(inward) if count >= max(2, 0.02 * lines) else 0.0


def is_short(line: Line, following: Line, right: float) -> bool:
    """Whether the first word of the next line would still have found room before the edge: the line was ended."""
    word = following.text.split(" ", 1)[0]
    if is_cjk(word[:1]):
        word = word[:1]
    width = (following.right - following.left) / max(1, len(following.text)) * len(word)
    return line.right + 0.25 * line.size + 1.1 * width < right - 0.4 * line.size


def is_cjk(character: str) -> bool:
    """Whether this is written without spaces: Chinese, Japanese."""
    return bool(re.match("[\u3000-\u30ff\u3400-\u9fff\uf900-\ufaff\uff00-\uffef]", character))


def fitted(columns: Sequence[Column]) -> list[Column]:
    """Columns with their true edges: what stands out is left aside, and a column of few lines learns from its like."""
    own = [replace(column, left=_left(column.lines), right=_right(column.lines)) for column in columns]
    rights: defaultdict[int, Counter[int]] = defaultdict(Counter)
    for column in own:
        if len(column.lines) >= _ENOUGH:
            rights[round(column.left / 4)][round(column.right)] += len(column.lines)
    return [_like_the_others(column, rights) for column in own]


def _left(lines: Sequence[Line]) -> float:
    """The leftmost place at which several lines begin."""
    starts = sorted(line.left for line in lines)
    enough = max(2, round(0.06 * len(starts)))
    return next(
        (start for start, later in zip(starts, starts[enough - 1 :], strict=False) if later - start < 2), starts[0]
    )


def _right(lines: Sequence[Line]) -> float:
    """The rightmost place at which two lines end."""
    ends = sorted((line.right for line in lines), reverse=True)
    return next((end for end, later in itertools.pairwise(ends) if end - later < 3), ends[0])


def _like_the_others(column: Column, rights: Mapping[int, Counter[int]]) -> Column:
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
    return replace(column, right=usual) if len(column.lines) < _ENOUGH and column.right < usual else column


def _near(key: int) -> Iterator[int]:
    yield from (key - 1, key, key + 1)
