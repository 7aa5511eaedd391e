"""The policies for tasks of MiniWoB, one for each kind of interaction, chosen by the instruction."""

from __future__ import annotations

import re
from collections.abc import Callable

from .seen import DONE, Intent, Item, Seen, plain, quoted

Policy = Callable[[Seen, re.Match[str]], Intent]
TASKS = (
    "book-flight", "choose-date-easy", "choose-list", "click-button-sequence", "click-collapsible", "click-link",
    "click-test", "drag-items", "email-inbox-forward", "email-inbox-reply", "enter-date", "enter-text-dynamic",
    "focus-text", "login-user-popup", "odd-or-even", "read-table-2", "search-engine", "simple-arithmetic",
    "text-transform",
)  # fmt: skip
"""The tasks that the oracle has a policy for."""
_MONTHS = "January February March April May June July August September October November December".split()
_PLACES = ("top left", "top center", "top right", "center left", "center", "center right", "bottom left",
           "bottom center", "bottom right")  # fmt: skip


def decide(seen: Seen) -> Intent:
    """Return the next action; raise LookupError without a policy for the instruction, or if the page does not fit."""
    for pattern, policy in _POLICIES:
        if found := re.search(pattern, seen.instruction):
            try:
                return policy(seen, found)
            except (StopIteration, IndexError, ValueError) as error:
                raise LookupError(f"the page does not fit the instruction: {seen.instruction}\n{seen.page}") from error
    raise LookupError(f"the oracle has no policy for: {seen.instruction}")


def button(seen: Seen, found: re.Match[str]) -> Intent:
    return Intent(seen.named(found[1]).id)


def in_turn(seen: Seen, found: re.Match[str]) -> Intent:
    """Click buttons in an order."""
    return Intent(next(item for name in found.groups() if not seen.did(item := seen.named(name, "button"))).id)


def section(seen: Seen, found: re.Match[str]) -> Intent:
    head = next(item for item in seen.items if item.attributes.get("role") == "tab" and "Section" in item.text)
    return Intent(head.id if not seen.did(head) else seen.named("Submit", "button").id)


def boxes(seen: Seen, found: re.Match[str]) -> Intent:
    """Check boxes, choose a radio button or an option of a list, then submit."""
    if lists := seen.tagged("select"):
        name = found[1].removesuffix(" from the list")
        chosen = plain(lists[0].attributes.get("value", "")) == plain(name) or seen.did(lists[0])
        return Intent(seen.named("Submit", "button").id) if chosen else Intent(lists[0].id, "select", name)
    wanted = {plain(name) for name in re.split(r", ", found[1]) if plain(name) != "nothing"}
    for item in seen.tagged("input"):
        if plain(item.after) in wanted and "checked" not in item.attributes:
            return Intent(item.id)
    return Intent(seen.named("Submit", "button").id)


def textbox(seen: Seen, found: re.Match[str]) -> Intent:
    return Intent(seen.tagged("input")[int(found[1] or 1) - 1].id)


def odd_or_even(seen: Seen, found: re.Match[str]) -> Intent:
    """Each number has two buttons: one before it for odd, one after it for even."""
    for item in seen.tagged("button"):
        name = plain(item.text)
        after = seen.page[item.place :].partition("</button>")[2].partition("<")[0]
        number = re.search(r"-?\d+", after if name == "odd" else item.before)
        if number and name == ("odd" if int(number[0]) % 2 else "even") and not seen.did(item):
            return Intent(item.id)
    return Intent(seen.named("Submit", "button").id)


def ticket(seen: Seen, found: re.Match[str]) -> Intent:
    """Choose the cheapest, most expensive, shortest or longest offer."""
    offers = [item for item in seen.tagged("button") if "Book" in item.text]

    def measure(item: Item) -> int:
        if found[1] in ("cheapest", "most expensive"):
            return int(re.findall(r"\$(\d+)", item.text)[0])
        hours, minutes = re.findall(r"(\d+)h (\d+)m", seen.page[: item.place])[-1]
        return 60 * int(hours) + int(minutes)

    best = min if found[1] in ("cheapest", "shortest") else max
    return Intent(best(offers, key=measure).id)


def typed(seen: Seen, field: Item, text: str, then: str = "Submit") -> Intent:
    """Type a text into a field, then press the button."""
    if seen.did(field):
        return Intent(seen.named(then, "button", "div").id)
    return Intent(field.id, "type", text)


