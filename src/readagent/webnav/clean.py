"""What of a page is kept: elements that are seen, attributes that say what an element is, and what can be acted on."""

from __future__ import annotations

import re
from collections.abc import Mapping

NOT_CONTENT = frozenset("head link meta script style template".split())
_DROPPED = NOT_CONTENT | frozenset(
    "noscript base object embed param source track canvas colgroup col map"
    " audio video iframe frame frameset noframes noembed datalist math".split()
)
_HIDING = re.compile(r"(?:display\s*:\s*none|visibility\s*:\s*(?:hidden|collapse))", re.IGNORECASE)
_SPELLED = {  # as data sets write them
    "aria_role": "role",
    "input_value": "value",
    "text_value": "value",
    "input_checked": "checked",
    "option_selected": "selected",
}
_KEPT = (
    "type", "name", "role", "aria-label", "aria-description", "label", "title", "alt", "placeholder", "value",
    "href", "for", "checked", "selected", "disabled", "readonly", "required", "aria-checked", "aria-selected",
    "aria-expanded", "aria-current", "contenteditable",
)  # fmt: skip
_FLAGS = frozenset({"checked", "selected", "disabled", "readonly", "required"})
_UNTOLD = frozenset({"", "none", "presentation", "null", "undefined", "generic", "false"})
_LONGEST = 80  # characters of a value that are kept
_ROLES = frozenset(
    "button checkbox combobox link listbox menuitem menuitemcheckbox menuitemradio option radio searchbox slider"
    " spinbutton switch tab textbox treeitem".split()
)
_NATIVE = frozenset({"button", "input", "select", "textarea", "summary"})
_NOT_TYPED = frozenset("button checkbox color file hidden image radio range reset submit".split())
_TYPED_ROLES = frozenset({"textbox", "searchbox", "combobox"})


def is_hidden(tag: str, attributes: Mapping[str, str]) -> bool:
    """Whether an element is not to be seen by anybody, or is no part of the page that could be shown."""
    if tag in _DROPPED or (tag == "input" and attributes.get("type", "").lower() == "hidden"):
        return True
    if not attributes:
        return tag == "dialog"
    if "hidden" in attributes and attributes["hidden"] != "until-found":
        return True
    if attributes.get("aria-hidden") == "true" and tag not in ("html", "body", "main"):
        return True
    return (tag == "dialog" and "open" not in attributes) or bool(_HIDING.search(attributes.get("style", "")))


def kept_attributes(attributes: Mapping[str, str]) -> dict[str, str]:
    """The attributes that say what an element is; names as in HTML, values with single spaces, addresses shortened."""
    spelled = {_SPELLED.get(name, name.replace("aria_", "aria-")): value for name, value in attributes.items()}
    found: dict[str, str] = {}
    secret = spelled.get("type", "").lower() == "password"
    for name in _KEPT:
        if name not in spelled or (secret and name == "value"):
            continue
        value = _plain(spelled[name])
        if name in _FLAGS:
            if value.lower() != "false":
                found[name] = ""
        elif name == "contenteditable":
            if value.lower() != "false":
                found[name] = "true"
        elif value.lower() not in _UNTOLD:
            found[name] = _address(value) if name == "href" else _cut(value)
    for name in ("id", "class"):
        if value := _plain(spelled.get(name, "")):
            found[name] = _cut(value)
    return found


def _plain(value: str) -> str:
    """A value with single spaces, which cannot pass for a tag or end one."""
    return " ".join(value.replace("<", "‹").replace(">", "›").split())


def _address(href: str) -> str:
    """An address without its scheme and query."""
    return _cut(re.sub(r"^https?://(?:www\.)?|[?#].*$", "", href) or href)


def _cut(value: str) -> str:
    return value if len(value) <= _LONGEST else value[: _LONGEST - 1].rstrip() + "…"


def is_interactive(tag: str, attributes: Mapping[str, str]) -> bool:
    """Whether an element is there to be clicked, typed into or chosen from."""
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
    """Whether text can be typed into an element."""
    if tag == "input":
        return attributes.get("type", "text").lower() not in _NOT_TYPED
    if tag == "textarea" or attributes.get("contenteditable", "false").lower() != "false":
        return True
    return tag != "select" and attributes.get("role", "").lower() in _TYPED_ROLES
