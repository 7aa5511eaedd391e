"""The cleaned page: nodes, elements, which are visible, can be used, what they are called, which a goal may mean."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import fsum

from readagent_browse.goal import Goal, Operation
from readagent_browse.material import harmless, quoted

NOT_CONTENT = frozenset("head link meta script style template".split())
_DROPPED = NOT_CONTENT | frozenset(
    "noscript base object embed param source track canvas colgroup col map"
    " audio video iframe frame frameset noframes noembed datalist math".split()
)
_HIDING_STYLE = re.compile(r"(?:display\s*:\s*none|visibility\s*:\s*(?:hidden|collapse))", re.IGNORECASE)
_HTML_NAMES = {  # the spelling of data sets, and the name in HTML
    "aria_role": "role",
    "input_value": "value",
    "text_value": "value",
    "input_checked": "checked",
    "option_selected": "selected",
}
NAME_ATTRIBUTE = "data-readagent-name"  # what the browser calls an element
_KEPT = (
    "type", "name", "role", "aria-label", "aria-description", "label", "title", "alt", "placeholder", "value",
    "href", "for", "checked", "selected", "disabled", "readonly", "required", "aria-checked", "aria-selected",
    "aria-expanded", "aria-current", "aria-valuenow", "contenteditable", "multiple", "draggable", NAME_ATTRIBUTE,
)  # fmt: skip
_FLAGS = frozenset({"checked", "selected", "disabled", "readonly", "required", "multiple", "draggable"})
_EMPTY_VALUES = frozenset({"", "none", "presentation", "null", "undefined", "generic", "false"})
_MAX_VALUE = 80  # characters


def is_hidden(tag: str, attributes: Mapping[str, str]) -> bool:
    """Return whether an element is invisible, or is not content that can be shown as text."""
    if tag in _DROPPED or (tag == "input" and attributes.get("type", "").lower() == "hidden"):
        return True
    if not attributes:
        return tag == "dialog"
    if "hidden" in attributes and attributes["hidden"] != "until-found":
        return True
    if attributes.get("aria-hidden") == "true" and tag not in ("html", "body", "main"):
        return True
    return (tag == "dialog" and "open" not in attributes) or bool(_HIDING_STYLE.search(attributes.get("style", "")))


def kept_attributes(attributes: Mapping[str, str], *, query: bool = False) -> dict[str, str]:
    """Return the attributes that describe an element.

    Names are those of HTML, values have single spaces, and addresses are shortened; ``query`` keeps their query.
    """
    renamed = {_HTML_NAMES.get(name, name.replace("aria_", "aria-")): value for name, value in attributes.items()}
    found: dict[str, str] = {}
    is_password = renamed.get("type", "").lower() == "password"
    for name in _KEPT:
        if name not in renamed or (is_password and name == "value"):
            continue
        value = _value(renamed[name])
        if name in _FLAGS:
            if value.lower() != "false":
                found[name] = ""
        elif name == "contenteditable":
            if value.lower() != "false":
                found[name] = "true"
        elif value.lower() not in _EMPTY_VALUES:
            found[name] = address(value, query=query) if name == "href" else _cut(value)
    for name in ("id", "class"):
        if value := _value(renamed.get(name, "")):
            found[name] = _cut(value)
    return found


def _value(value: str) -> str:
    """Return a harmless value that cannot close the tag around it either."""
    return harmless(value).replace(">", "›")


def address(href: str, *, query: bool = False) -> str:
    """Return an address without its scheme, and without its query unless that is wanted."""
    return _cut(re.sub(r"^https?://(?:www\.)?|#.*$" if query else r"^https?://(?:www\.)?|[?#].*$", "", href) or href)


def _cut(value: str) -> str:
    return value if len(value) <= _MAX_VALUE else value[: _MAX_VALUE - 1].rstrip() + "…"


_ROLES = frozenset(
    "button checkbox combobox link listbox menuitem menuitemcheckbox menuitemradio option radio searchbox slider"
    " spinbutton switch tab textbox treeitem".split()
)
_NATIVE = frozenset({"button", "input", "select", "textarea", "summary"})
_NOT_TEXT = frozenset("button checkbox color file hidden image radio range reset submit".split())
_TEXT_ROLES = frozenset({"textbox", "searchbox", "combobox"})


def is_interactive(tag: str, attributes: Mapping[str, str]) -> bool:
    """Return whether an element is meant to be clicked, typed into or chosen from."""
    if tag in _NATIVE or (tag in ("a", "area") and "href" in attributes):
        return True
    if not attributes:
        return False
    if attributes.get("role", "").lower() in _ROLES or "onclick" in attributes:
        return True
    if attributes.get("contenteditable", "false").lower() != "false":
        return True
    return attributes.get("tabindex", "").strip().isdigit()


def is_text_field(tag: str, attributes: Mapping[str, str]) -> bool:
    """Return whether text can be typed into an element."""
    if tag == "input":
        return attributes.get("type", "text").lower() not in _NOT_TEXT
    if tag == "textarea" or attributes.get("contenteditable", "false").lower() != "false":
        return True
    return tag != "select" and attributes.get("role", "").lower() in _TEXT_ROLES


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


_MAX_LABEL = 100  # characters
_MAX_LABEL_WORDS = 12


def option_text(node: Node) -> str:
    """Return the text of an option of a select."""
    return node.text() or node.attributes.get("label", "") or node.attributes.get("value", "")


def label_of(node: Node, labels: Mapping[str, str]) -> str:
    """Return what an element is called, in a few words: the browser's name for it, its label, its text or an attribute.

    ``labels`` are the texts of the page's label elements by the id they belong to.
    """
    attributes = node.attributes
    is_button = node.tag == "input" and attributes.get("type", "").lower() in ("submit", "button", "reset")
    names = (
        attributes.get(NAME_ATTRIBUTE, ""),
        attributes.get("aria-label", ""),
        labels.get(attributes.get("id", ""), ""),
        attributes.get("value", "") if is_button else "",
        "" if node.tag == "select" else node.text(),
        next((child.attributes["alt"] for child in node.walk() if "alt" in child.attributes), ""),
        *(attributes.get(name, "") for name in ("placeholder", "title", "label", "name", "value", "id", "class")),
        node.tag,
    )
    return " ".join(next(name for name in names if name).split()[:_MAX_LABEL_WORDS])[:_MAX_LABEL]


_SHARED_WORD = re.compile(r"\w{3,}")


def best_match(elements: Sequence[Element], goal: Goal) -> Element:
    """Return the element whose name shares the rarest words with the instruction, or the first if none shares any."""
    names = [f"{element.label} {' '.join(element.options)}" for element in elements]
    best = best_name(names, goal)
    return elements[names.index(best)] if best else elements[0]


def best_matches(elements: Sequence[Element], goal: Goal, most: int) -> list[Element]:
    """Return the elements whose names share the rarest words with the instruction, the best first."""
    scores = _scores([element.label for element in elements], goal)
    order = sorted(range(len(scores)), key=lambda place: (-scores[place], place))
    return [elements[place] for place in order[:most] if scores[place] > 0]


def best_name(names: Sequence[str], goal: Goal) -> str:
    """Return the name that shares the rarest words with the instruction; empty if none shares any."""
    scores = _scores(names, goal)
    return names[scores.index(max(scores))] if any(scores) else ""


def _scores(names: Sequence[str], goal: Goal) -> list[float]:
    wanted = set(_SHARED_WORD.findall(goal.instruction.lower()))
    shared = [set(_SHARED_WORD.findall(name.lower())) & wanted for name in names]
    counts = Counter(word for words in shared for word in words)
    return [fsum(1 / counts[word] for word in words) for words in shared]
