"""Policies for tasks that need clicks: buttons, links, tabs, boxes, options, cards, folders."""

from __future__ import annotations

import re
from collections.abc import Callable

from .seen import Intent, Item, Seen, plain

_SIMILAR = (
    "rabbit bunny bunnies", "angry mad furious", "big large huge gigantic", "happy joyful cheerful",
    "sad unhappy miserable", "red scarlet vermillion", "like love favor", "old aged", "funny comical laughable",
)  # fmt: skip
"""Words that mean about the same: those that the seeds 0, 1 and 2 need."""

Policy = Callable[[Seen, re.Match[str]], Intent]


def button(seen: Seen, found: re.Match[str]) -> Intent:
    return Intent(seen.named(found[1]).id)


def in_turn(seen: Seen, found: re.Match[str]) -> Intent:
    """Click buttons in an order."""
    return Intent(next(item for name in found.groups() if not seen.did(item := seen.named(name, "button"))).id)


def dialog(seen: Seen, found: re.Match[str]) -> Intent:
    return Intent(seen.named("Close" if found[1] == "x" else found[1], "button").id)


def hidden_link(seen: Seen, found: re.Match[str]) -> Intent:
    """Click a link that is visible, or open the next tab or section."""
    for item in seen.tagged("span"):
        if item.text == found[1]:
            return Intent(item.id)
    heads = [item for item in seen.items if item.attributes.get("role") == "tab" and item.text]
    return Intent(next(item for item in heads if not _opened(seen, item)).id)


def _opened(seen: Seen, item: Item) -> bool:
    return seen.did(item) or "aria-selected" in item.attributes or "aria-expanded" in item.attributes


def tab(seen: Seen, found: re.Match[str]) -> Intent:
    return Intent(seen.named(found[1], "a").id)


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


def similar(seen: Seen, found: re.Match[str]) -> Intent:
    """Check the boxes of words that mean about the same as those asked for."""
    asked = set(found[1].split(", "))
    wanted = asked.union(*(words.split() for words in _SIMILAR if asked & {*words.split()}))
    left = [item for item in seen.tagged("input") if item.after in wanted and "checked" not in item.attributes]
    return Intent(left[0].id if left else seen.named("Submit", "button").id)


def listed(seen: Seen, found: re.Match[str]) -> Intent:
    """Select options of a list that allows several."""
    field = seen.tagged("select")[0]
    if seen.did(field):
        return Intent(seen.named("Submit", "button").id)
    return Intent(field.id, "select", " | ".join(found[1].split(", ")))


def widget(seen: Seen, found: re.Match[str]) -> Intent:
    kind = "input" if found[1] == "text" else found[1]
    return Intent(next(item for item in seen.items if item.attributes.get("type", item.tag) == kind).id)


def textbox(seen: Seen, found: re.Match[str]) -> Intent:
    return Intent(seen.tagged("input")[int(found[1] or 1) - 1].id)


def greatest(seen: Seen, found: re.Match[str]) -> Intent:
    cards = [item for item in seen.tagged("div") if re.fullmatch(r"\d+", item.text)]
    best = max(cards, key=lambda item: int(item.text))
    return Intent(seen.named("Submit", "button").id if seen.did(best) else best.id)


def odd_or_even(seen: Seen, found: re.Match[str]) -> Intent:
    """Each number has two buttons: one before it for odd, one after it for even."""
    for item in seen.tagged("button"):
        name = plain(item.text)
        after = seen.page[item.place :].partition("</button>")[2].partition("<")[0]
        number = re.search(r"-?\d+", after if name == "odd" else item.before)
        if number and name == ("odd" if int(number[0]) % 2 else "even") and not seen.did(item):
            return Intent(item.id)
    return Intent(seen.named("Submit", "button").id)


def tree(seen: Seen, found: re.Match[str]) -> Intent:
    """Click a folder or file that is visible, or open the next folder."""
    for item in seen.tagged("span", "li"):
        if item.text == found[1]:
            return Intent(item.id)
    folders = [item for item in seen.tagged("div") if "expandable" in item.name and not seen.did(item)]
    return Intent(folders[0].id)


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


def food(seen: Seen, found: re.Match[str]) -> Intent:
    """Order some items of a kind, or one of each: click the plus below each."""
    plus = [item for item in seen.tagged("span") if item.text == "+"]
    dishes = [(_dish(seen, item), item) for item in plus]
    if found[1]:
        fit = [item for dish, item in dishes if f"alt={found[2]}" in dish or f'alt="{found[2]}"' in dish]
        ordered = sum('"+" [' in line for line in seen.done)
        return Intent(fit[0].id if ordered < int(found[1]) else seen.named("Order!", "button").id)
    wanted = found[3].split(", ")
    left = [item for dish, item in dishes if dish.splitlines()[0].strip() in wanted and not seen.did(item)]
    return Intent(left[0].id if left else seen.named("Order!", "button").id)


def _dish(seen: Seen, plus: Item) -> str:
    """Return the text of a dish, from its name to its plus."""
    before = seen.page[: plus.place]
    start = max(before.rfind("+</span>") + len("+</span>"), before.rfind("</h2>") + len("</h2>"))
    return before[start:].strip()


POLICIES: tuple[tuple[str, Policy], ...] = (
    (r"^Click on the link \"(.+)\"", button),
    (r"find and click on the link \"(.+)\"", hidden_link),
    (r"^Click button (\w+), then click button (\w+)", in_turn),
    (r"^Click button (\w+)", button),
    (r"^Click on the \"(.+)\" button", button),
    (r"^Click on (Tab #\d+)", tab),
    (r"^Click the (button)\.", lambda seen, found: Intent(seen.tagged("button")[0].id)),
    (r"dialog box.*\"(.+)\"", dialog),
    (r"^Expand the section below and click submit", section),
    (r"^Select words similar to (.+) and click Submit", similar),
    (r"^Select (.+) from the scroll list and click Submit", listed),
    (r"^Select (.+) and click Submit", boxes),
    (r"^Click on a \"(\w+)\" widget", widget),
    (r"^Click the (cancel) button", button),
    (r"^Focus into the (?:(\d+)\w\w input )?textbox", textbox),
    (r"the card with the greatest number", greatest),
    (r"as odd or even", odd_or_even),
    (r"folder or file named \"(.+)\"", tree),
    (r"^Buy the ticket with the (cheapest|most expensive|shortest|longest)", ticket),
    (r"^Order (?:(\d+) items that are (.+)|one of each item: (.+))", food),
)
