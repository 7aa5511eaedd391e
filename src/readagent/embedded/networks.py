"""The networks of the offline reader, each on one thread: sentence vectors and the trained reader."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar
from zlib import crc32

from readagent.core.model import Vectors
from readagent.embedded.weights import load

if TYPE_CHECKING:
    from readagent.embedded.encoder import Array
    from readagent.embedded.minilm import MiniLM
    from readagent.embedded.reader import Found, Reader

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


T = TypeVar("T")
ADAPTER = Path(__file__).with_name("reader.safetensors")


class PassageReader:
    """Reads passages with the weights in ``folder``, which are loaded on first use."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._reader: Reader | None = None
        self._question = ""
        self._known: dict[str, Found] = {}  # what was found in passages, for the newest question
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="reader")

    @cached_property
    def name(self) -> str:
        """A name that changes with the trained adapter."""
        return f"reader-{crc32(ADAPTER.read_bytes()):08x}"

    async def find(self, question: str, passages: Sequence[str]) -> list[Found]:
        """Return the best answer in each passage. A passage that was read for a question is not read again."""
        if question != self._question:
            self._question, self._known = question, {}
        known = self._known
        fresh = [passage for passage in dict.fromkeys(passages) if passage not in known]
        if fresh:
            known |= zip(fresh, await self._run(lambda reader: reader.find(question, fresh)), strict=True)
        return [known[passage] for passage in passages]

    async def judge(self, question: str, answers: Sequence[str], passages: Sequence[str]) -> Array:
        """Return for each answer, and each passage, the logit of the answer being right according to the passage."""
        return await self._run(lambda reader: reader.judge(question, answers, passages))

    def close(self) -> None:
        """Finish the current work and stop the thread."""
        self._thread.shutdown()

    async def _run(self, work: Callable[[Reader], T]) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._thread, lambda: work(self._loaded()))

    def _loaded(self) -> Reader:
        if self._reader is None:
            self._reader = load(_reader, self._folder)
        return self._reader


def _reader(folder: Path) -> Reader:
    from readagent.embedded.reader import Reader

    return Reader(folder, ADAPTER)
