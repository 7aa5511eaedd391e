"""What to leave out of the main part of a web page: navigation, lists of links, dialogs.

What an element is follows from its tag and role, and from how much of its text is prose or links; never from its class.
"""

from __future__ import annotations

from readagent.loaders.html.notes import Notes
from readagent.loaders.html.tree import Attributes, Element
from readagent.loaders.html.visibility import NO_TEXT, is_hidden, is_label
from readagent.loaders.html.weights import HEADING, Weight, heading_before, is_described, weigh

MOSTLY_LINKS = 0.6  # share of linked text
_MOSTLY_LINKS_DECLARED = 0.9  # of a list in the declared main part, or of a table
_NOTE_LINKS = 0.1  # an aside with fewer links belongs to the text: a note, a quotation
_NOTE_SENTENCES = 0.6  # an aside or footer with this share of sentences is a note too, if it has
_MAX_NOTE_LINKS = 0.35  # at most this share of links
_MIN_LINKS = 3  # an element with fewer links may be a reference
_MAX_AFTER = 50  # nodes after a list in which the text goes on
_INDEX_PROSE = 500  # bytes; a page of links without a declared main part and with less prose is an index
_MAX_TEXT = 0.4  # of the text outside of links, in an element that is left out because of its tag or role
_ONLY_TEXT = 0.9  # of the text outside of links: a dialog with this much is the text
_MAX_PROSE = 0.2  # of the prose of a declared main part, in such an element
_TAGS = frozenset({"nav", "aside", "footer", "form", "dialog", "button", "search"})
_ROLES = frozenset(
    "navigation banner contentinfo complementary search menu menubar toolbar form directory"
    " doc-toc doc-pagelist".split()
)
_DIALOGS = frozenset({"dialog", "alertdialog"})
_LINK_LISTS = frozenset("article center details div dl header hgroup ol section table ul".split())
_ALWAYS_KEPT = frozenset({"body", "html", "main"})


class Furniture:
    """Decides which elements inside the main part do not belong to the main text, and counts their words."""

    def __init__(
        self,
        main: Element,
        weights: dict[int, Weight],
        notes: Notes,
        *,
        declared: bool,
        after: frozenset[int] = frozenset(),
    ) -> None:
        self.words = 0  # in the elements that were left out so far
        self._main = main.mem_id
        self._weights = weights
        self._notes = notes
        self._declared = declared
        self._after = after
        self._whole = whole = weights[main.mem_id]
        self._is_index = whole.link_share >= MOSTLY_LINKS and (declared or whole.prose < _INDEX_PROSE)

    def skips(self, node: Element, tag: str, attributes: Attributes) -> bool:
        """Whether to leave out this element; counts its words."""
        skipped = self.is_furniture(node, tag, attributes)
        self.words += self._weights[node.mem_id].words if skipped else 0
        return skipped

    def is_furniture(self, node: Element, tag: str, attributes: Attributes) -> bool:
        """Whether an element does not belong to the main text."""
        element_id = node.mem_id
        if element_id == self._main or element_id in self._notes.elements or tag in _ALWAYS_KEPT:
            return False
        weight = self._weights.get(element_id)
        return weight is not None and weight.text > 0 and self._is_foreign(node, tag, attributes, weight)

    def _is_foreign(self, node: Element, tag: str, attributes: Attributes, weight: Weight) -> bool:
        if node.mem_id in self._after:
            return not self._is_index
        role = attributes.get("role") or ""
        if tag == "dialog" or role in _DIALOGS:
            return weight.unlinked_text < _ONLY_TEXT * self._whole.unlinked_text
        if tag == "button" and _is_in_heading(node):  # which shows what is below the heading
            return False
        if tag in _TAGS or role in _ROLES:
            return self._is_aside(tag, weight)
        return tag in _LINK_LISTS and not weight.prose and self._is_link_list(node, tag, weight)

    def _is_aside(self, tag: str, weight: Weight) -> bool:
        if self._declared and (_is_note(tag, weight) or weight.prose > _MAX_PROSE * self._whole.prose):
            return False
        return weight.unlinked_text < _MAX_TEXT * self._whole.unlinked_text

    def _is_link_list(self, node: Element, tag: str, weight: Weight) -> bool:
        if self._is_index or weight.links < _MIN_LINKS:
            return False
        strict = self._declared or tag == "table"
        if weight.link_share < (_MOSTLY_LINKS_DECLARED if strict else MOSTLY_LINKS):
            return False
        return not (is_described(node, self._weights) or (self._declared and self._is_section(node)))

    def _is_section(self, node: Element) -> bool:
        """Whether a list has a heading of its own, and the text goes on after it."""
        if heading_before(node) is None:
            return False
        after = node.next
        for _ in range(_MAX_AFTER):
            if after is None or (after.mem_id in self._weights and self._weights[after.mem_id].sentences):
                break
            after = after.next
        else:
            return False
        return after is not None


def _is_note(tag: str, weight: Weight) -> bool:
    """Whether an aside has hardly any links, or an aside or footer says something, with few links."""
    said = weight.sentences >= _NOTE_SENTENCES * weight.text and weight.link_share <= _MAX_NOTE_LINKS
    return (tag in ("aside", "footer") and said) or (tag == "aside" and weight.link_share < _NOTE_LINKS)


def _is_in_heading(node: Element) -> bool:
    around = (node.parent, node.parent.parent if node.parent is not None else None)
    return any(one is not None and HEADING.fullmatch(one.tag or "") for one in around)


_MAIN = ("main", "article", "[role=main]")
_MAX_ROUNDS = 4  # of showing what is hidden inside of what was hidden
_HIDING = ("style", "hidden", "aria-hidden")
_HIDDEN = ", ".join((
    *(f"{part}[{name}], {part} [{name}]" for part in _MAIN for name in _HIDING),
    "body > [hidden][id^='S:']",  # how React sends text that a script then puts into the page
))  # fmt: skip


def weigh_shown(root: Element, body: Element) -> dict[int, Weight]:
    """Weigh a page, and show what of its main part is hidden, if it says more than what is shown."""
    weights = weigh(root)
    for _ in range(_MAX_ROUNDS):
        hidden = [one for one in root.css(_HIDDEN) if _is_hidden_here(one, weights)]
        attributes = [_show(one) for one in hidden]
        said = sum(found.sentences for one in hidden if (found := weigh(one).get(one.mem_id)))
        if said <= _shown_sentences(root, body, weights):
            for one, values in zip(hidden, attributes, strict=True):
                for name, value in values.items():
                    one.attrs[name] = value
            break
        weights = weigh(root)
    return weights


def _shown_sentences(root: Element, body: Element, weights: dict[int, Weight]) -> int:
    """Return how much the main part shows, or the page if it declares none."""
    parts = [weights[one.mem_id].sentences for one in root.css(", ".join(_MAIN)) if one.mem_id in weights]
    return max(parts, default=weights[body.mem_id].sentences)


def _is_hidden_here(element: Element, weights: dict[int, Weight]) -> bool:
    """Whether an element, and not one around it, is hidden."""
    if element.mem_id in weights or element.parent is None or element.parent.mem_id not in weights:
        return False
    tag, attributes = element.tag or "", element.attributes
    return (
        tag != "dialog" and tag not in NO_TEXT and not is_label(element, tag, attributes) and is_hidden(tag, attributes)
    )


def _show(element: Element) -> dict[str, str | None]:
    """Remove the attributes that hide an element, and return them."""
    found = {name: element.attributes[name] for name in _HIDING if name in element.attributes}
    for name in found:
        del element.attrs[name]
    return found
