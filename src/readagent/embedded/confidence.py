"""How sure the offline reader is, from what its network says.

The numbers are printed by ``training/calibrate.py``. They come from records that were kept for testing: 16 questions of
each of six sets (stories, dialogues, chats, Wikipedia, papers), each with the nearest passages of its set.
"""

from __future__ import annotations

from math import exp

SURE = 0.7  # certainty from which an answer is shown without a warning
_FOUND = 0.35  # certainty from which an extract is given as the answer
_SAID = 0.147  # certainty below which the text is assumed not to say
_SLOPE, _SHIFT = 0.428, -0.461  # of the logit "answered here" of the best of several passages


def certainty_of(answered: float) -> float:
    """Return how likely the best extract of the nearest passages is right, from its logit."""
    return _probability(_SLOPE * answered + _SHIFT)


def is_found(certainty: float) -> bool:
    """Whether an extract is worth giving as the answer."""
    return certainty >= _FOUND


def is_absent(certainty: float) -> bool:
    """Whether the text can be assumed not to say."""
    return certainty < _SAID


def _probability(logit: float) -> float:
    return 1 / (1 + exp(-max(-30.0, min(30.0, logit))))
