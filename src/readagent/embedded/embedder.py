"""MiniLMEmbedder: the embedded sentence vectors as an `Embedder`, computed beside the loop on one thread."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING

from readagent.core.model import Vectors
from readagent.embedded.weights import COMMAND, missing_hint
from readagent.errors import ModelError, UsageError

if TYPE_CHECKING:
    from readagent.embedded.minilm import MiniLM

_WIDTH = 384
_AT_ONCE = 128  # texts between two moments at which a cancelled call can end


class MiniLMEmbedder:
    """Vectors of 384 numbers from the weights in ``folder``, which are loaded when they are first needed.

    Of a long text the first 256 word pieces count.
    """

    name = "minilm-l6-v2"

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._model: MiniLM | None = None
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="minilm")

    async def embed(self, texts: Sequence[str]) -> Vectors:
        """One row for each text, in order, of length one."""
        loop = asyncio.get_running_loop()
        parts = [texts[start : start + _AT_ONCE] for start in range(0, len(texts), _AT_ONCE)]
        rows = [await loop.run_in_executor(self._thread, self._embed, part) for part in parts]
        return Vectors(_WIDTH, b"".join(rows))

    def close(self) -> None:
        """End the thread; what is under way is finished first."""
        self._thread.shutdown()

    def _embed(self, texts: Sequence[str]) -> bytes:
        if self._model is None:
            self._model = self._loaded()
        return self._model.embed(texts).astype("<f4", copy=False).tobytes()

    def _loaded(self) -> MiniLM:
        try:
            from readagent.embedded.minilm import MiniLM
        except ImportError as error:
            raise UsageError(
                "the offline reader needs numpy, which is not installed", hint="pip install 'readagent[local]'"
            ) from error
        try:
            return MiniLM(self._folder)
        except FileNotFoundError as error:
            raise ModelError(f"there are no weights in {self._folder}", hint=missing_hint()) from error
        except (OSError, ValueError, KeyError, IndexError, TypeError) as error:
            raise ModelError(
                f"the weights in {self._folder} are damaged", hint=f"fetch them again with: {COMMAND}"
            ) from error
        except MemoryError as error:
            raise ModelError("there is too little memory for the weights of minilm", hint="about 200 MB") from error
