"""Dataset: what is known of a data set besides its cases, and the hash by which a run says which cases it had."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from readagent.bench.example import Case
from readagent.errors import UsageError

Measure = Literal["accuracy", "free", "pairs"]

_HELD_OUT = ("dev", "val", "valid", "validation")  # four names for one thing


@dataclass(frozen=True, slots=True)
class Dataset:
    """A data set: how it is read and measured, whose it is, which files it expects, and how they become cases.

    ``measures`` says what its answers are held against: ``accuracy`` (options and claims), ``free`` (answers in
    words), ``pairs`` (claims that count only two by two). ``splits`` are the names it uses itself, the ``usual`` one
    among them. ``load`` takes the folder and one of those names.
    """

    name: str
    title: str
    preset: str
    measures: tuple[Measure, ...]
    licence: str
    homepage: str
    files: str
    splits: tuple[str, ...]
    usual: str
    load: Callable[[Path, str], list[Case]]

    def split(self, given: str = "") -> str:
        """The split meant by this name; ``dev``, ``val``, ``valid`` and ``validation`` all mean the same."""
        wanted = names_of(given.lower()) if given else (self.usual,)
        for split in self.splits:
            if split in wanted:
                return split
        raise UsageError(f"{self.name} has no split {given!r}", hint=f"it has {', '.join(self.splits)}")


def names_of(split: str) -> tuple[str, ...]:
    """All the names that a split goes by."""
    return _HELD_OUT if split in _HELD_OUT else (split,)


def dataset_hash(cases: Iterable[Case]) -> str:
    """A hash of the texts, the questions and the keys, in their order: equal where two runs had the same to do."""
    digest = hashlib.sha256()
    for case in cases:
        digest.update(hashlib.sha256(case.document.text.encode("utf-8", "surrogatepass")).digest())
        for example in case.examples:
            question = example.question
            asked = [question.kind, question.text, question.options]
            key = [example.references, example.gold, example.pair, example.spans]
            digest.update(json.dumps([asked, key]).encode("ascii") + b"\n")
    return digest.hexdigest()
