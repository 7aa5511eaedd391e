"""Passages: a page in pieces small enough to be about one thing."""

from __future__ import annotations

from itertools import pairwise

from readagent.core.words import WordIndex, count_words, sentences

PASSAGE_WORDS = 100


def passages(text: str, words: int = PASSAGE_WORDS) -> list[str]:
    """A text in pieces of at most about so many words: whole sentences, or parts of very long ones."""
    pieces: list[str] = []
    room = 0
    for sentence in sentences(text):
        for part in _parts(sentence, words):
            size = count_words(part)
            if size > room:
                pieces.append(part)
                room = words - size
            else:
                pieces[-1] += f" {part}"
                room -= size
    return pieces


def _parts(sentence: str, words: int) -> list[str]:
    """A sentence, in equal parts where it alone has more words than a passage may."""
    index = WordIndex(sentence)
    if len(index) <= words:
        return [sentence]
    count = -(-len(index) // words)
    cuts = [index.after(0, len(index) * i // count) for i in range(count + 1)]
    return [sentence[a:b].strip() for a, b in pairwise(cuts)]
