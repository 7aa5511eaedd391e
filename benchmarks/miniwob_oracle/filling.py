"""Policies for tasks that need typing: fields, passwords, dates, sums, words of a text, suggestions."""

from __future__ import annotations

import re

from .clicking import Policy
from .seen import Intent, Item, Seen, plain, quoted


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


def password(seen: Seen, found: re.Match[str]) -> Intent:
    fields, value = seen.tagged("input"), quoted(seen.instruction)[0]
    left = [field for field in fields if not seen.did(field)]
    return Intent(left[0].id, "type", value) if left else Intent(seen.named("Submit", "button").id)


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


def time(seen: Seen, found: re.Match[str]) -> Intent:
    hour = int(found[1]) % 12 + (12 if found[3] == "PM" else 0)
    return typed(seen, seen.tagged("input")[0], f"{hour:02d}:{found[2]}")


def _written(seen: Seen) -> str:
    """Return the text of the text area, which is shown without its end tag if the page is in parts."""
    shown = seen.page[seen.tagged("textarea")[0].place :].partition("<input")[0]
    return " ".join(re.sub(r"<[^<>]*>", " ", shown).split())


def last_word(seen: Seen, found: re.Match[str]) -> Intent:
    return typed(seen, seen.tagged("input")[0], _written(seen).split()[-1])


def word(seen: Seen, found: re.Match[str]) -> Intent:
    words = re.findall(r"[\w'-]+", seen.page.partition("<input")[0])
    return typed(seen, seen.tagged("input")[0], words[int(found[1]) - 1])


def transformed(seen: Seen, found: re.Match[str]) -> Intent:
    return typed(seen, seen.tagged("input")[0], "".join(seen.page.partition("<input")[0].split()))


def arithmetic(seen: Seen, found: re.Match[str]) -> Intent:
    first, sign, second = re.findall(r"(-?\d+) ([-+x×]) (-?\d+) =", seen.page)[0]
    one, two = int(first), int(second)
    return typed(seen, seen.tagged("input")[0], str({"+": one + two, "-": one - two}.get(sign, one * two)))


def algebra(seen: Seen, found: re.Match[str]) -> Intent:
    left, sign, right, result = re.findall(r"(x|-?\d+) ([-+]) (x|-?\d+) = (-?\d+)", seen.page)[0]
    total = int(result)
    if left == "x":
        value = total - int(right) if sign == "+" else total + int(right)
    else:
        value = total - int(left) if sign == "+" else int(left) - total
    return typed(seen, seen.tagged("input")[0], str(value))


def cell(seen: Seen, found: re.Match[str]) -> Intent:
    return typed(seen, seen.tagged("input")[0], _value(seen, found[1]))


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


def film(seen: Seen, found: re.Match[str]) -> Intent:
    """Fill a form whose labels vary and are before or after the fields; the order is that of the labels."""
    names = {"genre": found[1], "director": found[2], "directed": found[2], "year": found[3], "released": found[3]}
    shown = re.sub(r"<[^<>]*>", " ", seen.page).lower()
    labels = dict.fromkeys(names[label] for label in re.findall("|".join(names), shown))
    for field, value in zip(seen.tagged("input"), labels, strict=True):
        if not seen.did(field):
            return Intent(field.id, "type", value)
    return Intent([item for item in seen.items if item.tag != "input"][-1].id)


def boxes_and_number(seen: Seen, found: re.Match[str]) -> Intent:
    radios = [item for item in seen.tagged("input") if item.attributes.get("type") == "radio"]
    fields = [item for item in seen.tagged("input") if item.attributes.get("type") != "radio"]
    radio = radios[int(found[1]) - 1]
    if "checked" not in radio.attributes:
        return Intent(radio.id)
    return typed(seen, fields[int(found[3]) - 1], found[2])


def suggested(seen: Seen, found: re.Match[str]) -> Intent:
    """Type the beginning, then choose the suggestion with the right end."""
    field = seen.tagged("input")[0]
    begin, end = found[1].strip(), (found[2] or "").strip()
    value = field.attributes.get("value", "")
    if value.startswith(begin) and value.endswith(end) and len(value) > len(begin):
        return Intent(seen.named("Submit", "button").id)
    for item in seen.items:
        if item.tag in ("li", "div", "a") and item.text.startswith(begin) and item.text.endswith(end):
            return Intent(item.id)
    return Intent(field.id, "type", begin)


POLICIES: tuple[tuple[str, Policy], ...] = (
    (r"Enter the password .* into both text fields", password),
    (r"Enter the username \"(.+)\" and the password \"(.+)\" into", login),
    (r"^(?:Enter|Type) \".*\" (?:into|in) ", text),
    (r"^Enter (\d+/\d+/\d+) as the date", date),
    (r"^Enter (\d+):(\d+) (AM|PM) as the time", time),
    (r"^Find the last word in the text area", last_word),
    (r"^Find the (\d+)\w\w word in the paragraph", word),
    (r"^Type the text below into the text field", transformed),
    (r"^Solve the math problem", arithmetic),
    (r"^Solve for x", algebra),
    (r"^Enter the value of (.+) into the text field", cell),
    (r"^Enter the value that corresponds with each label", cells),
    (r"^Search for (.+) movies directed by (.+) from year (\d+)", film),
    (r"^Check the (\d)\w\w radio button and enter the number \"(-?\d+)\" into the (\d)", boxes_and_number),
    (r"^Enter an item that starts with \" ?(.+?) ?\"(?: and ends with \" ?(.+?) ?\")?\.", suggested),
)
