"""Scores of a run on questions: a row of figures for each method."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Protocol, TypeVar

from readagent_bench.folder import Key, RunFolder
from readagent_bench.metrics import (
    ROUGE,
    OwnMeasure,
    compression,
    contains,
    correct,
    look_ups,
    own_score,
    pairs,
    response_words,
    rouge,
)
from readagent_bench.rate import Rating, ratings_of
from readagent_bench.records import SEARCH_FAILED, Prediction, Reading, Spent
from readagent_bench.statistics import Estimate, Scores, difference, estimate

_SUMS = (
    "calls", "words", "prompt_tokens", "reply_tokens", "cached_tokens", "seconds", "refusals"
)  # fmt: skip
_SEARCHING = ("memwalker",)  # methods whose search may fail
RIGHT = "right"  # the measure of groups: the share of right answers

Ratings = Mapping[Key, Rating]
Measure = Callable[[Prediction], float | None]  # None where it is not for a prediction


class OfMethod(Protocol):
    """A record that names the method it belongs to."""

    @property
    def method(self) -> str: ...


T = TypeVar("T", bound=OfMethod)


@dataclass(frozen=True, slots=True)
class Row:
    """The figures of a method.

    ``counts`` says how much was measured, as in ``{"questions": 120}``. ``measures`` are estimates by name, ``totals``
    are for one run. ``unrated`` counts free answers without a readable verdict; None for tasks without a rater.
    ``groups`` break a measure down by group of questions: ``{"right": {"hard": ..., "easy": ...}}``.
    """

    method: str
    title: str
    counts: Mapping[str, int]
    failed: int
    measures: Mapping[str, Estimate]
    totals: Mapping[str, float | None]
    unrated: int | None = None
    groups: Mapping[str, Mapping[str, Estimate]] = field(default_factory=dict)
    scores: Mapping[str, Scores] = field(default_factory=dict, repr=False, compare=False)


def by_method(records: Iterable[T], order: Sequence[str] = ()) -> dict[str, list[T]]:
    """Return the records of each method: methods in this order first, then others as they appear."""
    found: dict[str, list[T]] = {name: [] for name in order}
    for record in records:
        found.setdefault(record.method, []).append(record)
    return {name: some for name, some in found.items() if some}


def estimates(scores: Mapping[str, Scores]) -> dict[str, Estimate]:
    """Return the estimate of each measure that has scores."""
    return {name: one for name, values in scores.items() if (one := estimate(values)) is not None}


def differences(first: Row, second: Row) -> dict[str, Estimate]:
    """Return how much more the first method scores than the second on the same questions, by measure."""
    found = {
        name: difference(first.scores[name], second.scores[name]) for name in first.scores if name in second.scores
    }
    return {name: one for name, one in found.items() if one is not None}


def rows(folder: RunFolder, rater: str = "", *, measures: Mapping[str, OwnMeasure] | None = None) -> list[Row]:
    """Return a row for each method, in the order of the manifest. ``measures`` are those of the user, by name."""
    found = by_method(folder.records(Prediction), folder.manifest().get("methods", []))
    readings = by_method(folder.records(Reading))
    ratings = ratings_of(folder, rater)
    return [_row(some, readings.get(name, []), ratings, measures or {}) for name, some in found.items()]


def _row(
    predictions: Sequence[Prediction], readings: Sequence[Reading], ratings: Ratings, own: Mapping[str, OwnMeasure]
) -> Row:
    runs = len({prediction.run for prediction in predictions})
    scores = scores_of(predictions, ratings, own)
    totals = _totals([p.spent for p in predictions] + [r.spent for r in readings], runs)
    totals["texts"] = len({p.case for p in predictions})
    totals["shared_words"] = sum(p.spent.get("shared_words") or 0 for p in predictions) / runs
    totals["reading_words"] = sum(r.spent.get("words") or 0 for r in readings if not r.question) / runs
    totals["fallbacks"] = (sum(len(p.fallbacks) for p in predictions) + sum(len(r.fallbacks) for r in readings)) / runs
    return Row(
        predictions[0].method,
        predictions[0].title,
        {"questions": len({(p.case, p.example) for p in predictions})},
        sum(bool(p.error) for p in predictions),
        estimates(scores),
        totals,
        _unrated(predictions, ratings),
        _groups(predictions, ratings),
        scores,
    )


def _unrated(predictions: Sequence[Prediction], ratings: Ratings) -> int:
    """Count answers without a readable verdict, or not seen by the rater, if it saw any."""
    said = [p for p in predictions if p.references and not _missing(p)]
    grades = [ratings[p.key].grade if p.key in ratings else "unrated" for p in said]
    return grades.count("unrated") if any(p.key in ratings for p in said) else 0


def right(prediction: Prediction, ratings: Ratings) -> bool | None:
    """Return whether the answer is right, by its key or by the rater; None if neither says so.

    A missing answer is wrong; a free answer without a readable verdict is neither.
    """
    if prediction.gold:
        return bool(correct(prediction))
    if prediction.references and _missing(prediction):
        return False
    rating = ratings.get(prediction.key)
    return None if rating is None or rating.grade == "unrated" else rating.grade == "exact"


def _missing(prediction: Prediction) -> bool:
    """Return whether there is no answer, which nobody needs to rate."""
    return bool(prediction.error) or not prediction.text.strip()


def _groups(predictions: Sequence[Prediction], ratings: Ratings) -> dict[str, dict[str, Estimate]]:
    """Return estimates by group: of right answers, or of ROUGE-L where nobody says which are right.

    Answers that nobody rated are not among those that are right or wrong.
    """
    known = any(not p.error and right(p, ratings) is not None for p in predictions)
    name, measure = (RIGHT, partial(right, ratings=ratings)) if known else ("rougeL", _free(_rouge("rougeL")))
    found = {
        group: estimate(_grouped([p for p in predictions if p.group == group], measure))
        for group in sorted({p.group for p in predictions if p.group})
    }
    groups = {group: one for group, one in found.items() if one is not None}
    return {name: groups} if groups else {}


def scores_of(
    predictions: Sequence[Prediction], ratings: Ratings, own: Mapping[str, OwnMeasure] | None = None
) -> dict[str, Scores]:
    """Return the scores of single questions by measure, and by run and document."""
    seen = any(p.key in ratings for p in predictions)  # by the rater; a missing answer need not be, and is wrong
    looks_up = any(p.pages is not None for p in predictions)

    def grade(p: Prediction, *good: str) -> float | None:
        if not seen or not (p.key in ratings or _missing(p)):
            return None
        return float(p.key in ratings and ratings[p.key].grade in good)

    def precision(p: Prediction) -> float | None:
        return of_pages(p, lambda hits: hits / max(1, len(p.pages or ()))) if p.pages or p.error else None

    def of_pages(p: Prediction, score: Callable[[int], float]) -> float | None:
        """Return a measure of the relevant pages that were opened, if they are known; a failed question found none."""
        known = p.relevant is not None and (p.pages is not None or (p.error and looks_up))
        return score(len({*(p.relevant or ())} & {*(p.pages or ())})) if known else None

    measures: dict[str, Measure] = {
        "accuracy": lambda p: correct(p) if p.gold else None,
        **{name: _free(_rouge(name)) for name in ROUGE},
        "contains": _free(contains),
        "lr1": _free(lambda p: grade(p, "exact")),
        "lr2": _free(lambda p: grade(p, "exact", "partial")),
        "cr": lambda p: compression(p) if p.answered else None,
        "context_words": lambda p: float(p.context_words) if p.answered else None,
        "lookups": lambda p: look_ups(p) if p.answered else None,
        "response_words": lambda p: response_words(p) if p.answered and p.kind == "free" else None,
        "search_failures": lambda p: float(SEARCH_FAILED in p.notes) if p.method in _SEARCHING else None,
        "page_hit": lambda p: of_pages(p, lambda hits: float(hits > 0)),
        "page_recall": lambda p: of_pages(p, lambda hits: hits / max(1, len(p.relevant or ()))),
        "page_precision": precision,
        **{name: partial(own_score, name, measure) for name, measure in (own or {}).items()},
    }
    scores: dict[str, Scores] = {name: _grouped(predictions, measure) for name, measure in measures.items()}
    scores["pair_accuracy"] = _pairs(predictions)
    return {name: values for name, values in scores.items() if values}


def _free(measure: Measure) -> Measure:
    """Return a measure for questions with references only."""
    return lambda p: measure(p) if p.references else None


def _rouge(name: str) -> Measure:
    return lambda prediction: rouge(prediction)[name]


def _grouped(predictions: Iterable[Prediction], measure: Measure) -> Scores:
    grouped: dict[tuple[int, str], dict[str, float]] = defaultdict(dict)
    for prediction in sorted(predictions, key=lambda p: p.key):
        score = measure(prediction)
        if score is not None:
            grouped[prediction.run, prediction.case][prediction.example] = float(score)
    return grouped


def _pairs(predictions: Sequence[Prediction]) -> Scores:
    grouped: dict[tuple[int, str], dict[str, float]] = defaultdict(dict)
    for (run, case, pair), score in sorted(pairs(predictions).items()):
        grouped[run, case][pair] = score
    return grouped


def _totals(spent: Sequence[Spent], runs: int) -> dict[str, float | None]:
    totals: dict[str, float | None] = {name: sum(one.get(name) or 0 for one in spent) / runs for name in _SUMS}
    costs = [one.get("cost") for one in spent if one]
    totals["cost"] = None if any(cost is None for cost in costs) else sum(cost or 0 for cost in costs) / runs
    return totals
