"""Dataset: the description of a data set, and the hash that identifies the cases of a run."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from readagent.errors import UsageError
from readagent_bench.datasets.files import names_of
from readagent_bench.records import Case, Example

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
    """A data set: the preset to read it with, its licence, and how to load it.

    ``splits`` are the data set's own names; ``default`` is one of them. ``load`` takes the folder and one of the names.
    ``missing`` returns the documents of a split that are not there; None if all are.
    """

    name: str
    title: str
    load: Callable[[Path, str], list[Case]]
    preset: str = "articles"
    licence: str = ""
    homepage: str = ""
    splits: tuple[str, ...] = ("all",)
    default: str = "all"
    missing: Callable[[Path, str], Missing | None] | None = None

    def split(self, given: str = "") -> str:
        """Return the data set's name for a split; ``dev``, ``val``, ``valid`` and ``validation`` mean the same."""
        wanted = names_of(given.lower()) if given else (self.default,)
        for split in self.splits:
            if split in wanted:
                return split
        raise UsageError(f"{self.name} has no split {given!r}", hint=f"splits: {', '.join(self.splits)}")


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


def sample(
    cases: Sequence[Case], *, documents: int | None = None, questions: int | None = None, seed: int = 0
) -> list[Case]:
    """Return at most ``documents`` cases with at most ``questions`` examples each, in their order.

    Claims of a pair are drawn together; a document keeps at least one question, or pair.
    """
    for limit in (documents, questions):
        if limit is not None and limit < 1:
            raise UsageError(f"a limit must be at least 1, not {limit}")
    drawn = _drawn((case.id for case in cases), documents, seed)
    kept = [case for case in cases if case.id in drawn]
    return kept if questions is None else [_fewer(case, questions, seed) for case in kept]


def _fewer(case: Case, most: int, seed: int) -> Case:
    together: dict[str, list[Example]] = {}
    for example in case.examples:
        together.setdefault(example.pair or example.id, []).append(example)
    kept: set[str] = set()
    room = most
    for unit in sorted(together, key=lambda unit: _rank(unit, seed)):
        size = len(together[unit])
        if kept and size > room:
            break
        kept |= {example.id for example in together[unit]}
        room -= size
    return replace(case, examples=tuple(example for example in case.examples if example.id in kept))


def _drawn(ids: Iterable[str], most: int | None, seed: int) -> set[str]:
    ranked = sorted(ids, key=lambda one: _rank(one, seed))
    return set(ranked if most is None else ranked[:most])


def _rank(name: str, seed: int) -> str:
    return hashlib.sha256(f"{seed}:{name}".encode("utf-8", "surrogatepass")).hexdigest()
