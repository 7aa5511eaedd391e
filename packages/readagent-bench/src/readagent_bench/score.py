"""Scores of a run on questions: a row of figures for each method."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol, TypeVar

from readagent_bench.example import SEARCH_FAILED
from readagent_bench.folder import Key, RunFolder
from readagent_bench.groups import grouped
from readagent_bench.metrics import (
    ROUGE,
    OwnMeasure,
    compression,
    contains,
    correct,
    look_ups,
    own_score,
    own_scores,
    pairs,
    response_words,
    rouge,
)
from readagent_bench.rate import Rating, ratings_of
from readagent_bench.rate_summaries import SummaryRating, share, summary_ratings_of
from readagent_bench.records import Prediction, Reading, Spent, shared_words
from readagent_bench.statistics import Estimate, Scores, difference, estimate


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
    ``groups`` break some measures down by group of questions: ``{"right": {"hard": ..., "easy": ...}}``.
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


def estimates(scores: Mapping[str, Scores], seed: int = 0) -> dict[str, Estimate]:
    """Return the estimate of each measure that has scores."""
    return {name: one for name, values in scores.items() if (one := estimate(values, seed)) is not None}


def differences(first: Row, second: Row) -> dict[str, Estimate]:
    """Return how much more the first method scores than the second on the same questions, by measure."""
    found = {
        name: difference(first.scores[name], second.scores[name]) for name in first.scores if name in second.scores
    }
    return {name: one for name, one in found.items() if one is not None}


_SUMS = (
    "calls", "words", "shared_words", "prompt_tokens", "reply_tokens", "cached_tokens", "seconds", "refusals"
)  # fmt: skip
_SEARCHING = ("memwalker",)  # methods whose search may fail
RIGHT = "right"  # the measure of groups: the share of right answers

Ratings = Mapping[Key, Rating]
SummaryRatings = Mapping[Key, SummaryRating]


def rows(folder: RunFolder, rater: str = "", *, measures: Mapping[str, OwnMeasure] | None = None) -> list[Row]:
    """Return a row for each method, in the order of the manifest. ``measures`` are those of the user, by name."""
    found = by_method(folder.records(Prediction), folder.manifest().get("methods", []))
    readings = by_method(folder.records(Reading))
    shared: dict[str, int] = defaultdict(int)
    for _, method, _, prompts in folder.prompts():
        shared[method] += shared_words(prompts)
    ratings, summaries = ratings_of(folder, rater), summary_ratings_of(folder, rater)
    return [
        _row(some, readings.get(name, []), ratings, summaries, shared[name], measures or {})
        for name, some in found.items()
    ]


def _row(
    predictions: Sequence[Prediction], readings: Sequence[Reading], ratings: Ratings, summaries: SummaryRatings,
    shared: int, measures: Mapping[str, OwnMeasure],
) -> Row:  # fmt: skip
    runs = len({prediction.run for prediction in predictions})
    scores = _scores(predictions, ratings) | _summary_scores(predictions, summaries)
    scores |= own_scores(predictions, measures)
    totals = _totals([p.spent for p in predictions] + [r.spent for r in readings], runs)
    totals["shared_words"] = (totals["shared_words"] or 0) + shared / runs
    totals["fallbacks"] = (sum(len(p.fallbacks) for p in predictions) + sum(len(r.fallbacks) for r in readings)) / runs
    return Row(
        predictions[0].method,
        predictions[0].title,
        {"questions": len({(p.case, p.example) for p in predictions})},
        sum(bool(p.error) for p in predictions),
        estimates(scores),
        totals,
        _unrated(predictions, ratings, summaries),
        _groups(predictions, ratings),
        scores,
    )


def _unrated(predictions: Sequence[Prediction], ratings: Ratings, summaries: SummaryRatings) -> int:
    """Count answers without a readable verdict, or not seen by the rater, and summaries not seen by theirs."""
    said = [p for p in predictions if p.references and not _missing(p)]
    grades = [ratings[p.key].grade if p.key in ratings else "unrated" for p in said]
    unrated = grades.count("unrated") if any(p.key in ratings for p in said) else 0
    unseen = [p for p in said if p.key not in summaries]
    return unrated + (len(unseen) if len(unseen) < len(said) else 0)


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
    """Return estimates by group, for each measure: right answers, and the measure of the data set's authors.

    Where neither is known, it is ROUGE-L. Answers that nobody rated are not among those that are right or wrong.
    """
    free = [p for p in predictions if p.references]
    verdicts = {p.key: verdict for p in predictions if (verdict := right(p, ratings)) is not None}
    some_known = any(not p.error and p.key in verdicts for p in predictions)
    known = [p for p in predictions if p.key in verdicts] if some_known else []
    parts: dict[str, dict[str, Estimate]] = {
        RIGHT: _by_group(known, lambda p: float(verdicts[p.key])),
        "f1": _by_group([p for p in free if p.scored], own_score),
    }
    if not any(parts.values()):
        parts["rougeL"] = _by_group(free, _rouge("rougeL"))
    return {name: groups for name, groups in parts.items() if groups}


def _by_group(predictions: Sequence[Prediction], score: Callable[[Prediction], float]) -> dict[str, Estimate]:
    found = {group: estimate(_grouped(some, score)) for group, some in grouped(predictions).items()}
    return {group: one for group, one in found.items() if one is not None}


def _scores(predictions: Sequence[Prediction], ratings: Ratings) -> dict[str, Scores]:
    """Return the scores of single questions by measure, and by run and document."""
    free = [p for p in predictions if p.references]
    seen = any(p.key in ratings for p in free)  # by the rater; a missing answer need not be, and counts as wrong
    rated = [p for p in free if p.key in ratings or _missing(p)] if seen else []
    grades = {p.key: ratings[p.key].grade if p.key in ratings else "none" for p in rated}
    answered = [p for p in predictions if p.answered]
    scores: dict[str, Scores] = {
        "accuracy": _grouped([p for p in predictions if p.gold], correct),
        **{name: _grouped(free, _rouge(name)) for name in ROUGE},
        "f1": _grouped([p for p in free if p.scored], own_score),
        "contains": _grouped(free, contains),
        "lr1": _grouped(rated, lambda p: float(grades[p.key] == "exact")),
        "lr2": _grouped(rated, lambda p: float(grades[p.key] in ("exact", "partial"))),
        "cr": _grouped(answered, compression),
        "context_words": _grouped(answered, lambda p: float(p.context_words)),
        "lookups": _grouped([p for p in answered if p.pages is not None], lambda p: look_ups(p) or 0.0),
        "response_words": _grouped([p for p in answered if p.kind == "free"], response_words),
        "search_failures": _grouped(
            [p for p in predictions if p.method in _SEARCHING], lambda p: float(SEARCH_FAILED in p.notes)
        ),
        "pair_accuracy": _pairs(predictions),
        **_page_scores(predictions),
    }
    return {name: values for name, values in scores.items() if values}


def _summary_scores(predictions: Sequence[Prediction], ratings: SummaryRatings) -> dict[str, Scores]:
    """Return how much summaries cover, and how much of them is true; a missing one covers nothing."""
    free = [p for p in predictions if p.references]
    if not any(p.key in ratings for p in free):
        return {}
    said = [p for p in free if p.key in ratings and ratings[p.key].faithful]
    scores = {
        "coverage": _grouped(
            [p for p in free if p.key in ratings or _missing(p)],
            lambda p: ratings[p.key].coverage if p.key in ratings else 0.0,
        ),
        "faithfulness": _grouped(said, lambda p: share(ratings[p.key].faithful)),
    }
    return {name: values for name, values in scores.items() if values}


def _page_scores(predictions: Sequence[Prediction]) -> dict[str, Scores]:
    """Return how many of the relevant pages were looked up, if they are known; a failed question found none."""
    looks_up = any(p.pages is not None for p in predictions)
    known = [p for p in predictions if p.relevant is not None and (p.pages is not None or (p.error and looks_up))]
    return {
        "page_hit": _grouped(known, lambda p: float(bool(found_pages(p)))),
        "page_recall": _grouped(known, lambda p: len(found_pages(p)) / max(1, len(p.relevant or ()))),
        "page_precision": _grouped(
            [p for p in known if p.pages or p.error], lambda p: len(found_pages(p)) / max(1, len(p.pages or ()))
        ),
    }


def found_pages(prediction: Prediction) -> set[int]:
    """Return the relevant pages among those that were looked up."""
    return set(prediction.relevant or ()) & set(prediction.pages or ())


def _pairs(predictions: Sequence[Prediction]) -> Scores:
    grouped: dict[tuple[int, str], dict[str, float]] = defaultdict(dict)
    for (run, case, pair), score in sorted(pairs(predictions).items()):
        grouped[run, case][pair] = score
    return grouped


def _rouge(name: str) -> Callable[[Prediction], float]:
    return lambda prediction: rouge(prediction)[name]


def _grouped(predictions: Iterable[Prediction], measure: Callable[[Prediction], float]) -> Scores:
    grouped: dict[tuple[int, str], dict[str, float]] = defaultdict(dict)
    for prediction in sorted(predictions, key=lambda p: p.key):
        grouped[prediction.run, prediction.case][prediction.example] = measure(prediction)
    return grouped


def _totals(spent: Sequence[Spent], runs: int) -> dict[str, float | None]:
    totals: dict[str, float | None] = {name: sum(one.get(name) or 0 for one in spent) / runs for name in _SUMS}
    costs = [one.get("cost") for one in spent if one]
    totals["cost"] = None if any(cost is None for cost in costs) else sum(cost or 0 for cost in costs) / runs
    return totals
