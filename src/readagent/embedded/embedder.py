"""MiniLMEmbedder: the sentence vectors of the offline reader, computed on one thread next to the event loop."""

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

    def close(self) -> None:
        """Finish the current work and stop the thread."""
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
            raise ModelError(f"no weights in {self._folder}", hint=missing_hint()) from error
        except (OSError, ValueError, KeyError, IndexError, TypeError) as error:
            raise ModelError(
                f"the weights in {self._folder} are damaged", hint=f"download them again with: {COMMAND}"
            ) from error
        except MemoryError as error:
            raise ModelError(
                "not enough memory to load the weights of minilm", hint="about 200 MB are needed"
            ) from error
