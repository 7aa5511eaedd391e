"""Embedder: anything that turns texts into vectors that lie close where the texts mean nearly the same."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable


@dataclass(frozen=True, slots=True)
class Vectors:
    """Rows of little-endian 32-bit floats, ``width`` to a row, one row after the other; every row has length one."""

    width: int
    data: bytes

    def __len__(self) -> int:
        return len(self.data) // (4 * self.width) if self.width else 0


@runtime_checkable
class Embedder(Protocol):
    """``name`` stands for all that determines the vectors besides the text."""

    @property
    def name(self) -> str: ...

    async def embed(self, texts: Sequence[str]) -> Vectors: ...
