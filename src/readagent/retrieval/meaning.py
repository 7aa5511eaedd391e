"""Pages for a question by words and by meaning: the first pages by words, put in order by their vectors, too."""

from __future__ import annotations

import numpy as np

from readagent.core.memory import GistMemory
from readagent.core.model import Embedder, Hint
from readagent.core.question import Question
from readagent.retrieval.bm25 import passages
from readagent.retrieval.evidence import standardized
from readagent.retrieval.hints import WordHinter, search_texts
from readagent.retrieval.vectors import vectors_of

_NEAR = 24  # pages, the first by words, that are compared by meaning: what a question costs does not grow with the text
_BEST = 3  # passages of a page, whose mean is compared
_LIKE = 1.5  # weight of that, relative to the page's score by words


class MeaningHinter(WordHinter):
    """Finds pages by words, and adds to the scores of the first how like the question their best passages are."""

    def __init__(self, embedder: Embedder) -> None:
        super().__init__()
        self._embedder = embedder

    async def hints(self, memory: GistMemory, question: Question) -> list[Hint]:
        """Return all pages, best first."""
        found = await super().hints(memory, question)
        if not found or (len(found) > _NEAR and found[0].score <= 0):  # no word is shared: no page is first
            return found
        first, others = found[:_NEAR], found[_NEAR:]
        split = [passages(memory.page_text(hint.page)) or [""] for hint in first]
        asked = await vectors_of(search_texts(question), self._embedder)
        rows = await vectors_of([passage for own in split for passage in own], self._embedder)
        likeness = np.split((rows @ asked.T).max(axis=1), np.cumsum([len(own) for own in split])[:-1])
        best = _LIKE * standardized(np.array([np.sort(own)[-_BEST:].mean() for own in likeness], np.float32))
        near = [Hint(hint.page, hint.score + float(more)) for hint, more in zip(first, best, strict=True)]
        return sorted([*near, *others], key=lambda hint: (-hint.score, hint.page))
