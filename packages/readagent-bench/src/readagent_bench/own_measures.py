"""Measures of the user: functions that score a prediction."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

from readagent.errors import UsageError
from readagent_bench.plugins import called, load
from readagent_bench.records import Prediction

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


def own_scores(
    predictions: Sequence[Prediction], measures: Mapping[str, OwnMeasure]
) -> dict[str, dict[tuple[int, str], dict[str, float]]]:
    """Return the scores of single questions by measure, and by run and document."""
    scores: dict[str, dict[tuple[int, str], dict[str, float]]] = {}
    for name, measure in measures.items():
        for prediction in sorted(predictions, key=lambda one: one.key):
            score = _score(name, measure, prediction)
            if score is not None:
                of_document = scores.setdefault(name, {}).setdefault((prediction.run, prediction.case), {})
                of_document[prediction.example] = score
    return scores


def _score(name: str, measure: OwnMeasure, prediction: Prediction) -> float | None:
    score = called(lambda: measure(prediction), f"the measure {name} failed on {prediction.example}")
    if score is None:
        return None
    if not isinstance(score, int | float) or not math.isfinite(score):
        raise UsageError(f"the measure {name} returned {score!r} for {prediction.example}, not a number")
    return float(score)
