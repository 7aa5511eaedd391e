"""How sure the offline reader is, from what its network says about all passages that it read for a question.

The chances of all extracts to be right, and of none to be, are those of a softmax. ``training/calibrate.py`` prints the
numbers; they come from questions that the reader was not trained on. An answer that a language model worded from the
extracts is judged by the chances of those that it repeats, and by how likely its words were for that model
(``training/calibrate_worded.py``).
"""

from __future__ import annotations

from collections.abc import Sequence
from math import exp, log

SURE = 0.90  # certainty from which a short answer is given, or a choice without a warning
NAMED = 0.50  # certainty of a clause that the question names, at least
_CLEAR = 0.80  # certainty of an extract from which no more passages are read
_NEAR = 0.33  # of the certainty of the first extract that another one needs to be shown
_ABSENT = 0.75  # chance of no extract being right from which no language model is asked to word an answer
_ANSWERED, _LIKELY, _NEARNESS, _SHIFT = 0.53, 0.90, 0.05, -0.73
_WORDED = 0.40  # certainty from which a worded answer is given
_REPEATED, _FLUENT, _LESS = 5.22, 5.74, -0.26


def evidence(answered: float, likely: float, score: float) -> float:
    """Return the evidence for an extract: more than 0 if it is more likely to be right than no extract at all.

    ``answered`` is the logit of its passage answering the question, ``likely`` the probability of its first and last
    word, and ``score`` what the search made of the passage.
    """
    return _ANSWERED * answered + _LIKELY * log(max(likely, 1e-6)) + _NEARNESS * score + _SHIFT


def chances(evidences: Sequence[float]) -> list[float]:
    """Return how likely each extract is the right one; what is missing to 1 is the chance that none is."""
    highest = max(0.0, *evidences) if evidences else 0.0
    shares = [exp(one - highest) for one in evidences]
    total = sum(shares) + exp(-highest)
    return [share / total for share in shares]


def is_clear(certainty: float) -> bool:
    """Whether an extract is so likely right that no more passages need to be read."""
    return certainty >= _CLEAR


def is_near(certainty: float, best: float) -> bool:
    """Whether an extract is likely enough to be shown below the best one."""
    return certainty >= _NEAR * best


def is_absent(certainties: Sequence[float]) -> bool:
    """Whether it is not worth asking a language model, given how likely the extracts are."""
    return 1 - sum(certainties) >= _ABSENT


def worded_certainty(repeated: float, fluent: float) -> float:
    """Return how likely an answer is right that a language model worded from the extracts.

    ``repeated`` is the chance of the extracts that it repeats, and ``fluent`` the mean log probability of its tokens.
    """
    return 1 / (1 + exp(-(_REPEATED * repeated + _FLUENT * fluent + _LESS)))


def is_given(worded: float) -> bool:
    """Whether a worded answer is given, if only with a warning."""
    return worded >= _WORDED
