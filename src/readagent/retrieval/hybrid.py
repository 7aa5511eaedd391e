"""Hints by words and by meaning together: the evidence on each page, with vectors of its passages and of its gist."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from readagent.core.embedder import Embedder
from readagent.core.hints import Hint
from readagent.core.memory import GistMemory
from readagent.core.question import Question
from readagent.core.words import sentences
from readagent.retrieval.evidence import Array, Evidence
from readagent.retrieval.hints import Kept, ranked, texts_of
from readagent.retrieval.passages import passages


class HybridHinter:
    """Finds pages by BM25 and by the vectors of an embedder."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self._evidence = Kept(self._prepared)

    async def hints(self, memory: GistMemory, question: Question) -> list[Hint]:
        """All pages, the strongest first."""
        texts = texts_of(question)
        rows = await self._rows(texts)
        evidence = await self._evidence.of(memory)
        return ranked([evidence.of_pages(text, row).tolist() for text, row in zip(texts, rows, strict=True)])

    async def _prepared(self, memory: GistMemory) -> Evidence:
        pages = [memory.page_text(page.number) for page in memory.pages]
        cut = [passages(page) for page in pages]
        rows = await self._rows([passage for page in cut for passage in page])
        gists = [sentences(gist.text) for gist in memory.gists]
        means = await self._means(gists) if any(gists) else None
        return Evidence(pages, cut, rows, [gist.text for gist in memory.gists], means)

    async def _rows(self, texts: Sequence[str]) -> Array:
        """A row for each text."""
        vectors = await self._embedder.embed(texts)
        rows: Array = np.frombuffer(vectors.data, np.float32).reshape(len(texts), vectors.width)
        return rows

    async def _means(self, groups: Sequence[Sequence[str]]) -> Array:
        """A row of length one for each group of texts: what they mean together."""
        rows = await self._rows([text for group in groups for text in group])
        means = np.zeros((len(groups), rows.shape[1]), np.float32)
        np.add.at(means, np.repeat(np.arange(len(groups)), [len(group) for group in groups]), rows)
        return np.asarray(means / np.maximum(np.linalg.norm(means, axis=1, keepdims=True), 1e-9), np.float32)