def text(seen: Seen, found: re.Match[str]) -> Intent:
    value = quoted(seen.instruction)[0]
    if case := re.search(r"all (upper|lower) case", seen.instruction):
        value = value.upper() if case[1] == "upper" else value.lower()
    return typed(seen, seen.tagged("input")[0], value)


def login(seen: Seen, found: re.Match[str]) -> Intent:
    """Fill both fields, then press the button; cancel a question that pops up."""
    buttons = seen.tagged("button")
    if any(item.text == "Cancel" for item in buttons):
        return Intent(seen.named("Cancel", "button").id)
    for field, value in zip(seen.tagged("input"), found.groups(), strict=True):
        if not field.attributes.get("value") and "aria-description" not in field.attributes:
            return Intent(field.id, "type", value)
    return Intent(buttons[-1].id)


def date(seen: Seen, found: re.Match[str]) -> Intent:
    month, day, year = found[1].split("/")
    return typed(seen, seen.tagged("input")[0], f"{year}-{month:0>2}-{day:0>2}")


def transformed(seen: Seen, found: re.Match[str]) -> Intent:
    return typed(seen, seen.tagged("input")[0], "".join(seen.page.partition("<input")[0].split()))


def arithmetic(seen: Seen, found: re.Match[str]) -> Intent:
    first, sign, second = re.findall(r"(-?\d+) ([-+x×]) (-?\d+) =", seen.page)[0]
    one, two = int(first), int(second)
    return typed(seen, seen.tagged("input")[0], str({"+": one + two, "-": one - two}.get(sign, one * two)))


def cells(seen: Seen, found: re.Match[str]) -> Intent:
    for field in seen.tagged("input"):
        label = re.findall(r"<label>([^<>]+):</label>", seen.page[: field.place])[-1]
        if not seen.did(field):
            return Intent(field.id, "type", _value(seen, label))
    return Intent(seen.named("Submit", "button").id)


def _value(seen: Seen, name: str) -> str:
    """Return the value for a name in a table of two columns."""
    rows = [line.split(" | ") for line in seen.lines() if " | " in line]
    return next(row[1].strip() for row in rows if plain(row[0]) == plain(name))


def picked(seen: Seen, found: re.Match[str]) -> Intent:
    field = seen.tagged("input")[0]  # the only one
    if seen.did(field) and not _calendar(seen):
        return Intent(seen.named("Submit", "button").id)
    return _pick(seen, found[1]) if _calendar(seen) else Intent(field.id)


def _calendar(seen: Seen) -> str:
    """Return the month and year of an open calendar; empty if it is closed."""
    shown = re.findall(rf"\b({'|'.join(_MONTHS)})\b\s*(\d{{4}})", " ".join(seen.lines()))
    return " ".join(shown[0]) if shown else ""


def _pick(seen: Seen, date: str) -> Intent:
    month, day, year = map(int, date.split("/"))
    name, shown_year = _calendar(seen).split()
    ahead = 12 * (year - int(shown_year)) + month - 1 - _MONTHS.index(name)
    if ahead:
        return Intent(next(item for item in seen.tagged("a") if ("Next" if ahead > 0 else "Prev") in item.name).id)
    return Intent(next(item for item in seen.tagged("a") if item.text == str(day)).id)


def flight(seen: Seen, found: re.Match[str]) -> Intent:
    """Fill in the form, with a suggestion for each city, search, and book the best flight."""
    if any("Book flight" in item.text for item in seen.items):
        return ticket(seen, found)
    if _calendar(seen):
        return _pick(seen, found[4])
    start, end, date = seen.tagged("input")[:3]
    for field, city in ((start, found[2].strip()), (end, found[3].strip())):
        if re.search(rf"(?:^|\(){re.escape(city)}(?:\)| \()", field.attributes.get("value", "")):
            continue
        for item in seen.items:
            if item.tag in ("li", "div") and re.search(rf"(?:^|\(){re.escape(city)}(?:\)| \()", item.text):
                return Intent(item.id)
        return Intent(field.id, "type", city)
    if not date.attributes.get("value"):
        return Intent(date.id)
    return Intent(seen.named("Search", "button").id)


def answer(seen: Seen, found: re.Match[str]) -> Intent:
    return _letter(seen, found[1], "reply", "", found[2].strip())


