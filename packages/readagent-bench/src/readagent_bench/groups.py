"""Groups of questions: by what the data set says, by the length of the text, and by where the evidence is."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise

from readagent_bench.records import Prediction

_LENGTHS = (4_000, 16_000, 64_000, 256_000)  # words
_THIRDS = ("first third", "second third", "last third")


def grouped(predictions: Sequence[Prediction]) -> dict[str, list[Prediction]]:
    """Return the predictions of each group, by name; those of lengths and places only if there are several.

    A group that is not the data set's own is named with what it is by, as in ``evidence: last third``.
    """
    parts = [_together(predictions, lambda p: p.group)]
    parts += [_together(predictions, _by(tag)) for tag in dict.fromkeys(tag for p in predictions for tag in p.tags)]
    for label in (_length, _place):
        some = _together(predictions, label)
        parts.append(some if len(some) > 1 else {})
    return {name: some for part in parts for name, some in part.items()}


def _by(tag: str) -> Callable[[Prediction], str]:
    return lambda prediction: f"{tag}: {prediction.tags[tag]}" if prediction.tags.get(tag) else ""


def _together(predictions: Sequence[Prediction], label: Callable[[Prediction], str]) -> dict[str, list[Prediction]]:
    found: dict[str, list[Prediction]] = {}
    for prediction in predictions:
        found.setdefault(label(prediction), []).append(prediction)
    return {name: found[name] for name in sorted(found, key=_in_order) if name}


def _in_order(name: str) -> tuple[int, str]:
    return (_NAMES.index(name) if name in _NAMES else -1, name)


def _length(prediction: Prediction) -> str:
    place = sum(prediction.full_words >= limit for limit in _LENGTHS)
    return _NAMES[place]


def _place(prediction: Prediction) -> str:
    if prediction.evidence is None:
        return ""
    return f"evidence: {_THIRDS[min(2, int(3 * prediction.evidence))]}"


_NAMES = [
    f"words: under {_LENGTHS[0]:,}",
    *(f"words: {low:,} to {high:,}" for low, high in pairwise(_LENGTHS)),
    f"words: over {_LENGTHS[-1]:,}",
    *(f"evidence: {third}" for third in _THIRDS),
]
