"""Node, Element, Snapshot: a cleaned page, without anything that is neither visible nor usable."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from readagent_browse.action import Operation
from readagent_browse.interactive import is_text_field
from readagent_browse.material import quoted


@dataclass(frozen=True, slots=True)
class Node:
    """An element of the cleaned tree with its children: elements, and text with single spaces.

    ``id`` is set if the element can be acted on. ``path`` is its position in the tree of the page and ``depth`` its
    level; the root has depth 0.
    """

    tag: str
    path: str
    depth: int
    attributes: Mapping[str, str]
    children: tuple[Node | str, ...]
    id: str = ""

    def walk(self) -> Iterator[Node]:
        """Yield this node and all its descendants, in page order."""
        yield self
        for child in self.children:
            if isinstance(child, Node):
                yield from child.walk()

    def text(self) -> str:
        """Return all text in the node."""
        return " ".join(part for child in self.children if (part := child if isinstance(child, str) else child.text()))


@dataclass(frozen=True, slots=True)
class Element:
    """An element that can be acted on. ``label`` names it in a few words; ``options`` are those of a select."""

    id: str
    tag: str
    attributes: Mapping[str, str]
    label: str
    path: str
    options: tuple[str, ...] = ()

    @property
    def description(self) -> str:
        """The element in one line, as prompts show it."""
        return f"{self.tag} [{self.id}] {quoted(self.label)}"

    @property
    def operations(self) -> tuple[Operation, ...]:
        """The possible operations, the most likely first."""
        if self.tag == "select":
            return ("select",) if self.options else ("click",)
        return ("type", "click") if is_text_field(self.tag, self.attributes) else ("click",)


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A page at one moment: its cleaned tree, and the elements that can be acted on, in page order.

    ``url`` is its address, if that is known.
    """

    root: Node
    elements: tuple[Element, ...]
    title: str = ""
    url: str = ""

    def element(self, name: str) -> Element | None:
        """Return the element with this id, or None."""
        return next((element for element in self.elements if element.id == name), None)