def forward(seen: Seen, found: re.Match[str]) -> Intent:
    return _letter(seen, found[1], "forward", found[2].strip(), "")


def _letter(seen: Seen, sender: str, button: str, to: str, text: str) -> Intent:
    """Open the mail, press answer or forward, fill in the mail, and send it."""
    fields = [item for item in seen.items if item.tag in ("input", "textarea")]
    if fields:
        wanted = next(item for item in fields if item.tag == ("input" if to else "textarea"))
        if not seen.did(wanted):
            return Intent(wanted.id, "type", to or text)
        return Intent(next(item for item in seen.items if "send" in item.name.lower()).id)
    pressed = next((item for item in seen.items if button in item.name.lower()), None)
    return Intent((pressed or _mail(seen, sender)).id)


def _mail(seen: Seen, sender: str) -> Item:
    return next(item for item in seen.tagged("div") if item.text.split(" ")[0] == sender.strip())


def result(seen: Seen, found: re.Match[str]) -> Intent:
    """Search, go to the page with the result, and click it; a page has three results."""
    field, search = seen.tagged("input")[0], seen.named("Search", "button")
    if not seen.did(field):
        return Intent(field.id, "type", found[1].strip())
    if not seen.did(search):
        return Intent(search.id)
    place = int(found[2]) - 1
    number = seen.named(str(place // 3 + 1), "a")
    if place >= 3 and not seen.did(number):
        return Intent(number.id)
    titles = [item for item in seen.tagged("a") if re.search(r"\s*https?://", seen.page[item.place :][:200])]
    return Intent([item for item in titles if not re.fullmatch(r"[<>\d]+", item.text)][place % 3].id)


def item(seen: Seen, found: re.Match[str]) -> Intent:
    """Move an item of a list or of a grid of three columns."""
    items = seen.tagged("li")
    at = next(n for n, one in enumerate(items) if one.text == found[1])
    return _move(items, at, _goal(found[2], at, len(items))) if not seen.did(items[at]) else DONE


def _goal(where: str, at: int, count: int) -> int:
    """Return the position that an instruction means, counted from 0."""
    if place := re.match(r"to the (\d+)", where):
        return int(place[1]) - 1
    if place := re.match(r"(up|down|left|right) by one", where):
        row = 1 if "position" in where else 3
        return at + {"up": -row, "down": row, "left": -1, "right": 1}[place[1]]
    name = where.removeprefix("to the ")
    return {"top": 0, "bottom": count - 1}[name] if name in ("top", "bottom") else _PLACES.index(name)


def _move(items: list[Item], at: int, goal: int) -> Intent:
    """Drag the item at one position to another."""
    return Intent(items[at].id, "drag", f"{'after' if goal > at else 'before'} [{items[goal].id}]")


_POLICIES: tuple[tuple[str, Policy], ...] = (
    (r"^Drag (\w+) ((?:to the|up|down|left|right) .*)\.$", item),
    (r"^Find the email by (.+) and reply to them with the text \" ?(.+) ?\"", answer),
    (r"^Find the email by (.+) and forward that email to (.+?) ?\.$", forward),
    (r"to enter \" ?(.+?) ?\" and press \"Search\", then find and click the (\d+)\w\w search result", result),
    (r"^Select (\d+/\d+/\d+) as the date and hit submit", picked),
    (r"^Book the (cheapest|shortest) one-way flight from: (.+?) to: (.+?) on (\d+/\d+/\d+)", flight),
    (r"Enter the username \"(.+)\" and the password \"(.+)\" into", login),
    (r"^(?:Enter|Type) \".*\" (?:into|in) ", text),
    (r"^Enter (\d+/\d+/\d+) as the date", date),
    (r"^Type the text below into the text field", transformed),
    (r"^Solve the math problem", arithmetic),
    (r"^Enter the value that corresponds with each label", cells),
    (r"^Click on the link \"(.+)\"", button),
    (r"^Click button (\w+), then click button (\w+)", in_turn),
    (r"^Click the (button)\.", lambda seen, found: Intent(seen.tagged("button")[0].id)),
    (r"^Expand the section below and click submit", section),
    (r"^Select (.+) and click Submit", boxes),
    (r"^Focus into the (?:(\d+)\w\w input )?textbox", textbox),
    (r"as odd or even", odd_or_even),
)
