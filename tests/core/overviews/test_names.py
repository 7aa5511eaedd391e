"""One person under several names is one, and two people who share a name stay two."""

from __future__ import annotations

from itertools import permutations

from readagent.core.overviews.person_names import people_in

from readagent.core.overviews.collect import PEOPLE, parse_items


def people(reply: str) -> list[list[str]]:
    return [one.names for one in people_in(parse_items(PEOPLE, reply, range(30))[0])]


def test_a_surname_alone_is_nobodys_if_two_titles_go_with_it() -> None:
    lines = [f"{name} | - | speaks | - [Page 1]" for name in ("Miss Lincoln", "Lincoln", "President Lincoln")]
    for order in permutations(lines):
        assert sorted(people("\n".join(order))) == [["Lincoln"], ["Miss Lincoln"], ["President Lincoln"]]


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
