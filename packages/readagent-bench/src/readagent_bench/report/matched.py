"""Methods compared at matched words: each with DOS-RAG that reads as many words, between two of its sizes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import log

from readagent_bench.report.tables import Cell, Line, heading_of, own_of, signed
from readagent_bench.score import Row
from readagent_bench.statistics import Scores, difference

_CURVE, _END = "dos-rag", "full"
_MEASURES = ("accuracy", "pair_accuracy", "lr1", "lr2", "rougeL")


def kind_of(row: Row) -> str:
    """Return the kind of a method: its name without the label of the run and without the number."""
    return row.method.rpartition("/")[2].partition(":")[0]


def words_per_question(row: Row) -> float:
    """Return the words that the model reads in one run, the documents included, for each question."""
    return (row.totals.get("words") or 0) / max(1, row.counts.get("questions", 0))


def matched(rows: Sequence[Row]) -> list[Line]:
    """Return how much more each method scores than DOS-RAG with as many words read, with 95 % intervals.

    The score of DOS-RAG between two sizes is taken, question by question, from both, in proportion to the logarithm of
    the words. The full text, if no question failed, is its largest size. Empty without at least two sizes.
    """
    curve = _curve(rows)
    if sum(kind_of(row) == _CURVE for row in curve) < 2:
        return []
    lines: list[Line] = []
    for row in rows:
        if kind_of(row) in (_CURVE, _END):
            continue
        match = _match(curve, words_per_question(row))
        cells: dict[str, Cell] = {
            "method": row.title,
            "words a question": f"{words_per_question(row):,.0f}",
            "compared with": match.title,
        }
        for name in (*_MEASURES, *own_of(rows)):
            if name in row.scores and name in match.low.scores and name in match.high.scores:
                one = difference(row.scores[name], match.scores(name))
                cells[heading_of(name)] = "" if one is None else signed(one, name)
        lines.append(cells)
    return lines


@dataclass(frozen=True, slots=True)
class _Match:
    """A place between two rows: ``share`` of the way from the first to the second."""

    low: Row
    high: Row
    share: float
    title: str

    def scores(self, name: str) -> Scores:
        high = self.high.scores[name]
        return {
            key: _mixed(questions, high[key], self.share)
            for key, questions in self.low.scores[name].items()
            if key in high
        }


def _mixed(low: Mapping[str, float], high: Mapping[str, float], share: float) -> dict[str, float]:
    return {name: (1 - share) * score + share * high[name] for name, score in low.items() if name in high}


def _curve(rows: Sequence[Row]) -> list[Row]:
    """Return the sizes of DOS-RAG, and the full text if it reads more, by the words that they read; each once."""
    sizes: dict[str, Row] = {}
    for row in rows:
        if kind_of(row) == _CURVE and words_per_question(row):
            sizes.setdefault(row.method.rpartition("/")[2], row)
    curve = sorted(sizes.values(), key=words_per_question)
    whole = next((row for row in rows if kind_of(row) == _END and not row.failed), None)
    if curve and whole is not None and words_per_question(whole) > words_per_question(curve[-1]):
        curve.append(whole)
    return curve


def _match(curve: Sequence[Row], words: float) -> _Match:
    first, last = curve[0], curve[-1]
    if words <= words_per_question(first):
        return _Match(first, first, 0, f"{first.title}, which reads {words_per_question(first):,.0f}")
    if words >= words_per_question(last):
        return _Match(last, last, 0, f"{last.title}, which reads {words_per_question(last):,.0f}")
    place = next(at for at, row in enumerate(curve) if words_per_question(row) > words)
    low, high = curve[place - 1], curve[place]
    start, end = words_per_question(low), words_per_question(high)
    share = (log(words) - log(start)) / (log(end) - log(start))
    return _Match(low, high, share, f"{low.title} ({1 - share:.0%}) and {high.title} ({share:.0%})")
