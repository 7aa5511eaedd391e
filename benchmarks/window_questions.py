"""Questions made from single sentences of a text: six of their words, most of them in other words than the text's.

Who asks about a text rarely knows its words. Some of the six words of a question are therefore replaced by ones that
are not in the text: their letters reversed. The reader knows what they mean, as a model knows synonyms; a search does
not. The more words are replaced, the harder is the question for a search; the sentences and words are the same.
"""

from __future__ import annotations

import random
import re
from collections import Counter
from dataclasses import dataclass

from readagent.core.words import WordIndex, sentences
from readagent.retrieval.bm25 import terms

_WORD = re.compile(r"[^\W\d_]{3,}")
_PASSAGE = 600  # words
_WORDS = 6  # of a question
REPLACED = 4  # of these, unless told otherwise
_COMMON = 0.2  # share of the passages that a word of a question may be in, at most


@dataclass(frozen=True, slots=True)
class Asked:
    """A question, and the offset of the sentence that it was made from."""

    text: str
    at: int


def passages_of(text: str) -> list[str]:
    """Return the text in passages of equal length."""
    words = WordIndex(text)
    cuts = [words.after(0, n) for n in range(_PASSAGE, len(words), _PASSAGE)]
    return [text[a:b] for a, b in zip([0, *cuts], [*cuts, len(text)], strict=True)]


def questions_of(text: str, count: int, seed: int, replaced: int = REPLACED, common: float = _COMMON) -> list[Asked]:
    """Return questions about sentences drawn at random, each with six words of one, in its order.

    Each of these words is in other passages too, but in few, unless the text has no such words, as a generated one.
    Names count as words.
    """
    passages = passages_of(text)
    having = Counter(term for passage in passages for term in set(terms(passage)))
    most = max(3, common * len(passages))
    dice, made = random.Random(seed), list[Asked]()
    places = list(range(len(passages)))
    dice.shuffle(places)
    starts = [0]
    for passage in passages:
        starts.append(starts[-1] + len(passage))
    for place in places:
        pieces = [piece for piece in sentences(passages[place]) if 12 <= len(piece.split()) <= 45]
        dice.shuffle(pieces)
        for piece in pieces:
            words = [w for w in dict.fromkeys(_WORD.findall(piece)) if _is_rare(w, having, most)]
            at = passages[place].find(piece)
            if len(words) >= _WORDS and at >= 0:
                kept = sorted(dice.sample(range(len(words)), _WORDS))
                other = set(dice.sample(kept, _WORDS)[:replaced])
                shown = ", ".join(other_word(words[i]) if i in other else words[i] for i in kept)
                made.append(Asked(f"What is said of {shown}?", starts[place] + at))
                break
        if len(made) == count:
            break
    return made if made or common >= 1 else questions_of(text, count, seed, replaced, common=1)


def _is_rare(word: str, having: Counter[str], most: float) -> bool:
    return all(2 <= having[term] <= most for term in terms(word)) and bool(terms(word))


def other_word(word: str) -> str:
    """Return a word that is not in the text and means the same."""
    return f"xx{word.lower()[::-1]}"


def understood(question: str) -> str:
    """Return the question in the words of the text."""
    return re.sub(r"\bxx(\w+)", lambda found: found[1][::-1], question)
