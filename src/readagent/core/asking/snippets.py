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
from readagent.core.words import count_words, sentences

_LABEL = "Found here:"
_WORDS = 20  # of a snippet; with label and ellipses it is what is left of an entry that is cut to 24 words
_TOKENS = 42  # of such an entry
_SHARE = 1 / 3  # of the room for a memory that these entries may take
_MOST = 60  # pages


def how_many(window: Window) -> int:
    """Return how many of the pages that a search finds are shown with a snippet."""
    return min(_MOST, int(_SHARE * window.index / _TOKENS)) if window.index else _MOST


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
    """Return the sentence with the most weight, or the words around its terms if it is long; "" if none has any."""

    def weight(words: str) -> float:
        return fsum(weights.get(term, 0.0) for term in terms(words))

    best = max(sentences(text), key=weight, default="")
    return _nearest([(word, weight(word)) for word in best.split()]) if weight(best) else ""


def _nearest(words: Sequence[tuple[str, float]]) -> str:
    """Return a sentence, or those of its words that have the most weight together, from the middle of several such."""
    last = max(0, len(words) - _WORDS)
    sums = [fsum(weight for _, weight in words[at : at + _WORDS]) for at in range(last + 1)]
    best = [at for at, total in enumerate(sums) if total == max(sums)]
    at = best[len(best) // 2]
    text = " ".join(word for word, _ in words[at : at + _WORDS])
    return f"{'… ' if at else ''}{text}{' …' if at < last else ''}"


def _before(gist: Gist, snippet: str) -> Gist:
    """Return the gist with a snippet before it."""
    if not snippet:
        return gist
    text = f"{_LABEL} “{snippet}”\n{gist.text}"
    return replace(gist, text=text, words=count_words(text))
