"""Names and numbers that tell the parts of a text apart, found without a model."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from math import log

from readagent.core.patterns import lazy_pattern

_WORD = lazy_pattern(r"[^\W\d_][\w'’-]*[^\W\d_]|\d{3,}")
_POSSESSIVE = lazy_pattern(r"['’]s?$")
_SPOKEN = lazy_pattern(r"I['’]\w+|[B-DF-HJ-NP-TV-XZ][b-df-hj-np-tv-xz]+(?:-[b-df-hj-np-tv-xz]+)*")  # I'm, Mm-hmm, Mrs
_SHORTEST = 3
_MOST = 400  # names of a part


def names_in(text: str) -> Counter[str]:
    """Return how often each name and number occurs: words that occur twice, and always with a capital."""
    counts = Counter(_POSSESSIVE.sub("", word) for word in _WORD.findall(text))
    return Counter({word: count for word, count in counts.items() if _is_name(word, counts)})


def _is_name(word: str, counts: Counter[str]) -> bool:
    if len(word) < _SHORTEST or not word[0].isupper():
        return word[0].isdigit()
    return counts[word] > 1 and word.lower() not in counts and not _SPOKEN.fullmatch(word)


def pick_names(parts: Sequence[Counter[str]]) -> list[list[str]]:
    """Return the names of each part, those first that are frequent in it and rare in the others."""
    having = Counter(name for part in parts for name in part)
    found = []
    for part in parts:
        scores = {name: (1 + log(count)) * log(1 + len(parts) / having[name]) for name, count in part.items()}
        found.append(sorted(scores, key=lambda name: (-scores[name], name))[:_MOST])
    return found
