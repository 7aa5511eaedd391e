"""One person under several names is one, and two people who share a name stay two."""

from __future__ import annotations

from readagent.core.overviews.collect import PEOPLE, parse_items
from readagent.core.overviews.names import mentions, named, people_in, relation


def people(reply: str) -> list[list[str]]:
    return [one.names for one in people_in(parse_items(PEOPLE, reply, range(30)))]


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
        parse_items(PEOPLE, "Peter Gray | - | miller | - [Page 1]\nAnna | - | - | wife of Peter [Page 1]", [1])
    )
    assert relation("wife of Peter", known) == ("wife", "Peter Gray")
    assert relation("friend of somebody", known) is None
    assert named("Gray", known) is known[0]


def test_mentions_count_names_that_are_of_one_person_only() -> None:
    known = people_in(parse_items(PEOPLE, "Peter Gray | - | miller | - [Page 1]\nAnna Gray | - | - | - [Page 1]", [1]))
    text = "Peter met Anna. Gray was the sky; Peterson laughed. Anna Gray left."
    peter, anna = mentions(known, text)
    assert [text[at : at + 5] for at in peter] == ["Peter"]
    assert len(anna) == 2


def test_replies_in_tables_and_bullets_are_read() -> None:
    table = "| Name | Other names | Who | Relations |\n|---|---|---|---|\n| Anna | - | a miller | - [Page 3] |"
    assert [item.fields for item in parse_items(PEOPLE, table, range(9))] == [("Anna", "", "a miller", "")]
    assert [item.fields[0] for item in parse_items(PEOPLE, "1. **Anna** | - | a miller | - [Page 3]", range(9))] == [
        "Anna"
    ]
    assert parse_items(PEOPLE, "Anna is nice.", range(9)) == []
