"""The networks of the offline reader, each on one thread: sentence vectors and the trained reader."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Generic, TypeVar
from zlib import crc32

from readagent.core.model import Vectors
from readagent.embedded.weights import load

if TYPE_CHECKING:
    from readagent.embedded.encoder import Array
    from readagent.embedded.minilm import MiniLM
    from readagent.embedded.reader import Found, Reader

_WIDTH = 384
_AT_ONCE = 128  # texts per step; a cancelled call ends after the current step


T = TypeVar("T")
N = TypeVar("N")
ADAPTER = Path(__file__).with_name("reader.safetensors")


class _Network(Generic[N]):
    """A network with the weights in ``folder``, which are loaded on first use, on a thread of its own."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._network: N | None = None
        self._thread = ThreadPoolExecutor(1, thread_name_prefix=type(self).__name__)

    def close(self) -> None:
        """Finish the current work and stop the thread."""
        self._thread.shutdown()

    def _make(self, folder: Path) -> N:
        raise NotImplementedError

    async def _run(self, work: Callable[[N], T]) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._thread, lambda: work(self._loaded()))

    def _loaded(self) -> N:
        if self._network is None:
            self._network = load(self._make, self._folder)
        return self._network


class MiniLMEmbedder(_Network["MiniLM"]):
    """Vectors of 384 numbers. Only the first 256 word pieces of a text are used."""

    name = "minilm-l6-v2"

    async def embed(self, texts: Sequence[str]) -> Vectors:
        """Return one unit vector per text, in order."""
        parts = [texts[start : start + _AT_ONCE] for start in range(0, len(texts), _AT_ONCE)]
        rows = [await self._run(partial(_embedded, part)) for part in parts]
        return Vectors(_WIDTH, b"".join(rows))

    async def embed_parts(self, texts: Sequence[Sequence[str]]) -> tuple[Vectors, list[Vectors]]:
        """Return a vector for each text, given as its parts, and those of its parts as they stand in the text."""
        rows, parts = await self._run(lambda model: model.embed_parts(texts))
        return _packed(rows), [_packed(one) for one in parts]

    def _make(self, folder: Path) -> MiniLM:
        from readagent.embedded.minilm import MiniLM

        return MiniLM(folder)


def _embedded(texts: Sequence[str], model: MiniLM) -> bytes:
    return _packed(model.embed(texts)).data


def _packed(rows: Array) -> Vectors:
    return Vectors(_WIDTH, rows.astype("<f4", copy=False).tobytes())


class PassageReader(_Network["Reader"]):
    """Reads passages. One that was read for the newest question is not read again."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self._question = ""
        self._known: dict[str, Found] = {}  # what was found in passages

    @cached_property
    def name(self) -> str:
        """A name that changes with the trained adapter."""
        return f"reader-{crc32(ADAPTER.read_bytes()):08x}"

    async def find(self, question: str, passages: Sequence[str]) -> list[Found]:
        """Return the best answer in each passage."""
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

    def _make(self, folder: Path) -> Reader:
        from readagent.embedded.reader import Reader

        return Reader(folder, ADAPTER)
