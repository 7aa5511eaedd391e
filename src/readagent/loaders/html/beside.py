"""What stands outside of the main part of a page and belongs to it: its title, corrections after it, its notes."""

from __future__ import annotations

from collections.abc import Iterable

from readagent.loaders.html.furniture import is_copyright
from readagent.loaders.html.notes import Notes
from readagent.loaders.html.tree import Element, walk
from readagent.loaders.html.weights import Weight

_PARAGRAPHS = frozenset({"div", "p", "section"})
_SAID = 0.8  # share of sentences in what follows the main part
_MAX_LINKS = 0.35  # share of linked text in it
_FIELDS = "button, form, input, textarea"


def before(body: Element, main: Element, weights: dict[int, Weight]) -> list[Element]:
    """Return the main heading before the main part, and what stands between the two."""
    return _from_title_to(main, _title_before(body, main, weights))


def sentences_after(main: Element, weights: dict[int, Weight]) -> list[Element]:
    """Return the blocks right after the declared main part that are sentences, such as a correction."""
    found: list[Element] = []
    node = main.next
    while node is not None:
        weight = weights.get(node.mem_id)
        if weight is not None and weight.text:
            if not _is_said(node, weight):
                break
            found.append(node)
        node = node.next
    return found


def notes_outside(body: Element, nodes: list[Element], notes: Notes) -> list[Element]:
    """Return the notes that are not in the nodes."""
    inside = {node.mem_id for node in nodes}
    found: list[Element] = []

    def enter(node: Element) -> bool:
        if node.mem_id in notes.elements and node.mem_id not in inside:
            found.append(node)
            return False
        return node.mem_id not in inside

    walk(body, enter, lambda _: None)
    return found


def ancestors(element: Element) -> Iterable[Element]:
    """Yield the elements around an element, innermost first."""
    ancestor = element.parent
    while ancestor is not None and ancestor.is_element_node:
        yield ancestor
        ancestor = ancestor.parent


def _title_before(body: Element, main: Element, weights: dict[int, Weight]) -> Element | None:
    """Return the last h1 before the main text, if the main text contains none."""
    title = None
    for element in body.traverse() if not weights[main.mem_id].titles else ():
        if element.mem_id == main.mem_id:
            return title
        if element.tag == "h1" and element.mem_id in weights and weights[element.mem_id].link_share < 1:
            title = element
    return None


def _from_title_to(main: Element, title: Element | None) -> list[Element]:
    """Return the title and the nodes between it and the main part, in document order."""
    around = {one.mem_id for one in ancestors(main)}
    found: list[Element] = []
    node = title
    while node is not None and node.mem_id != main.mem_id:
        if node.mem_id in around:
            node = node.first_child
            continue
        found.append(node)
        while node is not None and node.next is None:
            node = node.parent
        node = node.next if node is not None else None
    return found


def _is_said(block: Element, weight: Weight) -> bool:
    """Whether a block is sentences with few links."""
    return (
        block.tag in _PARAGRAPHS
        and weight.sentences >= _SAID * weight.text
        and weight.link_share <= _MAX_LINKS
        and block.css_first(_FIELDS) is None
        and not is_copyright(block)
    )
