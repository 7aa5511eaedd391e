"""Snippets: the words of a page that are nearest to a question, shown above its gist."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from math import fsum, log
from typing import TypeVar

from readagent.core.gists.page_terms import terms
from readagent.core.memory import GistMemory
from readagent.core.words import WordIndex, sentences

K = TypeVar("K")

FOUND = "Found here:"  # what a snippet begins with
_WORDS = 30  # of a snippet
_APART = 4  # words between the places where a snippet may begin
_LEAST = 5  # words of a sentence that says something; fewer are a heading, an agenda, a line of a list
_NAMES = 0.6  # of its words that may begin with a capital letter; where more do, it is a list of names


def snippets(memory: GistMemory, pages: Sequence[int], question: str) -> dict[int, str]:
    """Return the snippets of these pages, see ``found_in``; those that are their own gist have none."""
    own = (number for number in pages if memory.gists[number].origin != "verbatim")
    return found_in({number: memory.page_text(number) for number in own}, question)


def found_in(texts: Mapping[K, str], question: str) -> dict[K, str]:
    """Return the sentence of each text that has the rarest words of the question, or some words around them.

    Texts that have none of its words have no snippet.
    """
    asked = terms(question)
    having = Counter(term for text in texts.values() for term in terms(text) & asked)
    weights = {term: log(1 + len(texts) / count) for term, count in having.items()}
    found = {number: _snippet(text, weights) for number, text in texts.items()}
    return {number: snippet for number, snippet in found.items() if snippet}


def _snippet(text: str, weights: Mapping[str, float]) -> str:
    def weight(words: str) -> float:
        return fsum(weights.get(term, 0.0) for term in terms(words))

    said = [sentence for sentence in sentences(text) if _says_something(sentence)]
    best = max(said, key=weight, default="")
    if not weight(best):
        return ""
    index = WordIndex(best)
    last = max(0, len(index) - _WORDS)
    spans = [(index.after(0, at), index.after(0, at + _WORDS)) for at in (*range(0, last, _APART), last)]
    told = [weight(best[start:end]) for start, end in spans]
    most = [span for span, found in zip(spans, told, strict=True) if found == max(told)]
    start, end = most[len(most) // 2]
    return f"{'… ' if start else ''}{' '.join(best[start:end].split())}{' …' if end < len(best) else ''}"


def _says_something(sentence: str) -> bool:
    words = [word for word in sentence.split() if any(map(str.isalnum, word))]
    named = sum(next(filter(str.isalnum, word)).isupper() for word in words)
    return len(WordIndex(sentence)) >= _LEAST and named <= _NAMES * len(words)
