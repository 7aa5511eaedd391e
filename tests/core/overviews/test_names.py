"""One person under several names is one, and two people who share a name stay two."""

from __future__ import annotations

from itertools import permutations

from readagent.core.overviews.items import EVENTS, PEOPLE, parse_items
from readagent.core.overviews.names import mentions, named, people_in, relation


def people(reply: str) -> list[list[str]]:
    return [one.names for one in people_in(parse_items(PEOPLE, reply, range(30))[0])]


def test_a_surname_alone_is_nobodys_if_two_titles_go_with_it() -> None:
    lines = [f"{name} | - | speaks | - [Page 1]" for name in ("Miss Lincoln", "Lincoln", "President Lincoln")]
    for order in permutations(lines):
        assert sorted(people("\n".join(order))) == [["Lincoln"], ["Miss Lincoln"], ["President Lincoln"]]


def test_a_number_tells_a_queen_from_others_of_her_name() -> None:
    reply = "Elizabeth II | - | reigns | - [Page 1]\nElizabeth | - | dances | - [Page 2]"
    assert people(reply) == [["Elizabeth II"], ["Elizabeth"]]


def test_names_of_one_person_are_joined() -> None:
    reply = """\
    Pierre Bezukhov | Pierre; Count Bezukhov | heir | - [Page 1]
    Pierre | - | at the front | - [Page 9]
    Natasha Rostova | Natasha | dancer | - [Page 2]
    natasha rostova | - | bride | - [Page 20]"""
    assert [names[0] for names in people(reply)] == ["Pierre Bezukhov", "Natasha Rostova"]


def test_a_word_that_two_people_share_joins_nobody() -> None:
    reply = """\
    Nikolai Rostov | - | hussar | - [Page 1]
    Natasha Rostov | - | dancer | - [Page 2]
    Rostov | - | somebody | - [Page 3]"""
    assert len(people(reply)) == 3


def test_relations_name_people_of_the_list() -> None:
    known = people_in(
        parse_items(PEOPLE, "Peter Gray | - | miller | - [Page 1]\nAnna | - | - | wife of Peter [Page 1]", [1])[0]
    )
    assert relation("wife of Peter", known) == ("wife", "Peter Gray")
    assert relation("friend of somebody", known) is None
    assert named("Gray", known) is known[0]


def test_mentions_count_names_that_are_of_one_person_only() -> None:
    known = people_in(
        parse_items(PEOPLE, "Peter Gray | - | miller | - [Page 1]\nAnna Gray | - | - | - [Page 1]", [1])[0]
    )
    text = "Peter met Anna. Gray was the sky; Peterson laughed. Anna Gray left."
    peter, anna = mentions(known, text)
    assert [text[at : at + 5] for at in peter] == ["Peter"]
    assert len(anna) == 2


def test_replies_in_tables_and_bullets_are_read() -> None:
    table = "| Name | Other names | Who | Relations |\n|---|---|---|---|\n| Anna | - | a miller | - [Page 3] |"
    assert [item.fields for item in parse_items(PEOPLE, table, range(9))[0]] == [("Anna", "", "a miller", "")]
    assert [item.fields[0] for item in parse_items(PEOPLE, "1. **Anna** | - | a miller | - [Page 3]", range(9))[0]] == [
        "Anna"
    ]
    assert parse_items(PEOPLE, "Anna is nice.", range(9)) == ([], 0)


def test_people_who_share_a_family_name_stay_apart() -> None:
    reply = """\
    Mr. Bennet | none | father | - [Page 1]
    Mrs. Bennet | N/A | mother | - [Page 1]
    Elizabeth Bennet | Lizzy | daughter | - [Page 1]
    Charlotte Lucas | Mrs. Collins | friend | - [Page 2]
    Mr. Collins | - | cousin | - [Page 2]
    Stephen King | - | writer | - [Page 3]
    Stephen Young | - | writer | - [Page 3]
    Speaker 1 | - | chair | - [Page 4]
    Speaker 2 | - | clerk | - [Page 4]
    the Captain | - | captain | - [Page 5]"""
    assert len(people(reply)) == 10


def test_lines_without_brackets_and_undated_events_are_read() -> None:
    table = "| When | What | Where |\n|---|---|---|\n| 1801 | Anna left | Page 4 |\n| 1802 | Rosa left | Page 5 |"
    items, without = parse_items(EVENTS, table, range(9))
    assert [(item.fields, item.pages) for item in items] == [
        (("1801", "Anna left"), (4,)),
        (("1802", "Rosa left"), (5,)),
    ]
    items, without = parse_items(EVENTS, "- | Anna left [Page: 4]\n3. Mai 1805 | Rosa left [Page 5, para 2]", range(9))
    assert [item.fields for item in items] == [("", "Anna left"), ("3. Mai 1805", "Rosa left")]
    items, without = parse_items(EVENTS, "1801 | Anna left [Page 4]\n1802 | Rosa left", range(9))
    assert (len(items), without) == (1, 1)
