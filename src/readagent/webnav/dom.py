"""Node, Element, Snapshot: a page as it is shown and acted on, cleaned of all that is neither seen nor used."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from readagent.webnav.action import Operation
from readagent.webnav.clean import is_text_field


@dataclass(frozen=True, slots=True)
class Node:
    """An element of the cleaned tree with what is in it: elements, and text with single spaces.

    ``id`` is set where it can be acted on. ``path`` is where it stands in the tree of the page, ``depth`` how deep;
    the root's depth is 0.
    """

    tag: str
    path: str
    depth: int
    attributes: Mapping[str, str]
    children: tuple[Node | str, ...]
    id: str = ""

    def walk(self) -> Iterator[Node]:
        """This node and all nodes in it, in the order of the page."""
        yield self
        for child in self.children:
            if isinstance(child, Node):
                yield from child.walk()

    def text(self) -> str:
        """All text in it."""
        return " ".join(part for child in self.children if (part := child if isinstance(child, str) else child.text()))


@dataclass(frozen=True, slots=True)
class Element:
    """What can be acted on. ``label`` says in a few words what it is; ``options`` are those of a select."""

    id: str
    tag: str
    attributes: Mapping[str, str]
    label: str
    path: str
    options: tuple[str, ...] = ()

    @property
    def description(self) -> str:
        """The element in one line, as prompts show it."""
        return f'{self.tag} [{self.id}] "{self.label}"'

    @property
    def operations(self) -> tuple[Operation, ...]:
        """What can be done to it, the usual first."""
        if self.tag == "select":
            return ("select",) if self.options else ("click",)
        return ("type", "click") if is_text_field(self.tag, self.attributes) else ("click",)


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A page at one moment: its cleaned tree, and the elements that can be acted on, in the order of the page."""

    root: Node
    elements: tuple[Element, ...]
    title: str = ""

    def element(self, name: str) -> Element | None:
        """The element with this id."""
        return next((element for element in self.elements if element.id == name), None)
