"""Mind2Web: its tasks on recorded pages, read from JSON files in a folder per split, one large file at a time."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from random import Random
from typing import Any, Literal, TypeVar

import msgspec

from readagent.errors import DatasetError, LoadError, UsageError
from readagent.loaders.sandbox.xml import element_of, local
from readagent_bench.datasets.files import placed
from readagent_browse.dom import Snapshot
from readagent_browse.goal import Action, Goal
from readagent_browse.snapshot import SnapshotBuilder, snapshot_of

T = TypeVar("T")

SPLITS = ("test_task", "test_website", "test_domain")
_HINT = "download the test data from its authors and unpack it (see docs/web-navigation.md)"
_FOLDERS = ("", "data", "test", "mind2web", "mind2web/data")
SHOWN_BEFORE = 5  # earlier actions that a method is shown, as in the reference evaluation
ID_ATTRIBUTE = "backend_node_id"


@dataclass(frozen=True, slots=True)
class Step:
    """A page and the action that was taken on it. Any of the ``positives`` is the right element.

    ``candidates`` are the ids of all elements that may be chosen, in an order that does not tell the right ones;
    ``scores`` are those of a ranker, if the file has them. ``positives`` is empty if cleaning the page removed the
    element; then no prediction is right.
    """

    id: str
    html: str
    operation: str
    value: str
    positives: tuple[str, ...]
    candidates: tuple[str, ...]
    scores: Mapping[str, float] = field(default_factory=dict)

    @property
    def gold(self) -> str:
        """The operation with its value, in the form in which operations are compared; clicks have no value."""
        return self.operation if self.operation == "CLICK" else f"{self.operation} {self.value}".strip()


@dataclass(frozen=True, slots=True)
class Task:
    """An instruction for a website, its steps, and one line per step that describes the action taken."""

    id: str
    website: str
    domain: str
    subdomain: str
    instruction: str
    actions: tuple[str, ...]
    steps: tuple[Step, ...]

    def goal(self, number: int) -> Goal:
        """Return what is asked at a step: the instruction, and the right actions before it."""
        return Goal(self.instruction, self.actions[max(0, number - SHOWN_BEFORE) : number])


@dataclass(frozen=True)
class Moment:
    """Step ``number`` of a task, as a method is given it. The page is parsed once, when the first method needs it."""

    task: Task
    number: int
    _parse: Callable[[], Snapshot]

    @property
    def step(self) -> Step:
        return self.task.steps[self.number]

    @property
    def goal(self) -> Goal:
        return self.task.goal(self.number)

    @cached_property
    def page(self) -> Snapshot:
        """The page of the step."""
        return self._parse()


@dataclass(frozen=True, slots=True)
class Acted:
    """The action of a method, decided from ``words`` of the ``full_words`` of the page; None if that means nothing.

    ``opened`` are the snippets shown in full. ``skipped`` says why the model was not asked, as in the reference.
    """

    action: Action | None
    words: int | None = None
    full_words: int = 0
    opened: tuple[int, ...] | None = None
    skipped: str = ""


@dataclass(frozen=True, slots=True)
class Split:
    """A split, or the tasks chosen from it. ``fingerprint`` is the same for the same tasks."""

    name: str
    files: tuple[Path, ...]
    tasks: frozenset[str]
    steps: int
    fingerprint: str

    def __iter__(self) -> Iterator[Task]:
        for file in self.files:
            for one in _listed(file, _Task):
                if one.annotation_id in self.tasks:
                    with placed(f"{file.name}, task {one.annotation_id}"):
                        yield one.task()


class _Outline(msgspec.Struct):
    """The fields of a task that are needed to choose it."""

    annotation_id: str
    confirmed_task: str
    action_reprs: list[str]


class _Candidate(msgspec.Struct):
    backend_node_id: str | int
    score: float | None = None


class _Operation(msgspec.Struct):
    op: Literal["CLICK", "TYPE", "SELECT"]
    value: str | None = None


class _Action(msgspec.Struct):
    """A step as in the file; later editions of the data have candidates and operations as JSON strings."""

    action_uid: str
    cleaned_html: str
    operation: Any
    pos_candidates: list[Any]
    neg_candidates: list[Any]

    def step(self) -> Step:
        operation = _whole(self.operation, _Operation)
        positives = [_whole(one, _Candidate) for one in self.pos_candidates]
        both = [*positives, *(_whole(one, _Candidate) for one in self.neg_candidates)]
        return Step(
            self.action_uid,
            self.cleaned_html,
            operation.op,
            operation.value or "",
            tuple(dict.fromkeys(str(one.backend_node_id) for one in positives)),
            _unordered((str(one.backend_node_id) for one in both), self.action_uid),
            {str(one.backend_node_id): one.score for one in both if one.score is not None},
        )


class _Task(msgspec.Struct):
    """A task as in the file."""

    annotation_id: str
    website: str
    confirmed_task: str
    action_reprs: list[str]
    actions: list[_Action]
    domain: str = ""
    subdomain: str = ""

    def task(self) -> Task:
        steps = tuple(one.step() for one in self.actions)
        named = self.website, self.domain, self.subdomain, self.confirmed_task
        return Task(self.annotation_id, *named, tuple(self.action_reprs), steps)


def _whole(value: Any, kind: type[T]) -> T:
    return msgspec.json.decode(value, type=kind) if isinstance(value, str) else msgspec.convert(value, kind)


def split_of(folder: Path, name: str, *, limit: int | None = None, seed: int = 0) -> Split:
    """Return a split, or ``limit`` of its tasks, chosen by ``seed``."""
    name = name or SPLITS[0]
    files = _files(folder, name)
    found = [one for file in files for one in _listed(file, _Outline)]
    if limit is not None and limit < len(found):
        found = Random(seed).sample(found, limit)
    digest = sha256(repr(sorted((one.annotation_id, one.confirmed_task, one.action_reprs) for one in found)).encode())
    tasks = frozenset(one.annotation_id for one in found)
    return Split(name, files, tasks, sum(len(one.action_reprs) for one in found), digest.hexdigest())


def _files(folder: Path, split: str) -> tuple[Path, ...]:
    """Return the files of a split, wherever in the folder they were unpacked."""
    if split not in SPLITS:
        raise UsageError(f"mind2web has no split {split!r}", hint=f"splits: {', '.join(SPLITS)}")
    for place in (folder / part for part in _FOLDERS):
        if files := sorted((place / split).glob("*.json")) or sorted(place.glob(f"{split}*.json")):
            return tuple(files)
    raise DatasetError(f"{folder} has no files of the split {split!r}", hint=_HINT)


def _listed(file: Path, kind: type[T]) -> list[T]:
    with placed(file.name):
        return msgspec.json.decode(file.read_bytes(), type=list[kind])  # type: ignore[valid-type]


def _unordered(ids: Iterable[str], step: str) -> tuple[str, ...]:
    """Return the ids in an order that is always the same and does not tell which come from the positives.

    The files list positives first. A ranker that gives equal scores would keep them for that alone.
    """
    return tuple(sorted(set(ids), key=lambda one: (sha256(f"{step} {one}".encode()).digest(), one)))


def page_of(step: Step) -> Snapshot:
    """Return the snapshot of a step's page; only its candidates can be acted on."""
    candidates = frozenset(step.candidates)
    try:
        root = element_of(step.html.encode("utf-8", "replace"), "cleaned_html", step.id)
    except LoadError:  # not quite XML: parse it as a browser would
        return snapshot_of(step.html, ID_ATTRIBUTE, candidates, cleaned=True)
    drawing = SnapshotBuilder(ID_ATTRIBUTE, candidates, cleaned=True)
    _draw(root, drawing)
    return drawing.build()


def _draw(element: ET.Element, drawing: SnapshotBuilder) -> None:
    tag = local(element).lower() or "x"
    if tag == "head":
        drawing.title = drawing.title or " ".join("".join(element.itertext()).split())
    if tag == "text":
        drawing.text("".join(element.itertext()))
        return
    if not drawing.open(tag, dict(element.attrib)):
        return
    drawing.text(element.text or "")
    for child in element:
        _draw(child, drawing)
        drawing.text(child.tail or "")
    drawing.close()
