"""Task, Step and Moment: what Mind2Web asks for, and what a method is given of it."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from readagent.errors import LoadError
from readagent.loaders.sandbox.xml import element_of, local
from readagent_browse.dom import Snapshot
from readagent_browse.goal import Goal
from readagent_browse.snapshot import SnapshotBuilder, snapshot_of

SHOWN_BEFORE = 5  # earlier actions that a method is shown, as in the reference evaluation


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


ID_ATTRIBUTE = "backend_node_id"


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
