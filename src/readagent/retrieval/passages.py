"""Split a page into passages that are short enough to have one topic."""

from __future__ import annotations

from itertools import pairwise

from readagent.core.words import WordIndex, count_words, sentences

PASSAGE_WORDS = 100


def passages(text: str, words: int = PASSAGE_WORDS) -> list[str]:
    """Split a text into passages of about ``words`` words at most: whole sentences, or parts of very long ones."""
    return [" ".join(own) for own in sentences_of_passages(text, words)]


def sentences_of_passages(text: str, words: int = PASSAGE_WORDS) -> list[list[str]]:
    """Return the sentences of each passage; a very long one is divided as ``passages`` divides it."""
    return [[text[a:b] for a, b in group] for group in _groups(text, words)]


def passage_spans(text: str, words: int = PASSAGE_WORDS) -> list[tuple[int, int]]:
    """Return the start and end of each passage in the text."""
    return [(group[0][0], group[-1][1]) for group in _groups(text, words)]


def sentence_spans(text: str) -> list[tuple[int, int]]:
    """Return the start and end of each sentence in the text."""
    spans, at = [], 0
    for sentence in sentences(text):
        start = text.index(sentence, at)
        at = start + len(sentence)
        spans.append((start, at))
    return spans


def _groups(text: str, words: int) -> list[list[tuple[int, int]]]:
    """Return the spans of each passage: its sentences, or parts of a long one."""
    groups: list[list[tuple[int, int]]] = []
    room = 0
    for start, end in sentence_spans(text):
        for a, b in _parts(text[start:end], words):
            size = count_words(text[start + a : start + b])
            if size > room:
                groups.append([(start + a, start + b)])
                room = words - size
            else:
                groups[-1].append((start + a, start + b))
                room -= size
    return groups


def _parts(sentence: str, words: int) -> list[tuple[int, int]]:
    """Return the span of a sentence, split into equal parts if it is longer than a passage may be."""
    index = WordIndex(sentence)
    if len(index) <= words:
        return [(0, len(sentence))]
    count = -(-len(index) // words)
    cuts = [index.after(0, len(index) * i // count) for i in range(count + 1)]
    return [(a, a + len(sentence[a:b].rstrip())) for a, b in pairwise(cuts)]
