"""Dataset: the description of a data set, and the hash that identifies the cases of a run."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from readagent.errors import UsageError
from readagent_bench.example import Case

Measure = Literal["accuracy", "free", "pairs"]

_HELD_OUT = ("dev", "val", "valid", "validation")  # names for the same split


_NAMED = 3  # missing documents that a message names


@dataclass(frozen=True, slots=True)
class Missing:
    """Documents of a split that are not in the user's files: their names, and how many the split has."""

    names: tuple[str, ...]
    of: int
    hint: str = ""

    def __str__(self) -> str:
        more = ", ..." if len(self.names) > _NAMED else ""
        shown = ", ".join(self.names[:_NAMED]) + more
        return f"{len(self.names)} of {self.of} documents of the split are missing: {shown}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Dataset:
    """A data set: the preset to read it with, its measures, licence and files, and how to load it.

    ``measures`` are ``accuracy`` (options and claims), ``free`` (answers in words) and ``pairs`` (claims that count
    only in pairs). ``splits`` are the data set's own names; ``default`` is one of them. ``load`` takes the folder and
    one of the names. ``note`` is shown with every free question when it is answered. ``missing`` returns the
    documents of a split that are not there; None if all are.
    """

    name: str
    title: str
    load: Callable[[Path, str], list[Case]]
    preset: str = "articles"
    measures: tuple[Measure, ...] = ()
    licence: str = ""
    homepage: str = ""
    files: str = ""
    splits: tuple[str, ...] = ("all",)
    default: str = "all"
    note: str = ""
    missing: Callable[[Path, str], Missing | None] | None = None

    def split(self, given: str = "") -> str:
        """Return the data set's name for a split; ``dev``, ``val``, ``valid`` and ``validation`` mean the same."""
        wanted = names_of(given.lower()) if given else (self.default,)
        for split in self.splits:
            if split in wanted:
                return split
        raise UsageError(f"{self.name} has no split {given!r}", hint=f"splits: {', '.join(self.splits)}")


def names_of(split: str) -> tuple[str, ...]:
    """Return all names of a split."""
    return _HELD_OUT if split in _HELD_OUT else (split,)


def dataset_hash(cases: Iterable[Case]) -> str:
    """Return a hash of texts, questions and keys in their order: equal if two runs had the same cases."""
    digest = hashlib.sha256()
    for case in cases:
        digest.update(hashlib.sha256(case.document.text.encode("utf-8", "surrogatepass")).digest())
        for example in case.examples:
            question = example.question
            asked = [question.kind, question.text, question.options]
            key = [example.references, example.gold, example.pair, example.spans]
            digest.update(json.dumps([asked, key]).encode("ascii") + b"\n")
    return digest.hexdigest()
