"""Snippets: the words of a raw page that are nearest to the question, shown where a search has found the page.

So the search only proposes pages, and the model decides by what it reads there.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import fsum, log

from readagent.core.memory import Gist, GistMemory
from readagent.core.terms import terms
from readagent.core.window import Window
from readagent.core.words import WordIndex, count_words, sentences

_LABEL = "Found here:"
_WORDS = 20  # of a snippet; with label and ellipses it is what is left of an entry that is cut to 24 words
_ENTRY_WORDS = 24
_TAG_TOKENS = 10  # of the tag and the quotation marks
_SHARE = 1 / 3  # of the room for a memory that these entries may take
_MOST = 60  # pages
_APART = 4  # words between the places where a snippet may begin


def how_many(window: Window, page: str) -> int:
    """Return how many of the pages that a search finds are shown with a snippet, if pages are like this one."""
    a_word = window.count(page) / max(1, count_words(page))
    return min(_MOST, int(_SHARE * window.index / (_TAG_TOKENS + _ENTRY_WORDS * a_word)))


def with_snippets(memory: GistMemory, found: Sequence[int], question: str) -> GistMemory:
    """Return the memory with a snippet before the gist of each page that was found."""
    texts = {number: memory.page_text(number) for number in found if memory.gists[number].origin != "verbatim"}
    asked = terms(question)
    having = Counter(term for text in texts.values() for term in terms(text) & asked)
    weights = {term: log(1 + len(texts) / count) for term, count in having.items()}
    snippets = {number: snippet_of(text, weights) for number, text in texts.items()}
    gists = (_before(gist, snippets.get(number, "")) for number, gist in enumerate(memory.gists))
    return replace(memory, gists=tuple(gists))


def snippet_of(text: str, weights: Mapping[str, float]) -> str:
    """Return the sentence with the most weight, or some words of it if it is long; "" if none has any weight."""

    def weight(words: str) -> float:
        return fsum(weights.get(term, 0.0) for term in terms(words))

    best = max(sentences(text), key=weight, default="")
    if not weight(best):
        return ""
    index = WordIndex(best)
    last = max(0, len(index) - _WORDS)
    spans = [(index.after(0, at), index.after(0, at + _WORDS)) for at in (*range(0, last, _APART), last)]
    told = [weight(best[start:end]) for start, end in spans]
    most = [span for span, found in zip(spans, told, strict=True) if found == max(told)]
    start, end = most[len(most) // 2]
    return f"{'… ' if start else ''}{' '.join(best[start:end].split())}{' …' if end < len(best) else ''}"


def _before(gist: Gist, snippet: str) -> Gist:
    """Return the gist with a snippet before it."""
    if not snippet:
        return gist
    text = f"{_LABEL} “{snippet}”\n{gist.text}"
    return replace(gist, text=text, words=count_words(text))
