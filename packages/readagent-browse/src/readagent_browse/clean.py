"""Cleaning a page: which elements are visible, and which attributes describe an element."""

from __future__ import annotations

import re
from collections.abc import Mapping

from readagent_browse.material import harmless

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
