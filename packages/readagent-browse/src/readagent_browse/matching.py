"""Match names with an instruction by shared words: the fallback if a model names no element legibly."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from math import fsum

from readagent_browse.dom import Element
from readagent_browse.goal import Goal

_WORD = re.compile(r"\w{3,}")


def best_match(elements: Sequence[Element], goal: Goal) -> Element:
    """Return the element whose name shares the rarest words with the instruction, or the first if none shares any."""
    names = [f"{element.label} {' '.join(element.options)}" for element in elements]
    best = best_name(names, goal)
    return elements[names.index(best)] if best else elements[0]


def best_matches(elements: Sequence[Element], goal: Goal, most: int) -> list[Element]:
    """Return the elements whose names share the rarest words with the instruction, the best first."""
    scores = _scores([element.label for element in elements], goal)
    order = sorted(range(len(scores)), key=lambda place: (-scores[place], place))
    return [elements[place] for place in order[:most] if scores[place] > 0]


def best_name(names: Sequence[str], goal: Goal) -> str:
    """Return the name that shares the rarest words with the instruction; empty if none shares any."""
    scores = _scores(names, goal)
    return names[scores.index(max(scores))] if any(scores) else ""


def _scores(names: Sequence[str], goal: Goal) -> list[float]:
    wanted = set(_WORD.findall(goal.instruction.lower()))
    shared = [set(_WORD.findall(name.lower())) & wanted for name in names]
    counts = Counter(word for words in shared for word in words)
    return [fsum(1 / counts[word] for word in words) for words in shared]
