"""Lists are read in whatever form a model writes them, and what cannot be read is never lost in silence."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from readagent.core.overviews.items import ENTITIES, EVENTS, HITS, PEOPLE, QUESTIONS, TERMS, Item, Kind, parse_items

ANNA = Item(("Anna Gray", "Annie", "the miller's daughter", "sister of Tom"), (3, 4))
TOM = Item(("Tom", "", "sails away", ""), (4,))
_ROWS = [
    {"name": "Anna Gray", "other_names": ["Annie"], "role": "the miller's daughter", "relations": ["sister of Tom"], "pages": [3, 4]},
    {"name": "Tom", "other_names": [], "role": "sails away", "relations": [], "pages": [4]},
]  # fmt: skip
PEOPLE_IN_FULL = {
    "bars": "Anna Gray | Annie | the miller's daughter | sister of Tom [Page 3, 4]\nTom | - | sails away | - [Page 4]",
    "numbered": "1. Anna Gray | Annie | the miller's daughter | sister of Tom [Page 3, 4]\n2. Tom | - | sails away | - [Page 4]",
    "table": (
        "Here is the list:\n\n| Name | Other names | Who they are | Relations | Pages |\n|:--|---|---|---|--:|\n"
        "| **Anna Gray** | Annie | the miller's daughter | sister of Tom | 3, 4 |\n| **Tom** | - | sails away | - | 4 |"
    ),
    "table in another order": (
        "| Pages | Role | Person | Aliases | Relationships |\n| --- | --- | --- | --- | --- |\n"
        "| 3-4 | the miller's daughter | Anna Gray | Annie | sister of Tom |\n| 4 | sails away | Tom | | |"
    ),
    "tabs": "Anna Gray\tAnnie\tthe miller's daughter\tsister of Tom\t[Page 3, 4]\nTom\t-\tsails away\t-\t[Page 4]",
    "tabs with a header": (
        "name\tother names\twho they are\trelations\tpages\n"
        "Anna Gray\tAnnie\tthe miller's daughter\tsister of Tom\t3, 4\nTom\t-\tsails away\t-\t4"
    ),
    "JSON": json.dumps(_ROWS),
    "JSON in a fence": f"Here you are:\n```json\n{json.dumps({'people': _ROWS}, indent=2)}\n```\nI hope this helps!",
    "JSON lines": "\n".join(map(json.dumps, _ROWS)),
    "JSON without names": json.dumps([["Anna Gray", "Annie", "the miller's daughter", "sister of Tom", "3, 4"], ["Tom", "-", "sails away", "-", 4]]),
    "labels": (
        "**Name:** Anna Gray\n**Other names:** Annie\n**Who they are:** the miller's daughter\n"
        "**Relations:** sister of Tom\n**Pages:** 3, 4\n\n**Name:** Tom\n**Role:** sails away\n**Page:** 4"
    ),
    "labels below a name": (
        "1. **Anna Gray**\n   - Other names: Annie\n   - Role: the miller's daughter\n   - Relations: sister of Tom\n"
        "   - Pages: 3, 4\n2. **Tom**\n   - Role: sails away [Page 4]\n"
    ),
    "labels below a heading": (
        "### Anna Gray\n- **Aliases**: Annie\n- **Description**: the miller's daughter\n- **Relations**: sister of Tom\n"
        "- **Pages**: 3, 4\n\n### Tom\n- **Description**: sails away\n- **Pages**: 4"
    ),
}  # fmt: skip


@pytest.mark.parametrize("form", PEOPLE_IN_FULL)
def test_people_in_every_form(form: str) -> None:
    assert parse_items(PEOPLE, PEOPLE_IN_FULL[form], range(9)) == ([ANNA, TOM], 0)


@pytest.mark.parametrize(
    ("kind", "reply", "fields"),
    [
        (PEOPLE, "Anna Gray is the miller's daughter [Page 3].", ("Anna Gray", "", "is the miller's daughter .", "")),
        (EVENTS, "- 1801: Anna leaves the mill [Page 3]", ("1801", "Anna leaves the mill")),
        (EVENTS, "- Anna says: we must go [Page 3]", ("", "Anna says: we must go")),
        (EVENTS, '[{"date": "1801", "event": "Anna leaves", "page": 3}]', ("1801", "Anna leaves")),
        (
            EVENTS,
            "| When | Event | Page |\n|---|---|---|\n| 1801 | Anna \\| Tom leave | 3 |",
            ("1801", "Anna | Tom leave"),
        ),
        (EVENTS, "Time\tEvent\tPage\n\tAnna leaves\t3", ("", "Anna leaves")),
        (ENTITIES, "- Low Mill (place): burns down [Page 3]", ("Low Mill", "place", "burns down")),
        (TERMS, "- **weir**: a low dam [Page 3]", ("weir", "a low dam")),
        (QUESTIONS, "Q: Who leaves?\nA: Anna [Page 3]", ("Who leaves?", "Anna")),
        (HITS, "- Anna visits the island [Page 3]", ("Anna visits the island",)),
    ],
)
def test_other_lists(kind: Kind, reply: str, fields: tuple[str, ...]) -> None:
    (item,), without = parse_items(kind, reply, range(9))
    assert tuple(" ".join(one.split()).rstrip(" .") for one in item.fields) == tuple(one.rstrip(" .") for one in fields)
    assert (item.pages, without) == ((3,), 0)


def test_a_list_that_was_cut_off_keeps_its_whole_items() -> None:
    whole = json.dumps(_ROWS)
    assert parse_items(PEOPLE, whole[:-40], range(9), cut=True)[0] == [ANNA]
    assert parse_items(PEOPLE, PEOPLE_IN_FULL["bars"][:-20], range(9), cut=True)[0] == [ANNA]


@pytest.mark.parametrize(
    "reply",
    ["Here are the people in these pages:", "[]", "These pages are about a mill and what it does to people."],
)  # fmt: skip
def test_what_is_no_item(reply: str) -> None:
    assert parse_items(PEOPLE, reply, range(9))[0] == []


def test_an_item_without_a_page_counts_as_one_without() -> None:
    assert parse_items(PEOPLE, PEOPLE_IN_FULL["JSON"].replace('"pages": [4]', '"pages": []'), range(9)) == ([ANNA], 1)
    one = replace(ANNA, pages=(3,))
    assert parse_items(PEOPLE, "Anna Gray | Annie | the miller's daughter | sister of Tom", [3]) == ([one], 0)


@pytest.mark.parametrize(
    ("kind", "reply", "items"),
    [
        (
            PEOPLE,
            "Anna is the miller's daughter [Page 1]. Tom is her brother [Page 2]. Rosa is a sailor [Pages 3, 4].",
            [("Anna", (1,)), ("Tom", (2,)), ("Rosa", (3, 4))],
        ),
        (PEOPLE, "- Anna (page 1): the miller's daughter, who leaves [Page 2]", [("Anna", (1, 2))]),
        (
            EVENTS,
            "In 1801 Anna leaves [Page 1]. In 1802 Tom follows [Page 2], and in 1803 both return (p. 3).",
            [("In 1801 Anna leaves", (1,)), ("In 1802 Tom follows", (2,)), ("in 1803 both return", (3,))],
        ),
    ],
)
def test_prose_is_divided_at_the_pages_that_it_names(
    kind: Kind, reply: str, items: list[tuple[str, tuple[int, ...]]]
) -> None:
    found = parse_items(kind, reply, range(9))[0]
    assert [(next(filter(None, one.fields)).rstrip(" ."), one.pages) for one in found] == items
