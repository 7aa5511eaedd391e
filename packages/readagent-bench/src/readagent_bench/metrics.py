"""Measures of single predictions: right or wrong, ROUGE, compression, look-ups. All are zero without an answer."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from functools import cache, lru_cache
from typing import Any

from readagent.core.words import count_words
from readagent.errors import UsageError
from readagent_bench.plugins import called, load
from readagent_bench.records import Prediction

_WORD = re.compile(r"\w+")
ROUGE = ("rouge1", "rouge2", "rougeL")


def correct(prediction: Prediction) -> float:
    """Return 1 if the option or verdict is right."""
    return float(not prediction.error and bool(prediction.gold) and prediction.choice == prediction.gold)


def pairs(predictions: Sequence[Prediction]) -> dict[tuple[int, str, str], float]:
    """Return 1 for each run, document and pair whose claims are all right, else 0."""
    together: dict[tuple[int, str, str], float] = {}
    for prediction in predictions:
        if prediction.pair:
            key = prediction.run, prediction.case, prediction.pair
            together[key] = min(together.get(key, 1.0), correct(prediction))
    return together


def rouge(prediction: Prediction) -> Mapping[str, float]:
    """Return ROUGE-1, -2 and -L (F-measure, stemmed), each against the reference that fits it best."""
    if prediction.error or not prediction.text or not prediction.references:
        return dict.fromkeys(ROUGE, 0.0)
    scored = [_rouge(reference, prediction.text) for reference in prediction.references]
    return dict(zip(ROUGE, map(max, zip(*scored, strict=True)), strict=True))


@lru_cache(maxsize=1 << 16)
def _rouge(reference: str, text: str) -> tuple[float, ...]:
    found = _scorer().score(reference, text)
    return tuple(float(found[name].fmeasure) for name in ROUGE)


def contains(prediction: Prediction) -> float:
    """Return 1 if the answer contains a reference, ignoring case, punctuation and white space."""
    said = f" {_plain(prediction.text)} "
    wanted = (_plain(reference) for reference in prediction.references)
    return float(not prediction.error and any(f" {one} " in said for one in wanted if one))


def _plain(text: str) -> str:
    return " ".join(_WORD.findall(text.casefold()))


@cache
def _scorer() -> Any:
    from rouge_score.rouge_scorer import RougeScorer

    return RougeScorer(list(ROUGE), use_stemmer=True)


def compression(prediction: Prediction) -> float:
    """Return the percentage of the words of the text that were not in the prompt of the answer."""
    return 100 * (1 - prediction.context_words / prediction.full_words) if prediction.full_words else 0.0


def look_ups(prediction: Prediction) -> float | None:
    """Return the number of pages looked up; None if the method never looks up any."""
    return None if prediction.pages is None else float(len(prediction.pages))


def response_words(prediction: Prediction) -> float:
    """Return the number of words of the answer."""
    return float(count_words(prediction.text))


OwnMeasure = Callable[[Prediction], float | None]
"""Return the score of a prediction, or None if the measure is not for it."""


def own_measures(names: Sequence[str], taken: Sequence[str]) -> dict[str, OwnMeasure]:
    """Return measures of the user by the names of their functions, which must not be ``taken`` by others."""
    found: dict[str, OwnMeasure] = {}
    for name in names:
        function = load(name, "measure")
        if not callable(function):
            raise UsageError(f"the measure {name} is not a function", hint="it takes a prediction and returns a number")
        shown = getattr(function, "__name__", "") or name
        if shown in taken:
            raise UsageError(f"there is a measure {shown!r} already", hint="give the function another name")
        found[shown] = function
    return found


def own_score(name: str, measure: OwnMeasure, prediction: Prediction) -> float | None:
    """Return what a measure of the user says of a prediction. Raises UsageError if that is no number."""
    score = called(lambda: measure(prediction), f"the measure {name} failed on {prediction.example}")
    if score is not None and not (isinstance(score, int | float) and math.isfinite(score)):
        raise UsageError(f"the measure {name} returned {score!r} for {prediction.example}, not a number")
    return None if score is None else float(score)
