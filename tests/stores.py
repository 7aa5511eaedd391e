"""Stores in memory that show what was kept: the smallest implementations of the two protocols."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from readagent.core.model import Ask, Reply


class MemoryStore:
    """Stores replies for the lifetime of the process."""

    def __init__(self) -> None:
        self.replies: dict[str, Reply] = {}

    def get(self, key: str) -> Reply | None:
        return self.replies.get(key)

    def put(self, key: str, model_name: str, ask: Ask, reply: Reply) -> None:
        self.replies[key] = reply

    def forget(self, key: str) -> None:
        self.replies.pop(key, None)


class MemoryVectors:
    """Stores vectors for the lifetime of the process."""

    def __init__(self) -> None:
        self.kept: dict[bytes, bytes] = {}

    def vectors(self, keys: Sequence[bytes]) -> dict[bytes, bytes]:
        return {key: self.kept[key] for key in keys if key in self.kept}

    def keep_vectors(self, vectors: Mapping[bytes, bytes]) -> None:
        self.kept.update(vectors)
