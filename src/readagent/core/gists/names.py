"""Names and numbers that tell the parts of a text apart, found without a model."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from math import log

_WORD = re.compile(r"[^\W\d_][\w'’-]*[^\W\d_]|\d{3,}")
_POSSESSIVE = re.compile(r"['’]s?$")
_SHORTEST = 3
_MOST = 400  # names of a part


def names_in(text: str) -> Counter[str]:
    """Return how often each name and number occurs: words that are written with a capital throughout."""
    counts = Counter(_POSSESSIVE.sub("", word) for word in _WORD.findall(text))
    return Counter(
        {
            word: count
            for word, count in counts.items()
            if len(word) >= _SHORTEST and not word[0].islower() and word.lower() not in counts and _is_name(word, count)
        }
    )


def _is_name(word: str, count: int) -> bool:
    return word[0].isdigit() or (word[0].isupper() and count > 1)


def pick_names(parts: Sequence[Counter[str]]) -> list[list[str]]:
    """Return the names of each part, those first that are frequent in it and rare in the others."""
    having = Counter(name for part in parts for name in part)
    found = []
    for part in parts:
        scores = {name: (1 + log(count)) * log(1 + len(parts) / having[name]) for name, count in part.items()}
        found.append(sorted(scores, key=lambda name: (-scores[name], name))[:_MOST])
    return found
