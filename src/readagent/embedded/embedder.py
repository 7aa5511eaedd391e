"""MiniLMEmbedder: the sentence vectors of the offline reader, computed on one thread next to the event loop."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING

from readagent.core.model import Vectors
from readagent.embedded.loading import load

if TYPE_CHECKING:
    from readagent.embedded.encoder import Array
    from readagent.embedded.minilm import MiniLM

_WIDTH = 384
_AT_ONCE = 128  # texts per step; a cancelled call ends after the current step


class MiniLMEmbedder:
    """Vectors of 384 numbers from the weights in ``folder``, which are loaded on first use.

    Only the first 256 word pieces of a text are used.
    """

    name = "minilm-l6-v2"

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._model: MiniLM | None = None
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="minilm")

    async def embed(self, texts: Sequence[str]) -> Vectors:
        """Return one unit vector per text, in order."""
        loop = asyncio.get_running_loop()
        parts = [texts[start : start + _AT_ONCE] for start in range(0, len(texts), _AT_ONCE)]
        rows = [await loop.run_in_executor(self._thread, self._embed, part) for part in parts]
        return Vectors(_WIDTH, b"".join(rows))

    async def embed_parts(self, texts: Sequence[Sequence[str]]) -> tuple[Vectors, list[Vectors]]:
        """Return a vector for each text, given as its parts, and those of its parts as they stand in the text."""
        loop = asyncio.get_running_loop()
        rows, parts = await loop.run_in_executor(self._thread, lambda: self._loaded().embed_parts(texts))
        return _packed(rows), [_packed(one) for one in parts]

    def close(self) -> None:
        """Finish the current work and stop the thread."""
        self._thread.shutdown()

    def _embed(self, texts: Sequence[str]) -> bytes:
        return _packed(self._loaded().embed(texts)).data

    def _loaded(self) -> MiniLM:
        if self._model is None:
            self._model = load(_model, self._folder)
        return self._model


def _packed(rows: Array) -> Vectors:
    return Vectors(_WIDTH, rows.astype("<f4", copy=False).tobytes())


def _model(folder: Path) -> MiniLM:
    from readagent.embedded.minilm import MiniLM

    return MiniLM(folder)
