"""How much two answers have in common."""

from __future__ import annotations

import re
import string
from collections import Counter

_ARTICLES = re.compile(r"\b(?:a|an|the)\b")


def overlap(answer: str, right: str) -> float:
    """Return the F1 of two answers, over words in lower case without articles and punctuation."""
    one, other = words(answer), words(right)
    common = sum((Counter(one) & Counter(other)).values())
    return 2 * common / (len(one) + len(other)) if common else float(one == other)


def words(text: str) -> list[str]:
    """Return the words of an answer, as they are compared."""
    plain = "".join(letter for letter in text.lower() if letter not in string.punctuation)
    return _ARTICLES.sub(" ", plain).split()
