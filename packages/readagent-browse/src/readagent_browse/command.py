"""Commands: the actions that a model may reply with, and reading them from a reply."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import get_args

from readagent.core.form import Filled, Form, Lines, Text, strip_thinking, unfenced
from readagent.core.model import Reply
from readagent.core.session import useless
from readagent_browse.dom import Element, is_text_field
from readagent_browse.goal import Action, Operation
from readagent_browse.material import quoted, unquotable

ENTER = "[Enter]"
ACTIVATING = ("Enter", "Space")  # keys that may do what a click does
_ON_PAGE = ("press", "scroll", "back", "wait", "note", "tab", "close")  # without an element
_FORMS: dict[Operation, str] = {
    "click": "click [12], or double-click [12]",
    "drag": "drag [12] to [15], drag [12] before [15], or drag [12] after [15]",
    "type": "type [12] the text",
    "select": "select [12] one of its options",
    "hover": "hover [12]",
    "press": "press Escape, or press [12] ArrowDown",
    "scroll": "scroll down (loads more of an endless page), scroll up, or scroll [12] down (the list around it)",
    "back": "back (to the page before)",
    "wait": "wait 3 (seconds, for what the page is still doing)",
    "note": "note what to remember of this page",
    "done": "done",
}
_OPERATIONS = "|".join(sorted(get_args(Operation), key=len, reverse=True))
_LINE = re.compile(
    rf"(?P<operation>{_OPERATIONS})\b:?\s*(?:(?:on\s+)?(?:element\s+)?\[(?:id=)?(?P<id>[\w-]+)\])?[:.,]?\s*(?P<rest>.*)",
    re.I | re.S,
)
_PLACE = re.compile(r"(?P<where>to|before|after) \[(?P<id>[\w-]+)\]", re.I)
_QUOTE = Lines("Quote", numbered=False)
_COMMAND = Form((Text("Action"), Text("Answer"), _QUOTE))
_ANSWER = Form((Text("Answer"), _QUOTE))
_USUAL_WAIT = 3  # seconds
_LONGEST_WAIT = 10
_NUMBER = re.compile(r"[0-9]{1,3}")
_TITLE = 60  # characters of the title of a tab
_QUOTED = re.compile(r"^([\"'`“])(?P<text>.*)[\"'`”](?P<enter>\s*\[Enter\])?$", re.I)


@dataclass(frozen=True, slots=True)
class Scope:
    """What is possible on a page besides actions on its elements; by default it is a recorded one, with nothing else.

    ``files`` may be uploaded. ``tabs`` are the titles of the open tabs, and ``tab`` is the number of the one that is
    shown. On a page that is not ``live``, elements can be clicked, typed into and selected from.
    """

    live: bool = False
    may_stop: bool = False
    files: Sequence[str] = ()
    tabs: Sequence[str] = ()
    tab: int = 1


def forms(elements: Sequence[Element], scope: Scope) -> str:
    """Return the forms of the actions that are possible with these elements, one per line."""
    possible: set[Operation] = {operation for element in elements for operation in element.operations}
    if scope.live:
        possible |= {"press", "scroll", "back", "wait", "note"}
        possible |= {"hover"} if elements else set()
        possible |= {"type" for element in elements if _is_set_by_typing(element)}
        possible |= {"drag" for element in elements if "draggable" in element.attributes}
    possible |= {"done"} if scope.may_stop else set()
    enter = f" (end it with {ENTER} to press that key)" if scope.live else ""
    known = {**_FORMS, "type": f"{_FORMS['type']}{enter}"}
    lines = [f"Action: {form}" for operation, form in known.items() if operation in possible]
    if scope.files and elements:
        lines.insert(-2, f"Action: upload [12] one of these files: {', '.join(map(quoted, scope.files))}")
    if len(scope.tabs) > 1:
        shown = scope.tab
        titles = (
            f"{n} {quoted(one[:_TITLE])}{' (shown)' if n == shown else ''}" for n, one in enumerate(scope.tabs, 1)
        )
        other = 1 if shown > 1 else 2
        lines[-2:-2] = [f"Action: tab {other} (shows another tab; these are open: {', '.join(titles)})",
                        "Action: close (the tab that is shown)"]  # fmt: skip
    return "\n".join(lines)


def parse_command(reply: Reply, elements: Sequence[Element], scope: Scope) -> tuple[Action | None, str]:
    """Return the action that a reply names, or the problem with it.

    Only these elements can be named, and the files and tabs of the scope. Without its label, an action counts if it is
    all of the reply.
    """
    if problem := useless(reply):
        return None, problem
    filled = _COMMAND.parse(reply.text) or Filled()
    said = filled.texts.get("Action") if filled.texts else unfenced(strip_thinking(reply.text))
    match = _LINE.fullmatch((said or "").strip())
    if match is None or (not filled.texts and len(match["rest"].split()) > 1):
        return None, "it named no action"
    operation = next(one for one in get_args(Operation) if one == match["operation"].lower())
    name, rest = match["id"] or "", match["rest"].partition("\n")[0].strip()
    if operation == "done" and scope.may_stop:
        quotes = [f"Quote: {words}" for _, words in filled.lines.get("Quote", ())]
        return Action("", "done", "\n".join([filled.texts.get("Answer", match["rest"]).strip(), *quotes])), ""
    if not scope.live and operation not in ("click", "type", "select"):
        return None, f"{operation} is not possible on this page"
    if name or operation not in _ON_PAGE:
        return _on_element(operation, name, rest, elements, scope.files)
    return _on_page(operation, rest, len(scope.tabs))


def split_answer(said: str) -> tuple[str, tuple[str, ...]]:
    """Return the answer in what was said last, and its quotes, which stand on lines of their own."""
    filled = _ANSWER.parse(f"Answer: {said.strip()}") or Filled(texts={"Answer": said.strip()})
    return filled.texts.get("Answer", ""), tuple(words for _, words in filled.lines.get("Quote", ()))


def _on_page(operation: Operation, value: str, tabs: int) -> tuple[Action | None, str]:
    """Return an action that names no element, or why that is not possible."""
    number = int(found[0]) if (found := _NUMBER.search(value)) else 0
    match operation:
        case "note":
            return (Action("", "note", value), "") if value else (None, "it noted nothing")
        case "tab" | "close" if tabs < 2:
            return None, "no other tab is open"
        case "tab":
            return (Action("", "tab", str(number)), "") if 0 < number <= tabs else (None, f"there is no tab {value}")
        case "wait":
            return Action("", "wait", str(min(max(1, number or _USUAL_WAIT), _LONGEST_WAIT))), ""
        case "scroll":
            return Action("", "scroll", _direction(value)), ""
        case "press":
            key = _key(value)
            if not key or key in ACTIVATING:
                return None, f"it did not say where to press {key}" if key else "it named no key"
            return Action("", "press", key), ""
        case _:
            return Action("", operation), ""


def _direction(value: str) -> str:
    return "up" if "up" in value.lower().split() else "down"


def _key(value: str) -> str:
    """Return the key that a reply names, spelled as the browser spells it."""
    name = _unquoted(value).strip("[]. ")
    spelled = {"esc": "Escape", "return": "Enter", "down": "ArrowDown", "up": "ArrowUp", "left": "ArrowLeft",
               "right": "ArrowRight", " ": "Space", "enter": "Enter", "escape": "Escape", "space": "Space"}  # fmt: skip
    return spelled.get(name.lower(), name)


def named_options(value: str, options: Sequence[str]) -> list[str]:
    """Return the names in a value such as "Brass | Steel"; a value that is an option itself is one name."""
    if " ".join(value.split()).casefold() in (" ".join(option.split()).casefold() for option in options):
        return [value]
    return [part for one in value.split("|") if (part := one.strip())]


def _is_set_by_typing(element: Element) -> bool:
    """Return whether a text can be typed into an element, or sets it, as it does a slider and a colour."""
    is_slider = element.attributes.get("role", "").lower() in ("slider", "spinbutton")
    set_at_once = element.tag == "input" and element.attributes.get("type", "").lower() in ("range", "color")
    return is_slider or set_at_once or is_text_field(element.tag, element.attributes)


def _on_element(
    operation: Operation, name: str, value: str, elements: Sequence[Element], files: Sequence[str]
) -> tuple[Action | None, str]:
    """Return an action on the element with this id, or why that is not possible."""
    if not name:
        return None, f"it did not say what to {operation}"
    element = next((one for one in elements if one.id == name), None)
    if element is None:
        return None, f"nothing that is shown has the id {name}"
    match operation:
        case "type" if not _is_set_by_typing(element):
            return None, f"nothing can be typed into [{name}]"
        case "type":
            return Action(name, "type", _unquoted(value)), ""
        case "select":
            return _selection(name, _unquoted(value), element)
        case "click" if element.options:
            return _selection(name, _unquoted(value), element)
        case "drag":
            place = _PLACE.match(value)
            if place is None:
                return None, f"it did not say where to drag [{name}] to"
            if place["id"] == name or all(one.id != place["id"] for one in elements):
                return None, f"[{name}] cannot be dragged to [{place['id']}]"
            return Action(name, "drag", f"{place['where'].lower()} {place['id']}"), ""
        case "press":
            return (Action(name, "press", _key(value)), "") if value else (None, "it named no key")
        case "scroll":
            return Action(name, "scroll", _direction(value)), ""
        case "upload":
            file = next((one for one in files if _unquoted(value) in (one, unquotable(one))), "")
            return (Action(name, "upload", file), "") if file else (None, f"there is no file {value!r} to upload")
        case _:
            return Action(name, operation), ""


def _selection(name: str, value: str, element: Element) -> tuple[Action | None, str]:
    """Return the selection of an option, or of several in a list that allows it."""
    multiple = "multiple" in element.attributes
    wanted = named_options(value, element.options) if multiple else [value]
    options = [_option(one, element.options) for one in wanted]
    if not options or not all(options):
        return None, f"[{name}] has no option {value!r}"
    return Action(name, "select", " | ".join(options)), ""


def _option(wanted: str, options: Sequence[str]) -> str:
    """Return the option of this name, or else the most similar one; empty if there is none."""
    names = {" ".join(option.split()).casefold(): option for option in reversed(options)}
    similar = get_close_matches(" ".join(wanted.split()).casefold(), list(names), 1)
    return names[similar[0]] if similar else ""


def _unquoted(text: str) -> str:
    """Return a text without quotation marks around it; a final ``[Enter]`` stays."""
    found = _QUOTED.match(text)
    return f"{found['text']}{found['enter'] or ''}" if found else text
