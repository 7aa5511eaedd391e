"""Who is in a text by rule: titles, initials and particles; no places; two people are never joined."""

from __future__ import annotations

import pytest

from readagent.embedded.cast import cast_of, things_in


def cast(text: str) -> list[list[str]]:
    return [member.names for member in cast_of(text)]


def first_names(text: str) -> set[str]:
    return {names[0] for names in cast(text)}


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("Mr. Bennet", "Then Mr. Bennet smiled. It was late, and Mr. Bennet left."),
        ("Diego de la Cruz", "Then Diego de la Cruz smiled. At night Diego de la Cruz left."),
        ("O’Brien", "Then O’Brien smiled, and O’Brien’s face was red."),
        ("Nick", "“Come in, Nick.” “Listen, Nick!” he went on."),
    ],
)
def test_forms_of_names(name: str, text: str) -> None:
    assert first_names(text) == {name}


def test_places_headings_and_starts_of_sentences_are_nobody() -> None:
    text = (
        "CHAPTER ONE\n\nANNA AND THE MILL\n\nNobody lived in Brenza. Everybody left Brenza at noon. However, Anna said no."
        " Perhaps Anna knew. Perhaps it rained in Brenza. However that was, in Brenza nobody spoke on Monday.\n\n"
        "Nobody came. The English laughed. Anna thought of the English."
    )
    assert cast(text) == [["Anna"]]
    assert things_in(text)["Brenza"] == "place"
    assert not {"However", "Perhaps", "Nobody", "Monday", "ANNA"} & set(things_in(text))


def test_names_of_one_person_are_joined() -> None:
    text = (
        "Elizabeth Bennet smiled. Then Elizabeth laughed. Miss Elizabeth said no. Sir Walter Elliot nodded, and Sir Walter"
        " left. Mr. Darcy said nothing. Then Darcy nodded. When Darcy left, Elizabeth Bennet sighed. Again Elizabeth said"
        " no. Then Sir Walter Elliot came. Now Sir Walter laughed. Mr. Darcy sighed. So Miss Elizabeth left. Sir Walter"
        " sat down."
    )
    people = {names[0]: set(names[1:]) for names in cast(text)}
    assert people == {
        "Elizabeth Bennet": {"Elizabeth", "Miss Elizabeth"},
        "Sir Walter": {"Sir Walter Elliot"},
        "Mr. Darcy": {"Darcy"},
    }


@pytest.mark.parametrize(
    ("one", "other", "text"),
    [("Mr. Bennet", "Mrs. Bennet", "Mr. Bennet smiled. Mrs. Bennet cried. Then Mr. Bennet and Mrs. Bennet left."), (
            "Frank Churchill", "Mr. Churchill",
            "Then Frank Churchill smiled. Mr. Churchill sighed. Mr. Frank Churchill left. Here Mr. Churchill said no. "
            "At last Frank Churchill laughed.",
        )],
)  # fmt: skip
def test_two_people_stay_two(one: str, other: str, text: str) -> None:
    owners = [names for names in cast(text) if one in names or other in names]
    assert len(owners) == 2


def test_the_speakers_of_a_transcript_are_people() -> None:
    turns = ("Project Manager: Let us begin.", "Dawn Bowden AM: Yes.", "Professor B: No.", "Project Manager: Why?")
    text = "\n\n".join(turns * 3)
    assert first_names(text) == {"Project Manager", "Dawn Bowden AM", "Professor B"}


@pytest.mark.parametrize(
    ("text", "people"),
    [(
            "One day Elizabeth Bennet smiled. " + "Then Elizabeth said no. So Elizabeth thought of him. " * 6
            + "They spoke of Elizabeth II. Then Elizabeth II smiled on a coin.",
            [["Elizabeth Bennet", "Elizabeth"], ["Elizabeth II"]],
        ), (
            "Then President Lincoln spoke, and Miss Lincoln smiled. So Miss Lincoln left. President Lincoln looked up."
            " But Lincoln said nothing. He was tired. And Lincoln thought that he knew.",
            [["Miss Lincoln"], ["President Lincoln", "Lincoln"]],
        ), (
            "They saw Mansfield Parsonage. Then Mr. Mansfield smiled, and Mr. Mansfield said no. The rooms of Mansfield"
            " Parsonage were cold. So Mansfield Parsonage stood empty. In King Street they met. Now King Street is old.",
            [["Mr. Mansfield"]],
        )],
)  # fmt: skip
def test_numbers_ranks_and_places_in_names(text: str, people: list[list[str]]) -> None:
    assert sorted(cast(text)) == people


@pytest.mark.parametrize("piece", ["A. ", "Aa de ", "Aa" + " " * 400])
@pytest.mark.slow
def test_no_text_takes_long(piece: str) -> None:
    assert cast(piece * 5000) == []  # with a pattern that backtracks, this takes minutes
