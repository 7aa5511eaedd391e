"""Policies for long lists: posts and their buttons, search results, contacts."""

from __future__ import annotations

import re

from .clicking import Policy
from .seen import Intent, Item, Seen, plain

_CLASSES = {"share via dm": "share", "retweet": "retweet", "reply": "reply", "like": "like", "share": "share"}


def post(seen: Seen, found: re.Match[str]) -> Intent:
    """Click a button below a user's post, or in its menu."""
    user, name = found[1].strip(), plain(found[2])
    for item in seen.tagged("li"):
        if plain(item.text).startswith(name) and _author(seen, item) == user:
            return Intent(item.id)
    shown = [item for item in seen.tagged("span") if _author(seen, item) == user]
    return Intent((next((item for item in shown if item.name == name), None) or _menu(shown)).id)


def posts(seen: Seen, found: re.Match[str]) -> Intent:
    """Click the same button on some or all posts of a user, then submit."""
    name, most, user = _CLASSES[plain(found[1])], found[2], found[3].strip()
    buttons = [item for item in seen.tagged("span") if name in item.name.split() and _author(seen, item) == user]
    wanted = buttons if most == "all" else buttons[: int(most)]
    left = [item for item in wanted if not seen.did(item)]
    return Intent(left[0].id if left else seen.named("Submit", "button").id)


def _author(seen: Seen, item: Item) -> str:
    names = re.findall(r"(@\S+)(?=[ \n])", re.sub(r"<li[^>]*>[^<]*</li>", "", seen.page[: item.place]))
    return names[-1] if names else ""


def _menu(items: list[Item]) -> Item:
    return next(item for item in items if item.name == "more")


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


def contact(seen: Seen, found: re.Match[str]) -> Intent:
    """Turn pages until the name is shown, then click what is asked for."""
    if re.search(rf"<h2>{re.escape(found[1])}</h2>", seen.page):
        label = found[2].capitalize()
        links = [item for item in seen.tagged("a") if re.search(rf"{label}:\s*$", seen.page[: item.place])]
        return Intent(links[0].id)
    return Intent(next(item for item in seen.tagged("a") if item.text == ">").id)


POLICIES: tuple[tuple[str, Policy], ...] = (
    (r"^For the user (@\S+) ?, click on the \" ?(.+?) ?\" button", post),
    (r"^Click the \" ?(.+?) ?\" button on (all|\d+) posts? by (@\S+) ", posts),
    (r"to enter \" ?(.+?) ?\" and press \"Search\", then find and click the (\d+)\w\w search result", result),
    (r"^Find (.+) in the contact book and click on their (\w+)", contact),
)
