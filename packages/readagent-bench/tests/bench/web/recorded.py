"""Records in the form of Mind2Web, made by dice in our own words: pages, candidates, actions, tasks.

The pages are as its cleaning leaves them: XML, an id on every element, texts in <text> elements, only telling
attributes, spelt with underscores. With the usual sizes half of the tasks have long pages, some beyond 25,000 tokens.
"""

from __future__ import annotations

import json
from pathlib import Path
from random import Random
from typing import Any
from xml.etree.ElementTree import Element, tostring

_THINGS = "lamp kettle bench ladder basket lantern whistle anchor bucket saddle candle mirror hammer needle".split()
_KINDS = "amber brass cobalt dusty early folding gilded heavy ivory jade knitted linen mossy narrow oaken".split()
_PLACES = "Brenza Oldmere Tarn Vell Wick Hollin Marsk Quell Ansty Corve".split()
SIZES = (6, 40, 110, 220, 700)  # items of a page, by turns


class Page:
    """A page that is being made, its candidates, and those that are the target of an action, by what they are."""

    def __init__(self, dice: Random) -> None:
        self.dice, self.last = dice, 100
        self.candidates: list[str] = []
        self.targets: dict[str, str] = {}
        self.html = self.put(None, "html")

    def put(
        self, inside: Element | None, tag: str, text: str = "", called: str | None = None, **attributes: str
    ) -> Element:
        """Add an element; the ids have gaps as in a browser's. What is ``called`` somehow is a candidate."""
        self.last += self.dice.randint(1, 4)
        named = {name.rstrip("_"): value for name, value in attributes.items()}
        made = Element(tag, {"backend_node_id": str(self.last), **named})
        if inside is not None:
            inside.append(made)
        if called is not None:
            self.candidates.append(str(self.last))
            self.targets[called] = str(self.last)
        if text and tag != "text":
            self.put(made, "text").text = text
        return made

    def action(self, uid: str, op: str, target: str, value: str = "") -> dict[str, Any]:
        """One action on this page; without a target, cleaning has lost the right element."""
        right = self.targets[target] if target else ""
        return {
            "action_uid": uid,
            "cleaned_html": tostring(self.html, "unicode"),
            "operation": {"original_op": op, "op": op, "value": value},
            "pos_candidates": [{"backend_node_id": one, "tag": "x"} for one in self.candidates if one == right],
            "neg_candidates": [{"backend_node_id": one, "tag": "x"} for one in self.candidates if one != right],
        }


def shop(dice: Random, items: int, thing: str) -> Page:
    """A list of goods with a search field, a select and an icon; the wanted thing is in it once."""
    page = Page(dice)
    body = page.put(page.put(page.html, "body"), "div")
    form = page.put(body, "form", role="search")
    search = {"placeholder": "What are you looking for?", "aria_label": "Search the shop"}
    page.put(form, "input", called="search", type="text", **search)
    page.put(form, "svg", called="icon", class_="search-icon")
    sort = page.put(body, "select", called="sort", name="sort")
    for option in ("Newest", "Cheapest first", "Best liked"):
        page.put(sort, "option", option)
    goods, place = page.put(body, "ul"), dice.randrange(items * 3 // 4, items)
    for number in range(items):
        card = page.put(page.put(goods, "li"), "div")
        name = thing if number == place else f"{dice.choice(_KINDS)} {dice.choice(_THINGS)} {number}"
        page.put(card, "a", name, called="wanted" if number == place else "", title=name)
        told = " ".join(dice.choice(_KINDS) for _ in range(8))
        page.put(card, "p", f"From {dice.choice(_PLACES)}, {told}, {number} coins & up")
        page.put(card, "button", "Put it by", called="")
    return page


def task(dice: Random, number: int, split: str, items: int) -> dict[str, Any]:
    """A task of four actions: search, sort, open the thing, and a last one whose target cleaning has lost in some."""
    thing = f"{dice.choice(_KINDS)} {dice.choice(_THINGS)} of {dice.choice(_PLACES)}"
    acts = [("TYPE", "search", thing), ("SELECT", "sort", "Cheapest first"), ("CLICK", "wanted", "")]
    acts.append(("CLICK", "" if number % 5 == 4 else "icon", ""))
    pages = [shop(dice, items, thing) for _ in acts]
    return {
        "website": "lampshop", "domain": "Shopping", "subdomain": "Department",
        "annotation_id": f"{split}-{number}",
        "confirmed_task": f"Search for the {thing}, show the cheapest first, open it, and search again",
        "action_reprs": [
            f"[textbox]  Search the shop -> TYPE: {thing}", "[combobox]  sort -> SELECT: Cheapest first",
            f"[link]  {thing} -> CLICK", "[svg]   -> CLICK",
        ],
        "actions": [page.action(f"{split}-{number}-{name}", *act)
                    for page, name, act in zip(pages, "abcd", acts, strict=True)],
    }  # fmt: skip


def wordless(count: int, elements: int) -> list[dict[str, Any]]:
    """Tasks of one click each, on pages whose elements share no word with the instruction."""
    made = []
    for number in range(count):
        page = Page(Random(number))
        for place in range(elements):
            page.put(page.html, "button", "thing", called=str(place))
        made.append({
            "website": "plain", "annotation_id": f"wordless-{number}", "confirmed_task": "Press what was promised",
            "action_reprs": ["[button]  -> CLICK"],
            "actions": [page.action(f"wordless-{number}-a", "CLICK", str(page.dice.randrange(elements)))],
        })  # fmt: skip
    return made


def tasks(split: str, count: int, sizes: tuple[int, ...] = SIZES) -> list[dict[str, Any]]:
    """So many tasks of a split, always the same ones."""
    dice = Random(split)
    return [task(dice, number, split, sizes[number % len(sizes)]) for number in range(count)]


def write(folder: Path, counts: dict[str, int], sizes: tuple[int, ...] = SIZES) -> Path:
    """The data set in its folders, two files a split."""
    for split, count in counts.items():
        made = tasks(split, count, sizes)
        (folder / split).mkdir(parents=True)
        half = (len(made) + 1) // 2
        for number, part in enumerate((made[:half], made[half:])):
            (folder / split / f"{split}_{number}.json").write_text(json.dumps(part), "utf-8")
    return folder
