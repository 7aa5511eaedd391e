"""The name of an element in a few words, and the text of an option."""

from __future__ import annotations

from collections.abc import Mapping

from readagent_browse.clean import NAME_ATTRIBUTE
from readagent_browse.dom import Node

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
