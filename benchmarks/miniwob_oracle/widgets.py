"""Policies for menus, sliders, a spinner, a terminal, and texts to scroll or copy: tasks that need keys or hovering."""

from __future__ import annotations

import re

from .clicking import Policy
from .filling import typed
from .seen import DONE, Intent, Item, Seen

_PAGE = 20  # PageUp and PageDown never move a slider by more


def menu(seen: Seen, found: re.Match[str]) -> Intent:
    """Hover over one item after another, and click the last one."""
    *parents, leaf = found[1].split(">")
    items = {item.text: item for item in _menu_items(seen)}
    if leaf in items:
        return Intent(items[leaf].id)
    return Intent(next(items[name] for name in reversed(parents) if name in items).id, "hover")


def labelled(seen: Seen, found: re.Match[str]) -> Intent:
    """Open a menu and click an item of it, or of its only submenu."""
    items = {item.text: item for item in _menu_items(seen)}
    if not items:
        return Intent(seen.named("Menu", "button").id)
    return Intent(items[found[1]].id) if found[1] in items else Intent(items["Playback"].id, "hover")


def _menu_items(seen: Seen) -> list[Item]:
    return [item for item in seen.items if item.attributes.get("role") == "menuitem"]


def sliders(seen: Seen, found: re.Match[str]) -> Intent:
    """Move each slider with keys, then submit."""
    return _slide(seen, [int(number) for number in found[1].split(",")]) or Intent(seen.named("Submit", "button").id)


def slider_and_box(seen: Seen, found: re.Match[str]) -> Intent:
    box = [item for item in seen.tagged("input") if item.attributes.get("type") == "checkbox"][int(found[2]) - 1]
    submit = seen.named("Submit", "button")
    return _slide(seen, [int(found[1])]) or Intent(submit.id if "checked" in box.attributes else box.id)


def _slide(seen: Seen, goals: list[int]) -> Intent | None:
    """Return the next key to press, or None if all sliders are right. The number of a slider is shown after it."""
    handles = [item for item in seen.tagged("span") if "slider-handle" in item.name]
    for handle, goal in zip(handles, goals, strict=True):
        away = goal - int(re.findall(r"</div>\s*(-?\d+)", seen.page[handle.place :])[0])
        if away:
            more, less = ("PageUp", "PageDown") if abs(away) > _PAGE else ("ArrowRight", "ArrowLeft")
            return Intent(handle.id, "press", more if away > 0 else less)
    return None


def spinner(seen: Seen, found: re.Match[str]) -> Intent:
    """Click the arrows of a field that takes no typing."""
    away = int(found[1]) - int(seen.tagged("input")[0].attributes["value"])
    if not away:
        return Intent(seen.named("Submit", "button").id)
    arrow = "spinner-up" if away > 0 else "spinner-down"
    return Intent(next(item for item in seen.tagged("a") if arrow in item.name).id)


def terminal(seen: Seen, found: re.Match[str]) -> Intent:
    """List the files, then delete one with the extension."""
    lines, field = seen.lines(), seen.tagged("input")[0]
    if "user$ ls" not in lines:
        return Intent(field.id, "type", "ls[Enter]")
    files = lines[lines.index("user$ ls") + 1].split()
    fits = [file for file in files if (file.endswith(found[1]) if found[1] else "." not in file)]
    return Intent(field.id, "type", f"rm {fits[0]}[Enter]")


def scrolled(seen: Seen, found: re.Match[str]) -> Intent:
    area = seen.tagged("textarea")[0]
    key = "Control+End" if found[1] == "bottom" else "Control+Home"
    return Intent(seen.named("Submit", "button").id) if seen.did(area) else Intent(area.id, "press", key)


def signed(seen: Seen, found: re.Match[str]) -> Intent:
    """Scroll to the end, which enables the field for the name."""
    if fields := seen.tagged("input"):
        return typed(seen, fields[0], found[1], found[2])
    return DONE if seen.done else Intent("", "scroll", "down")


def pasted(seen: Seen, found: re.Match[str]) -> Intent:
    """Copy a text with keys, as its last character is a space, which the page does not show."""
    area, field = seen.tagged("textarea")[int(found[1] or 1) - 1], seen.tagged("input")[0]
    keys = ((area, "Control+A"), (area, "Control+C"), (field, "Control+V"))
    if len(seen.done) < len(keys):
        target, key = keys[len(seen.done)]
        return Intent(target.id, "press", key)
    return Intent(seen.named("Submit", "button").id)


def dropdown(seen: Seen, found: re.Match[str]) -> Intent:
    """Choose an item of a list that is made of other elements than a list for selection."""
    shown = seen.tagged("div")[0]
    if found[1] in shown.text and not seen.tagged("li"):
        return Intent(seen.named(found[2], "button").id)
    return Intent(next((item for item in seen.tagged("li") if item.text == found[1]), shown).id)


POLICIES: tuple[tuple[str, Policy], ...] = (
    (r"^Select ([\w '>-]+)$", menu),
    (r"^Click the \"Menu\" button, and then find and click on the item labeled \"(.+)\"", labelled),
    (r"^Select (-?\d+) with the slider and hit Submit", sliders),
    (r"^Set the sliders to the combination \[([\d,]+)\]", sliders),
    (r"^Select (-?\d+) with the slider, click the (\d)\w\w checkbox", slider_and_box),
    (r"^Select (-?\d+) with the spinner", spinner),
    (
        r"^Use the terminal below to delete a file (?:ending with the extension (\.\S+)|that has no file extension)",
        terminal,
    ),
    (r"^Scroll the textarea to the (bottom|top) of the text", scrolled),
    (r"^Scroll to the bottom of the textarea, enter the name \"(.+)\" then press \"(.+)\"", signed),
    (r"^Copy the text (?:in|from) the (?:(\d)\w\w )?text ?area below", pasted),
    (r"^Choose (.+) from the dropdown, then click the button labeled \"(.+)\"", dropdown),
)
