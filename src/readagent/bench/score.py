"""From a run's records to a row of figures for each method."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from readagent.bench.folder import RunFolder
from readagent.bench.metrics import ROUGE, compression, contains, correct, look_ups, pairs, response_words, rouge
from readagent.bench.rate import Rating
from readagent.bench.records import Prediction, Reading, Spent, shared_words
from readagent.bench.statistics import Estimate, Scores, difference, estimate

_SUMS = ("calls", "words", "prompt_tokens", "reply_tokens", "cached_tokens", "seconds", "refusals")


@dataclass(frozen=True, slots=True)
class Row:
    """A method's figures: ``measures`` are estimates by name, ``totals`` are for one run.

    ``groups`` break down the main measure: whether the answer is right, or exact for the raters, or else its ROUGE-L.
    """

    method: str
    title: str
    questions: int
    failed: int
    measures: dict[str, Estimate]
    totals: dict[str, float | None]
    unrated: int = 0
    groups: dict[str, Estimate] = field(default_factory=dict)
    scores: dict[str, Scores] = field(default_factory=dict, repr=False, compare=False)


def rows(folder: RunFolder) -> list[Row]:
    """A row for each method, in the order in which the methods were named."""
    by_method: dict[str, list[Prediction]] = defaultdict(list)
    for prediction in folder.predictions():
        by_method[prediction.method].append(prediction)
    ratings = {(r.run, r.method, r.case, r.example): r for r in folder.ratings()}
    readings: dict[str, list[Reading]] = defaultdict(list)
    for reading in folder.readings():
        readings[reading.method].append(reading)
    shared: dict[str, int] = defaultdict(int)
    for _, method, _, prompts in folder.prompts():
        shared[method] += shared_words(prompts)
    named = [name for name in folder.manifest().get("methods", []) if name in by_method]
    order = [*named, *(name for name in by_method if name not in named)]
    return [_row(by_method[name], readings[name], ratings, shared[name]) for name in order]


def _row(
    predictions: Sequence[Prediction],
    readings: Sequence[Reading],
    ratings: dict[tuple[int, str, str, str], Rating],
    shared: int,
) -> Row:
    runs = len({prediction.run for prediction in predictions})
    scores = _scores(predictions, ratings)
    known = {name: found for name, values in scores.items() if (found := estimate(values)) is not None}
    totals = _totals([p.spent for p in predictions] + [r.spent for r in readings], runs)
    totals |= {
        "shared_words": shared / runs,
        "fallbacks": (sum(len(p.fallbacks) for p in predictions) + sum(len(r.fallbacks) for r in readings)) / runs,
        "failed_searches": sum("search failed" in p.notes for p in predictions) / runs,
    }
    rated = [ratings[p.key] for p in predictions if p.key in ratings]
    return Row(
        predictions[0].method,
        predictions[0].title,
        len({(p.case, p.example) for p in predictions}),
        sum(bool(p.error) for p in predictions),
        known,
        totals,
        sum(one.grade == "unrated" for one in rated),
        _groups(predictions, ratings),
        scores,
    )


def _groups(predictions: Sequence[Prediction], ratings: dict[tuple[int, str, str, str], Rating]) -> dict[str, Estimate]:
    found = {}
    for group in sorted({prediction.group for prediction in predictions} - {""}):
        scores = _scores([prediction for prediction in predictions if prediction.group == group], ratings)
        main = next((scores[name] for name in ("accuracy", "lr1", "rougeL") if name in scores), None)
        if main is not None and (one := estimate(main)) is not None:
            found[group] = one
    return found


def _scores(predictions: Sequence[Prediction], ratings: dict[tuple[int, str, str, str], Rating]) -> dict[str, Scores]:
    """By measure, and by run and document: the scores of single questions."""
    keyed = [p for p in predictions if p.gold]
    free = [p for p in predictions if p.references]
    rated = [p for p in free if p.key in ratings]
    spanned = [p for p in predictions if p.relevant and p.pages is not None]
    answered = [p for p in predictions if not p.error]
    rouges = {p.key: rouge(p) for p in free}
    scores = {
        "accuracy": _grouped(keyed, correct),
        **{name: _grouped(free, _taken(rouges, name)) for name in ROUGE},
        "contains": _grouped(free, contains),
        "lr1": _grouped(rated, lambda p: float(ratings[p.key].grade == "exact")),
        "lr2": _grouped(rated, lambda p: float(ratings[p.key].grade in ("exact", "partial"))),
        "cr": _grouped(answered, compression),
        "lookups": _grouped([p for p in answered if p.pages is not None], lambda p: look_ups(p) or 0.0),
        "response_words": _grouped([p for p in answered if p.kind == "free"], response_words),
        "page_hit": _grouped(spanned, lambda p: float(bool(_found(p)))),
        "page_recall": _grouped(spanned, lambda p: len(_found(p)) / len(p.relevant or ())),
        "page_precision": _grouped([p for p in spanned if p.pages], lambda p: len(_found(p)) / len(p.pages or ())),
    }
    if together := pairs(predictions):
        grouped: dict[tuple[int, str], list[float]] = defaultdict(list)
        for (run, case, _), score in sorted(together.items()):
            grouped[run, case].append(score)
        scores["pair_accuracy"] = grouped
    return {name: values for name, values in scores.items() if values}


def _taken(rouges: Mapping[tuple[int, str, str, str], Mapping[str, float]], name: str) -> Callable[[Prediction], float]:
    return lambda prediction: rouges[prediction.key][name]


def _found(prediction: Prediction) -> set[int]:
    return set(prediction.relevant or ()) & set(prediction.pages or ())


def _grouped(predictions: Iterable[Prediction], measure: Callable[[Prediction], float]) -> Scores:
    grouped: dict[tuple[int, str], list[float]] = defaultdict(list)
    for prediction in sorted(predictions, key=lambda p: p.key):
        grouped[prediction.run, prediction.case].append(measure(prediction))
    return grouped


def _totals(spent: Sequence[Spent], runs: int) -> dict[str, float | None]:
    totals: dict[str, float | None] = {name: sum(one.get(name) or 0 for one in spent) / runs for name in _SUMS}
    costs = [one.get("cost") for one in spent if one]
    totals["cost"] = None if any(cost is None for cost in costs) else sum(cost or 0 for cost in costs) / runs
    return totals


def differences(first: Row, second: Row) -> dict[str, Estimate]:
    """How much more the first method scores than the second, by measure, on the same questions."""
    found = {
        name: difference(first.scores[name], second.scores[name]) for name in first.scores if name in second.scores
    }
    return {name: one for name, one in found.items() if one is not None}
