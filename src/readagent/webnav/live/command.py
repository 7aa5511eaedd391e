"""Commands: the actions that a model may reply with in a visit, and reading them from a reply."""

from __future__ import annotations

import re
from collections.abc import Sequence
from difflib import get_close_matches
from typing import get_args

from readagent.core.model import Reply
from readagent.core.replies import strip_thinking, unfenced
from readagent.core.session import useless
from readagent.webnav.action import Action, Operation
from readagent.webnav.dom import Element
from readagent.webnav.interactive import is_text_field

ENTER = "[Enter]"
_FORMS: dict[Operation, str] = {
    "click": "click [12]",
    "type": f"type [12] the text (end it with {ENTER} to press that key)",
    "select": "select [12] one of its options",
    "note": "note what to remember of this page",
    "done": "done",
}
_OPERATIONS = "|".join(get_args(Operation))
_LINE = re.compile(rf"^\W*(?P<marked>(?:next )?action\W*)?(?P<operation>{_OPERATIONS})\b[:\s]*(?P<rest>.*)$", re.I)
_ID = re.compile(
    r"^(?:on |into |in |the |element |id[ =:]?)*[\[(<\"']*(?:id=)?(?P<id>\w[\w-]*)[\])>\"']*(?:\s*[:,.–-]?\s+|\.?$)",
    re.I,
)
_BARE = re.compile(r"^\W*(?:(?:element|id)\s*[:=]?)?\s*\[?(?P<id>\d+|[A-Za-z]{1,8}[-_]?\d+)\]?\W*$", re.I)
_QUOTED = re.compile(r"^([\"'`“])(?P<text>.*)[\"'`”](?P<enter>\s*\[Enter\])?$", re.I)


def forms(elements: Sequence[Element]) -> str:
    """Return the forms of the actions that are possible with these elements, one per line."""
    possible = {operation for element in elements for operation in element.operations} | {"note", "done"}
    return "\n".join(f"Action: {form}" for operation, form in _FORMS.items() if operation in possible)


def parse_command(reply: Reply, elements: Sequence[Element]) -> tuple[Action | None, str]:
    """Return the action that a reply names, or the problem with it; only these elements can be acted on."""
    if problem := useless(reply):
        return None, problem
    lines = [line.strip() for line in unfenced(strip_thinking(reply.text)).strip().splitlines() if line.strip()]
    found = [(at, match) for at, line in enumerate(lines) if (match := _LINE.match(line))]
    marked = [one for one in found if one[1]["marked"]]
    if not found:
        bare = _BARE.match(lines[0]) if len(lines) == 1 else None
        return _on_element("click", bare["id"], "", elements) if bare else (None, "it named no action")
    at, match = marked[-1] if marked else found[0]
    operation = next(one for one in get_args(Operation) if one == match["operation"].lower())
    rest = match["rest"].strip()
    if operation == "done":
        return Action("", "done", "\n".join([rest, *lines[at + 1 :]]).strip(" \n")), ""
    if operation == "note":
        return (Action("", "note", rest), "") if rest else (None, "it noted nothing")
    target = _ID.match(rest)
    if target is None:
        return None, f"it did not say what to {operation}"
    return _on_element(operation, target["id"], rest[target.end() :].strip(), elements)


def _on_element(operation: Operation, name: str, value: str, elements: Sequence[Element]) -> tuple[Action | None, str]:
    """Return an action on the element with this id, or why that is not possible."""
    element = next((one for one in elements if one.id == name), None)
    if element is None:
        return None, f"nothing that is shown has the id {name}"
    if operation == "click" and element.options:
        operation = "select"
    if operation == "type":
        if not is_text_field(element.tag, element.attributes):
            return None, f"nothing can be typed into [{name}]"
        return Action(name, "type", _unquoted(value)), ""
    if operation == "select":
        option = _option(_unquoted(value), element.options)
        return (Action(name, "select", option), "") if option else (None, f"[{name}] has no option {value!r}")
    return Action(name, operation), ""


def _option(wanted: str, options: Sequence[str]) -> str:
    """Return the option of this name, or else the most similar one; empty if there is none."""
    names = {" ".join(option.split()).casefold(): option for option in reversed(options)}
    similar = get_close_matches(" ".join(wanted.split()).casefold(), list(names), 1)
    return names[similar[0]] if similar else ""


def _unquoted(text: str) -> str:
    """Return a text without quotation marks around it; a final ``[Enter]`` stays."""
    found = _QUOTED.match(text)
    return f"{found['text']}{found['enter'] or ''}" if found else text
