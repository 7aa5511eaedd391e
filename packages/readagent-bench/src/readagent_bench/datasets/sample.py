"""Draw a part of a data set. The same seed draws the same part, and a larger part contains the smaller ones."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import replace

from readagent.errors import UsageError
from readagent_bench.example import Case, Example


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


def of_group(cases: Sequence[Case], group: str) -> list[Case]:
    """Return the cases with the examples of this group only, without those that have none; raise if nothing is left."""
    some = [replace(case, examples=tuple(one for one in case.examples if one.group == group)) for case in cases]
    kept = [case for case in some if case.examples]
    if not kept:
        raise UsageError(f"this data set has no questions of the group {group!r}", hint="qmsum has some")
    return kept


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
