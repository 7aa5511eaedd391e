"""Commands: the actions that a model may reply with in a visit, and reading them from a reply."""

from __future__ import annotations

import re
from collections.abc import Sequence
from difflib import get_close_matches
from typing import get_args

from readagent.core.form import Filled, Form, Lines, Text, strip_thinking, unfenced
from readagent.core.model import Reply
from readagent.core.session import useless
from readagent_browse.dom import Element, is_text_field
from readagent_browse.goal import Action, Operation
from readagent_browse.ids import quoted, unquotable

ENTER = "[Enter]"
ACTIVATING = ("Enter", "Space")  # keys that may do what a click does
_FORMS: dict[Operation, str] = {
    "click": "click [12], or double-click [12]",
    "drag": "drag [12] to [15], drag [12] before [15], or drag [12] after [15]",
    "type": f"type [12] the text (end it with {ENTER} to press that key)",
    "select": "select [12] one of its options",
    "hover": "hover [12]",
    "press": "press Escape, or press [12] ArrowDown",
    "scroll": "scroll down (loads more of an endless page), scroll up, or scroll [12] down (the list around it)",
    "back": "back (to the page before)",
    "wait": "wait 3 (seconds, for what the page is still doing)",
    "note": "note what to remember of this page",
    "done": "done",
}
_OPERATIONS = "|".join(("drag[ -]and[ -]drop", "double ?click", *get_args(Operation)))
_LINE = re.compile(rf"^\W*(?P<operation>{_OPERATIONS})\b[:\s]*(?P<rest>.*)$", re.I | re.S)
_QUOTE = Lines("Quote", numbered=False)
_COMMAND = Form((Text("Action"), Text("Answer"), _QUOTE))
_ANSWER = Form((Text("Answer"), _QUOTE))
_ID = re.compile(
    r"^(?:on |into |in |the |element |id[ =:]?)*[\[(<\"']*(?:id=)?(?P<id>\w[\w-]*)[\])>\"']*(?:\s*[:,.–-]?\s+|\.?$)",
    re.I,
)
_PLACE = re.compile(
    r"^(?:it |and |drop |element )*(?P<where>to|onto|into|on|before|above|after|below|behind)\b\W*"
    r"(?:the |element |id[ =:]?)*[\[(]?(?P<id>\w[\w-]*)",
    re.I,
)
_WHERE = {"before": "before", "above": "before", "after": "after", "below": "after", "behind": "after"}
_USUAL_WAIT = 3  # seconds
_LONGEST_WAIT = 10
_NUMBER = re.compile(r"[0-9]{1,3}")
_ONE_THING = re.compile(r"(?:\[?[\w-]+\]?[ .]*)?")
_TITLE = 60  # characters of the title of a tab
_BARE = re.compile(r"^\W*(?:(?:element|id)\s*[:=]?)?\s*\[?(?P<id>\d+|[A-Za-z]{1,8}[-_]?\d+)\]?\W*$", re.I)
_QUOTED = re.compile(r"^([\"'`“])(?P<text>.*)[\"'`”](?P<enter>\s*\[Enter\])?$", re.I)


def forms(elements: Sequence[Element], files: Sequence[str] = (), tabs: Sequence[str] = (), shown: int = 1) -> str:
    """Return the forms of the actions that are possible with these elements and files, one per line.

    ``tabs`` are the titles of the open tabs, and ``shown`` is the number of the one that is shown.
    """
    possible: set[Operation] = {"press", "scroll", "back", "wait", "note", "done"}
    for element in elements:
        possible |= {"hover", *element.operations, *(("type",) if _is_set_by_typing(element) else ())}
        possible |= {"drag"} if "draggable" in element.attributes else set()
    lines = [f"Action: {form}" for operation, form in _FORMS.items() if operation in possible]
    if files and elements:
        lines.insert(-2, f"Action: upload [12] one of these files: {', '.join(map(quoted, files))}")
    if len(tabs) > 1:
        titles = (f"{n} {quoted(one[:_TITLE])}{' (shown)' if n == shown else ''}" for n, one in enumerate(tabs, 1))
        other = 1 if shown > 1 else 2
        lines[-2:-2] = [f"Action: tab {other} (shows another tab; these are open: {', '.join(titles)})",
                        "Action: close (the tab that is shown)"]  # fmt: skip
    return "\n".join(lines)


