"""PassageReader: the trained reader, on one thread next to the event loop."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar
from zlib import crc32

from readagent.embedded.loading import load

if TYPE_CHECKING:
    from readagent.embedded.encoder import Array
    from readagent.embedded.reader import Found, Reader

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
