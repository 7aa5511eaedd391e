"""Snippets: the words of a raw page that are nearest to the question, shown where a search has found the page.

So the search only proposes pages, and the model decides by what it reads there.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import fsum, log

from readagent.core.memory import Gist, GistMemory
from readagent.core.terms import terms
from readagent.core.window import Window
from readagent.core.words import count_words, sentences

_WORDS = int(os.environ.get("W", "20"))  # of a snippet
_TOKENS = 42  # of an entry with nothing but a snippet
_SHARE = float(os.environ.get("S", "0.33"))  # of the room for a memory that snippets take
_MOST = 60
_LABEL = "Found here:"


def how_many(window: Window) -> int:
    """Return how many pages that a search finds are shown with a snippet."""
    return min(_MOST, int(_SHARE * window.index / _TOKENS)) if window.index else _MOST


def with_snippets(memory: GistMemory, found: Sequence[int], question: str, *, gists: int) -> GistMemory:
    """Return the memory with a snippet in the entry of each page that was found, best first.

    The first ``gists`` of them keep their gists too.
    """
    texts = [memory.page_text(number) for number in found]
    asked = terms(question)
    having = Counter(term for text in texts for term in terms(text) & asked)
    weights = {term: log(1 + len(texts) / count) for term, count in having.items()}
    shown = list(memory.gists)
    for rank, (number, text) in enumerate(zip(found, texts, strict=True)):
        gist = memory.gists[number]
        if gist.origin != "verbatim" and (snippet := snippet_of(text, weights)):
            added = f"{_LABEL} “{snippet}”"
            text = f"{added}\n{gist.text}" if rank < gists else added
            shown[number] = Gist(text, count_words(text), gist.origin)
    return replace(memory, gists=tuple(shown))


def snippet_of(text: str, weights: Mapping[str, float], words: int = _WORDS) -> str:
    """Return the sentence with the rarest terms, or the words around them if it is long; "" if none has any."""
    best, most = "", 0.0
    for sentence in sentences(text):
        score = fsum(weights.get(term, 0) for term in terms(sentence))
        if score > most:
            best, most = sentence, score
    return _around(best.split(), weights, words)


def _around(sentence: Sequence[str], weights: Mapping[str, float], words: int) -> str:
    """Return the sentence, or so many of its words, as many of the weighted ones as possible among them."""
    if len(sentence) <= words:
        return " ".join(sentence)
    told = [fsum(weights.get(term, 0) for term in terms(word)) for word in sentence]
    sums = [fsum(told[at : at + words]) for at in range(len(sentence) - words + 1)]
    top = max(sums)
    best = [at for at, total in enumerate(sums) if total > top - 1e-9]
    at = best[len(best) // 2]
    before, after = "… " if at else "", " …" if at + words < len(sentence) else ""
    return f"{before}{' '.join(sentence[at : at + words])}{after}"
