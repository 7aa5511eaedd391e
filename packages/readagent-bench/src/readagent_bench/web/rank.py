"""Rankers: score how likely each candidate is the element of the next action. MindAct keeps the best ones.

The reference uses a cross-encoder trained for this. Here a ranker uses words, or given scores.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Protocol

from readagent.errors import BadReplyError, UsageError
from readagent.models.wire import decode
from readagent.retrieval.bm25 import Bm25
from readagent_bench.context import Context
from readagent_bench.web.data import Step, Task
from readagent_browse.dom import Node, Snapshot
from readagent_browse.goal import Goal
from readagent_browse.render import render

_TARGET_WORDS, _AROUND_WORDS = 100, 50  # of a candidate and of its ancestors, as in the reference


class Ranker(Protocol):
    """Scores candidates. ``name`` goes into the manifest of a run."""

    @property
    def name(self) -> str: ...

    async def scores(self, task: Task, step: Step, page: Snapshot, ids: Sequence[str]) -> Sequence[float]: ...


@dataclass(frozen=True, slots=True)
class LexicalRanker:
    """Ranks by the words that a candidate shares with the instruction."""

    name: str = "lexical"

    async def scores(self, task: Task, step: Step, page: Snapshot, ids: Sequence[str]) -> Sequence[float]:
        return Bm25(texts_of(page, ids)).scores(_asked(task, step).search_text())


@dataclass(frozen=True, slots=True)
class ScoredRanker:
    """Ranks by given scores, from a file or from the data set."""

    name: str
    by_step: Mapping[str, Mapping[str, float]] = field(default_factory=dict)

    async def scores(self, task: Task, step: Step, page: Snapshot, ids: Sequence[str]) -> Sequence[float]:
        known = self.by_step.get(f"{task.id}_{step.id}", step.scores)
        if not known:
            raise UsageError(f"no scores for step {step.id} of task {task.id}", hint="use another --ranker")
        return [float(known.get(one, float("-inf"))) for one in ids]


def ranker_of(name: str) -> Ranker:
    """Return a ranker: ``lexical``, ``scores`` (of the data), or a JSON file of scores."""
    if name in ("", "lexical"):
        return LexicalRanker()
    if name == "scores":
        return ScoredRanker("scores of the data")
    if Path(name).suffix == ".json":
        return ScoredRanker(Path(name).name, _scores(Path(name)))
    raise UsageError(f"invalid ranker {name!r}", hint="lexical, scores or FILE.json")


def _scores(file: Path) -> Mapping[str, Mapping[str, float]]:
    try:
        value: Any = decode(file.read_bytes())
    except (OSError, BadReplyError) as error:
        raise UsageError(f"cannot read scores from {file}: {error}") from None
    found = value.get("scores", value) if isinstance(value, dict) else None
    if not isinstance(found, dict) or not all(isinstance(one, dict) for one in found.values()):
        raise UsageError(f"{file} has no scores", hint='for example {"scores": {"TASK_STEP": {"12": 0.7}}}')
    return found


def _asked(task: Task, step: Step) -> Goal:
    return task.goal(next(number for number, one in enumerate(task.steps) if one.id == step.id))


def texts_of(page: Snapshot, ids: Sequence[str]) -> list[str]:
    """Return each candidate as text: its content, and the names of its ancestors."""
    found: dict[str, str] = {}
    _describe(page.root, [], frozenset(ids), found)
    return [found.get(one, "") for one in ids]


def _describe(node: Node, above: list[str], ids: frozenset[str], found: dict[str, str]) -> None:
    if node.id in ids:
        target = render(node).split()[:_TARGET_WORDS]
        found[node.id] = " ".join([*target, *" ".join(above).split()[-_AROUND_WORDS:]])
    named = " ".join(node.attributes.get(name, "") for name in ("aria-label", "title", "name", "label")).strip()
    for child in node.children:
        if isinstance(child, Node):
            _describe(child, [*above, f"{node.tag} {named}".strip()], ids, found)


@dataclass(slots=True)
class NavigationContext(Context):
    """The plan of the agent says how long snippets of a page are."""

    ranker: Ranker = field(default_factory=LexicalRanker)


_DEPTH, _CHILDREN, _SIBLINGS = 5, 50, 3  # as in the reference implementation


def pruned(root: Node, ids: Collection[str]) -> Node:
    """Return the tree with these elements and what is around them; only these elements keep their ids."""
    kept: set[str] = set()
    _mark(root, None, frozenset(ids), kept)
    return _only(root, kept, frozenset(ids))


def _mark(node: Node, above: Node | None, ids: frozenset[str], kept: set[str]) -> bool:
    """Add the paths of what is kept in a node; return whether one of the elements is in it."""
    found = node.id in ids
    if found:
        inside = [one.path for one in _within(node, _DEPTH)][:_CHILDREN]
        kept.update(inside)
        siblings = [one for one in above.children if isinstance(one, Node)] if above is not None else []
        place = next((i for i, one in enumerate(siblings) if one is node), 0)
        kept.update(one.path for one in siblings[max(0, place - _SIBLINGS) : place + _SIBLINGS + 1])
    for child in node.children:
        if isinstance(child, Node) and _mark(child, node, ids, kept):
            found = True
    if found:
        kept.add(node.path)
    return found


def _within(node: Node, depth: int) -> Iterator[Node]:
    for child in node.children if depth >= 0 else ():
        if isinstance(child, Node):
            yield child
            yield from _within(child, depth - 1)


def _only(node: Node, kept: set[str], ids: frozenset[str]) -> Node:
    children = tuple(
        child if isinstance(child, str) else _only(child, kept, ids)
        for child in node.children
        if isinstance(child, str) or child.path in kept
    )
    return replace(node, children=children, id=node.id if node.id in ids else "")
