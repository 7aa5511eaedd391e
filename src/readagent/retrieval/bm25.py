"""BM25: score texts by the terms, stemmed words, that they share with a question; and passages of pages."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterable
from functools import lru_cache
from itertools import pairwise
from math import log

from readagent.core.patterns import lazy_pattern
from readagent.core.words import WordIndex, count_words, sentences

_WORD = lazy_pattern(r"[^\W_]+")
_UNSPACED = lazy_pattern(
    "[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff]+"
)
_SUFFIXES = ("ations", "ation", "ings", "ing", "edly", "ies", "ied", "es", "ed", "ly", "s", "e")
_MIN_STEM = 3
_STOP_WORDS = frozenset(
    "a about an and are as at be been but by can could did do does for from had has have he her him his how i if in "
    "into is it its me my no nor not of on or our s she so t than that the their them then there these they this to "
    "too us was we were what when where which who whom whose why will with would you your".split()
)


_ASKING = frozenset(  # words of a question that ask what was said, and not about what
    "according attitude attitudes concerning conclusion describe described discuss discussed discussing discussion "
    "discussions explain explained mention mentioned opinion opinions regarding said say saying says summarise "
    "summarize summary talk talked talking tell thinks think thought thoughts told toward towards".split()
)


def terms(text: str) -> list[str]:
    """Return the stems of a text in order, without stop words; scripts without spaces give pairs of characters."""
    words = _WORD.findall(text.lower())
    if text.isascii() or not _UNSPACED.search(text):
        return [stem(word) for word in words if word not in _STOP_WORDS]
    found: list[str] = []
    for word in words:
        if _UNSPACED.search(word):
            found += _pairs(word)
        elif word not in _STOP_WORDS:
            found.append(stem(word))
    return found


def content_words(text: str) -> list[str]:
    """Return the distinct words of a text in lower case, without stop words."""
    return list(dict.fromkeys(word for word in _WORD.findall(text.lower()) if word not in _STOP_WORDS))


def subject(question: str) -> str:
    """Return a question without words such as "discuss" and "opinion", which texts on its subject need not have."""
    words = [word for word in content_words(question) if word not in _ASKING]
    return " ".join(words) or question


@lru_cache(maxsize=1 << 14)
def stem(word: str) -> str:
    """Remove the ending of an English word. Rough and fast, but most inflections of a word get the same stem."""
    for suffix in _SUFFIXES:
        if word.endswith(suffix) and len(word) - len(suffix) >= _MIN_STEM:
            return word[: -len(suffix)]
    return word


def _pairs(run: str) -> list[str]:
    return [run[i : i + 2] for i in range(len(run) - 1)] or [run]


_K1, _B = 1.5, 0.75


class Bm25:
    """An index over texts, in Lucene's variant of BM25 (k1 1.5, b 0.75)."""

    def __init__(self, texts: Iterable[str]) -> None:
        self._postings: dict[str, array[int]] = {}  # numbers of texts with a term, each followed by how often it occurs
        lengths = array("I")
        for number, text in enumerate(texts):
            counts = Counter(terms(text))
            lengths.append(counts.total())
            for term, count in counts.items():
                if term not in self._postings:
                    self._postings[term] = array("I")
                self._postings[term].extend((number, count))
        mean_length = sum(lengths) / len(lengths) if any(lengths) else 1.0
        self._norms = array("d", [_K1 * (1 - _B + _B * length / mean_length) for length in lengths])

    def scores(self, question: str) -> list[float]:
        """Return a score for each text, in order: 0 if the text shares no term with the question."""
        scores = [0.0] * len(self._norms)
        for term in terms(question):
            found = self._postings.get(term)
            if found is None:
                continue
            having = len(found) // 2
            idf = log(1 + (len(scores) - having + 0.5) / (having + 0.5))
            for number, count in zip(found[::2], found[1::2], strict=True):
                scores[number] += idf * count / (count + self._norms[number])
        return scores


PASSAGE_WORDS = 100


def passages(text: str, words: int = PASSAGE_WORDS) -> list[str]:
    """Split a text into passages of about ``words`` words at most: whole sentences, or parts of very long ones."""
    return [" ".join(own) for own in sentences_of_passages(text, words)]


def sentences_of_passages(text: str, words: int = PASSAGE_WORDS) -> list[list[str]]:
    """Return the sentences of each passage; a very long one is divided as ``passages`` divides it."""
    return [[text[a:b] for a, b in group] for group in passage_sentences(text, words)]


def passage_spans(text: str, words: int = PASSAGE_WORDS) -> list[tuple[int, int]]:
    """Return the start and end of each passage in the text."""
    return [(group[0][0], group[-1][1]) for group in passage_sentences(text, words)]


def sentence_spans(text: str) -> list[tuple[int, int]]:
    """Return the start and end of each sentence in the text."""
    spans, at = [], 0
    for sentence in sentences(text):
        start = text.index(sentence, at)
        at = start + len(sentence)
        spans.append((start, at))
    return spans


def passage_sentences(text: str, words: int = PASSAGE_WORDS) -> list[list[tuple[int, int]]]:
    """Return the spans of the sentences of each passage, or of the parts of a long one."""
    groups: list[list[tuple[int, int]]] = []
    room = 0
    for span in sentence_spans(text):
        for start, end, size in _parts(text, span, words):
            if size > room:
                groups.append([(start, end)])
                room = words - size
            else:
                groups[-1].append((start, end))
                room -= size
    return groups


def _parts(text: str, span: tuple[int, int], words: int) -> list[tuple[int, int, int]]:
    """Return a sentence as start, end and words, in equal parts if it is longer than a passage may be."""
    start, sentence = span[0], text[slice(*span)]
    size = count_words(sentence)
    if size <= words:
        return [(*span, size)]
    index, count = WordIndex(sentence), -(-size // words)
    cuts = [index.after(0, size * i // count) for i in range(count + 1)]
    parts = [(a, a + len(sentence[a:b].rstrip())) for a, b in pairwise(cuts)]
    return [(start + a, start + b, count_words(sentence[a:b])) for a, b in parts]