def parse_command(
    reply: Reply, elements: Sequence[Element], files: Sequence[str] = (), tabs: int = 1
) -> tuple[Action | None, str]:
    """Return the action that a reply names, or the problem with it.

    Only these elements and files can be named, and the numbers of as many ``tabs``.
    """
    if problem := useless(reply):
        return None, problem
    filled = _COMMAND.parse(reply.text) or Filled()
    labelled = bool(filled.texts)
    said = filled.texts.get("Action", "") if labelled else unfenced(strip_thinking(reply.text))
    match = _LINE.match(said)
    if match is None or not (labelled or _is_bare(match["rest"])):
        bare = None if labelled else _BARE.match(said)
        return _on_element("click", bare["id"], "", elements) if bare else (None, "it named no action")
    name = re.sub(r"^double ?click$", "double-click", match["operation"].lower())
    operation = next(one for one in get_args(Operation) if one == name.partition("and")[0].rstrip(" -"))
    if operation == "done":
        quotes = [f"Quote: {words}" for _, words in filled.lines.get("Quote", ())]
        return Action("", "done", "\n".join([filled.texts.get("Answer", match["rest"]).strip(), *quotes])), ""
    rest = match["rest"].partition("\n")[0].strip()
    if operation == "note":
        return (Action("", "note", rest), "") if rest else (None, "it noted nothing")
    if operation == "back":
        return Action("", "back"), ""
    if operation in ("tab", "close") and tabs < 2:
        return None, "no other tab is open"
    if operation == "close":
        return Action("", "close"), ""
    if operation == "wait":
        seconds = int(match[0]) if (match := _NUMBER.search(rest)) else _USUAL_WAIT
        return Action("", "wait", str(min(max(1, seconds), _LONGEST_WAIT))), ""
    if operation == "tab":
        number = int(match[0]) if (match := _NUMBER.search(rest)) else 0
        return (Action("", "tab", str(number)), "") if 0 < number <= tabs else (None, f"there is no tab {rest}")
    if operation in ("press", "scroll") and not rest.startswith("["):
        return _on_page(operation, rest)
    target = _ID.match(rest)
    if target is None:
        return None, f"it did not say what to {operation}"
    value = rest[target.end() :].strip()
    if operation == "upload":
        name = next((file for file in files if _unquoted(value) in (file, unquotable(file))), "")
        if not name:
            return None, f"there is no file {value!r} to upload"
        return _on_element(operation, target["id"], name, elements)
    return _on_element(operation, target["id"], value, elements)


def _is_bare(rest: str) -> bool:
    """Return whether a reply without the label is an action on one thing at most, and nothing else."""
    return bool(_ONE_THING.fullmatch(rest))


def split_answer(said: str) -> tuple[str, tuple[str, ...]]:
    """Return the answer in what was said last, and its quotes, which stand on lines of their own."""
    filled = _ANSWER.parse(f"Answer: {said.strip()}") or Filled(texts={"Answer": said.strip()})
    return filled.texts.get("Answer", ""), tuple(words for _, words in filled.lines.get("Quote", ()))


def _on_page(operation: Operation, value: str) -> tuple[Action | None, str]:
    """Return a key press or scrolling that names no element, or why that is not possible."""
    if operation == "scroll":
        return Action("", "scroll", _direction(value)), ""
    key = _key(value)
    if not key or key in ACTIVATING:
        return None, f"it did not say where to press {key}" if key else "it named no key"
    return Action("", "press", key), ""


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


def _on_element(operation: Operation, name: str, value: str, elements: Sequence[Element]) -> tuple[Action | None, str]:
    """Return an action on the element with this id, or why that is not possible."""
    element = next((one for one in elements if one.id == name), None)
    if element is None:
        return None, f"nothing that is shown has the id {name}"
    if operation == "click" and element.options:
        operation = "select"
    if operation == "type":
        if not _is_set_by_typing(element):
            return None, f"nothing can be typed into [{name}]"
        return Action(name, "type", _unquoted(value)), ""
    if operation == "select":
        return _selection(name, _unquoted(value), element)
    if operation == "drag":
        return _dragging(name, value, elements)
    if operation == "press":
        return (Action(name, "press", _key(value)), "") if value else (None, "it named no key")
    if operation == "scroll":
        return Action(name, "scroll", _direction(value)), ""
    return Action(name, operation, value if operation == "upload" else ""), ""


def _dragging(name: str, value: str, elements: Sequence[Element]) -> tuple[Action | None, str]:
    """Return the drag of an element to, before or after another one."""
    place = _PLACE.match(value)
    if place is None:
        return None, f"it did not say where to drag [{name}] to"
    if place["id"] == name or all(one.id != place["id"] for one in elements):
        return None, f"[{name}] cannot be dragged to [{place['id']}]"
    return Action(name, "drag", f"{_WHERE.get(place['where'].lower(), 'to')} {place['id']}"), ""


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
