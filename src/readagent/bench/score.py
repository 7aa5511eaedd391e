"""From a run's records to a row of figures for each method."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from readagent.bench.example import SEARCH_FAILED
from readagent.bench.folder import RunFolder
from readagent.bench.metrics import ROUGE, compression, contains, correct, look_ups, pairs, response_words, rouge
from readagent.bench.rate import Rating
from readagent.bench.records import Key, Prediction, Reading, Spent, shared_words
from readagent.bench.statistics import Estimate, Scores, difference, estimate

_SUMS = (
    "calls", "words", "shared_words", "prompt_tokens", "reply_tokens", "cached_tokens", "seconds", "refusals"
)  # fmt: skip
_SEARCHING = ("memwalker",)  # methods whose search may end without a place to answer from

Ratings = Mapping[Key, Rating]


@dataclass(frozen=True, slots=True)
class Row:
    """A method's figures: ``measures`` are estimates by name, ``totals`` are for one run.

    ``groups`` break down how many answers are right: by their key, or exact for the rater; or else their ROUGE-L.
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


def ratings_of(folder: RunFolder, rater: str = "") -> dict[Key, Rating]:
    """One rater's ratings, by prediction: those of the rater named, or of the one who rated most."""
    found = folder.ratings()
    counts = Counter(rating.rater for rating in found)
    chosen = rater or max(counts, key=lambda name: counts[name], default="")
    texts = {prediction.key: prediction.text for prediction in folder.predictions()}
    mine = {(r.run, r.method, r.case, r.example): r for r in found if r.rater == chosen}
    return {key: rating for key, rating in mine.items() if texts.get(key) == rating.text}


def rows(folder: RunFolder, rater: str = "") -> list[Row]:
    """A row for each method, in the order in which the methods were named."""
    by_method: dict[str, list[Prediction]] = defaultdict(list)
    for prediction in folder.predictions():
        by_method[prediction.method].append(prediction)
    readings: dict[str, list[Reading]] = defaultdict(list)
    for reading in folder.readings():
        readings[reading.method].append(reading)
    shared: dict[str, int] = defaultdict(int)
    for _, method, _, prompts in folder.prompts():
        shared[method] += shared_words(prompts)
    ratings = ratings_of(folder, rater)
    named = [name for name in folder.manifest().get("methods", []) if name in by_method]
    order = [*named, *(name for name in by_method if name not in named)]
    return [_row(by_method[name], readings[name], ratings, shared[name]) for name in order]


def _row(predictions: Sequence[Prediction], readings: Sequence[Reading], ratings: Ratings, shared: int) -> Row:
    runs = len({prediction.run for prediction in predictions})
    scores = _scores(predictions, ratings)
    known = {name: found for name, values in scores.items() if (found := estimate(values)) is not None}
    totals = _totals([p.spent for p in predictions] + [r.spent for r in readings], runs)
    totals["shared_words"] = (totals["shared_words"] or 0) + shared / runs
    totals["fallbacks"] = (sum(len(p.fallbacks) for p in predictions) + sum(len(r.fallbacks) for r in readings)) / runs
    return Row(
        predictions[0].method,
        predictions[0].title,
        len({(p.case, p.example) for p in predictions}),
        sum(bool(p.error) for p in predictions),
        known,
        totals,
        _unrated(predictions, ratings),
        _groups(predictions, ratings),
        scores,
    )


def _unrated(predictions: Sequence[Prediction], ratings: Ratings) -> int:
    """Answers that no verdict could be read for, or that the rater has not seen; they count as wrong."""
    said = [p for p in predictions if p.references and not p.error and p.text.strip()]
    grades = [ratings[p.key].grade if p.key in ratings else "unrated" for p in said]
    return grades.count("unrated") if any(p.key in ratings for p in said) else 0


def right(prediction: Prediction, ratings: Ratings) -> float:
    """1 if the answer is right: by its key, or exact for the rater, or else if it holds the words of the key."""
    if prediction.gold:
        return correct(prediction)
    if rating := ratings.get(prediction.key):
        return float(rating.grade == "exact")
    return contains(prediction)


def _groups(predictions: Sequence[Prediction], ratings: Ratings) -> dict[str, Estimate]:
    """By group: how many are right; where all answers are free and none is rated, their ROUGE-L."""
    settled = any(p.gold or p.key in ratings for p in predictions)
    found = {}
    for group in sorted({prediction.group for prediction in predictions} - {""}):
        chosen = [p for p in predictions if p.group == group and (p.gold or p.references)]
        one = estimate(_grouped(chosen, (lambda p: right(p, ratings)) if settled else (lambda p: rouge(p)["rougeL"])))
        if one is not None:
            found[group] = one
    return found


def _scores(predictions: Sequence[Prediction], ratings: Ratings) -> dict[str, Scores]:
    """By measure, and by run and document: the scores of single questions."""
    free = [p for p in predictions if p.references]
    rated = free if any(p.key in ratings for p in free) else []
    grades = {p.key: ratings[p.key].grade if p.key in ratings else "unrated" for p in rated}
    answered = [p for p in predictions if p.answered]
    scores: dict[str, Scores] = {
        "accuracy": _grouped([p for p in predictions if p.gold], correct),
        **{name: _grouped(free, _rouge(name)) for name in ROUGE},
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


def _page_scores(predictions: Sequence[Prediction]) -> dict[str, Scores]:
    """How many of the pages that matter were looked up, where that is known; what failed found none."""
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
    """The pages that matter among those that were looked up."""
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


def differences(first: Row, second: Row) -> dict[str, Estimate]:
    """How much more the first method scores than the second, by measure, on the same questions."""
    found = {
        name: difference(first.scores[name], second.scores[name]) for name in first.scores if name in second.scores
    }
    return {name: one for name, one in found.items() if one is not None}
