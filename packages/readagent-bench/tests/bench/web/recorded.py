"""Records in the exact form of Mind2Web, made by dice in our own words: pages, candidates, actions, tasks.

The pages are as its cleaning leaves them: XML, an id on every element, texts in <text> elements, only telling
attributes, spelt with underscores. Half of the tasks have long pages, some of them beyond 25,000 tokens.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any
from xml.sax.saxutils import escape, quoteattr

_THINGS = "lamp kettle bench ladder basket lantern whistle anchor bucket saddle candle mirror hammer needle".split()
_KINDS = "amber brass cobalt dusty early folding gilded heavy ivory jade knitted linen mossy narrow oaken".split()
_PLACES = "Brenza Oldmere Tarn Vell Wick Hollin Marsk Quell Ansty Corve".split()
SITES = {
    "test_task": [("lampshop", "Shopping", "Department"), ("ferryline", "Travel", "Ferries")],
    "test_website": [("benchbarn", "Shopping", "Furniture")],
    "test_domain": [("parishnews", "Info", "News"), ("clinicbook", "Service", "Health")],
}


@dataclass(slots=True)
class Pen:
    """Writes a page: every element gets the next id, with gaps as in a browser's."""

    dice: Random
    last: int = 100
    parts: list[str] = field(default_factory=list)
    candidates: list[dict[str, Any]] = field(default_factory=list)

    def open(self, tag: str, **attributes: str) -> str:
        self.last += self.dice.randint(1, 4)
        written = "".join(f" {name.rstrip('_')}={quoteattr(value)}" for name, value in attributes.items())
        self.parts.append(f'<{tag} backend_node_id="{self.last}"{written}>')
        return str(self.last)

    def close(self, tag: str) -> None:
        self.parts.append(f"</{tag}>")

    def text(self, text: str) -> None:
        self.open("text")
        self.parts[-1] += escape(text)
        self.close("text")

    def leaf(self, tag: str, text: str = "", **attributes: str) -> str:
        """An element that is a candidate, with a text in it."""
        name = self.open(tag, **attributes)
        if text:
            self.text(text)
        self.close(tag)
        self.candidate(tag, name, attributes)
        return name

    def candidate(self, tag: str, name: str, attributes: dict[str, str]) -> None:
        box = f"{self.dice.randint(0, 900)},{self.dice.randint(0, 5000)},120,24"
        given = {"backend_node_id": name, "bounding_box_rect": box, "is_clickable": "true", **attributes}
        self.candidates.append(
            {"tag": tag, "attributes": json.dumps(given), "is_original_target": False, "is_top_level_target": False,
             "backend_node_id": name}
        )  # fmt: skip


@dataclass(frozen=True, slots=True)
class Page:
    """A page, its candidates, and those that can be the target of an action, by what they are."""

    html: str
    candidates: list[dict[str, Any]]
    search: str
    sort: str
    wanted: str
    icon: str


def page(dice: Random, items: int, thing: str) -> Page:
    """A list of goods with a search field, a select and icons; the wanted thing is in it once."""
    pen = Pen(dice)
    pen.open("html")
    pen.open("body")
    pen.open("div")
    pen.open("form", role="search")
    search = pen.leaf("input", type="text", placeholder="What are you looking for?", aria_label="Search the shop")
    icon = pen.leaf("svg", class_="search-icon")
    pen.close("form")
    sort = pen.open("select", name="sort")
    for option in ("Newest", "Cheapest first", "Best liked"):
        pen.open("option")
        pen.text(option)
        pen.close("option")
    pen.close("select")
    pen.candidate("select", sort, {"name": "sort"})
    pen.open("ul")
    place, wanted = dice.randrange(items * 3 // 4, items), ""
    for number in range(items):
        pen.open("li")
        pen.open("div")
        name = thing if number == place else f"{dice.choice(_KINDS)} {dice.choice(_THINGS)} {number}"
        link = pen.leaf("a", name, title=name)
        wanted = link if number == place else wanted
        pen.open("p")
        pen.text(f"From {dice.choice(_PLACES)}, {' '.join(dice.choice(_KINDS) for _ in range(8))}, {number} coins & up")
        pen.close("p")
        pen.leaf("button", "Put it by")
        pen.close("div")
        pen.close("li")
    for tag in ("ul", "div", "body", "html"):
        pen.close(tag)
    return Page("\n  ".join(pen.parts), pen.candidates, search, sort, wanted, icon)


def action(dice: Random, uid: str, on: Page, op: str, target: str, value: str = "") -> dict[str, Any]:
    """One action on a page; its target is the positive candidate, unless it is empty: cleaning has lost it then."""
    positive = [{**one, "is_original_target": True, "is_top_level_target": True} for one in on.candidates
                if one["backend_node_id"] == target]  # fmt: skip
    return {
        "action_uid": uid,
        "raw_html": f"<!DOCTYPE html><!-- {dice.random()} -->{on.html}",
        "cleaned_html": on.html,
        "operation": {
            "original_op": "HOVER" if op == "CLICK" and dice.random() < 0.3 else op,
            "op": op,
            "value": value,
        },
        "pos_candidates": positive,
        "neg_candidates": [one for one in on.candidates if one["backend_node_id"] != target],
    }


def task(dice: Random, number: int, split: str, items: int) -> dict[str, Any]:
    """A task of four actions: search, sort, open the thing, and a last one whose target cleaning has lost in some."""
    website, domain, subdomain = dice.choice(SITES[split])
    thing = f"{dice.choice(_KINDS)} {dice.choice(_THINGS)} of {dice.choice(_PLACES)}"
    pages = [page(dice, items, thing) for _ in range(4)]
    lost = number % 5 == 4
    made = [
        action(dice, f"{split}-{number}-a", pages[0], "TYPE", pages[0].search, thing),
        action(dice, f"{split}-{number}-b", pages[1], "SELECT", pages[1].sort, "Cheapest first"),
        action(dice, f"{split}-{number}-c", pages[2], "CLICK", pages[2].wanted),
        action(dice, f"{split}-{number}-d", pages[3], "CLICK", "" if lost else pages[3].icon),
    ]
    return {
        "website": website, "domain": domain, "subdomain": subdomain,
        "annotation_id": f"{split}-{number}",
        "confirmed_task": f"Search for the {thing}, show the cheapest first, open it, and search again",
        "action_reprs": [
            f"[textbox]  Search the shop -> TYPE: {thing}", "[combobox]  sort -> SELECT: Cheapest first",
            f"[link]  {thing} -> CLICK", "[svg]   -> CLICK",
        ],
        "actions": made,
    }  # fmt: skip


def wordless(count: int, elements: int) -> list[dict[str, Any]]:
    """Tasks of one click each, on pages whose elements share no word with the instruction."""
    made = []
    for number in range(count):
        dice = Random(number)
        pen = Pen(dice)
        pen.open("html")
        ids = [pen.leaf("button", "thing") for _ in range(elements)]
        pen.close("html")
        page = Page("".join(pen.parts), pen.candidates, "", "", "", "")
        made.append({
            "website": "plain", "domain": "", "subdomain": "", "annotation_id": f"wordless-{number}",
            "confirmed_task": "Press what was promised", "action_reprs": ["[button]  -> CLICK"],
            "actions": [action(dice, f"wordless-{number}-a", page, "CLICK", dice.choice(ids))],
        })  # fmt: skip
    return made


SIZES = (6, 40, 110, 220, 700)  # items of a page, by turns; the last come to more than 25,000 tokens


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
