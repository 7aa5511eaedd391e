"""Which elements of a page can be clicked, typed into or chosen from."""

from __future__ import annotations

from collections.abc import Mapping

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
