"""Lists are read in whatever form a model writes them, and what cannot be read is never lost in silence."""

from __future__ import annotations

import json

import pytest

from readagent.core.overviews.collect import ENTITIES, EVENTS, HITS, PEOPLE, QUESTIONS, TERMS, Item, Kind, parse_items

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


@pytest.mark.parametrize(
    "reply",
    ["Here are the people in these pages:", "[]", "These pages are about a mill and what it does to people."],
)  # fmt: skip
def test_what_is_no_item(reply: str) -> None:
    assert parse_items(PEOPLE, reply, range(9))[0] == []
