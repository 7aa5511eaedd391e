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
        ("Dr. Hall", "Soon Dr. Hall came. The door opened for Dr. Hall again."),
        ("J. R. R. Tolkien", "Once J. R. R. Tolkien wrote a letter. The letter that J. R. R. Tolkien wrote was long."),
        ("Diego de la Cruz", "Then Diego de la Cruz smiled. At night Diego de la Cruz left."),
        ("Anna van der Berg", "Here Anna van der Berg smiled, and later Anna van der Berg laughed."),
        ("St. Clare", "Then St. Clare smiled. In the end St. Clare said nothing."),
        ("O’Brien", "Then O’Brien smiled, and O’Brien’s face was red."),
        ("Elizabeth", "“Come,” said Elizabeth. But Elizabeth’s sister was late."),
        ("Nick", "“Come in, Nick.” “Listen, Nick!” he went on."),
        ("Пьер", "«Да», сказал Пьер. Потом сказал Пьер ещё раз."),
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
    [
        ("Mr. Bennet", "Mrs. Bennet", "Mr. Bennet smiled. Mrs. Bennet cried. Then Mr. Bennet and Mrs. Bennet left."),
        ("Lady Anne", "Anne", "Lady Anne smiled. Then Anne laughed. Lady Anne left. Now Anne said nothing."),
        ("John Gray", "Mrs. John Gray", "John Gray smiled. Mrs. John Gray sighed. So John Gray left Mrs. John Gray."),
        (
            "Frank Churchill", "Mr. Churchill",
            "Then Frank Churchill smiled. Mr. Churchill sighed. Mr. Frank Churchill left. Here Mr. Churchill said no. "
            "At last Frank Churchill laughed.",
        ),
        ("Charles Hayter", "Charles Musgrove",
         "So Charles Hayter smiled. So Charles Musgrove sighed. Then Charles said no to Charles Hayter. Charles Musgrove left."),
    ],
)  # fmt: skip
def test_two_people_stay_two(one: str, other: str, text: str) -> None:
    owners = [names for names in cast(text) if one in names or other in names]
    assert len(owners) == 2


def test_a_nickname_is_joined_only_if_one_person_can_be_meant() -> None:
    told = "Then Elizabeth smiled. " * 3 + "“Oh, Lizzy,” said Jane. “Look, Lizzy!” Jane laughed. "
    assert ["Elizabeth", "Lizzy"] in cast(told)
    both = told + "Then Elizabeth and Lizzy smiled. Then Lizzy and Elizabeth left. Elizabeth said no to Lizzy. "
    assert ["Elizabeth", "Lizzy"] not in cast(both)


def test_the_speakers_of_a_transcript_are_people() -> None:
    turns = ("Project Manager: Let us begin.", "Dawn Bowden AM: Yes.", "Professor B: No.", "Project Manager: Why?")
    text = "\n\n".join(turns * 3)
    assert first_names(text) == {"Project Manager", "Dawn Bowden AM", "Professor B"}


@pytest.mark.parametrize(
    ("text", "people"),
    [
        (
            "One day Elizabeth Bennet smiled. " + "Then Elizabeth said no. So Elizabeth thought of him. " * 6
            + "They spoke of Elizabeth II. Then Elizabeth II smiled on a coin.",
            [["Elizabeth Bennet", "Elizabeth"], ["Elizabeth II"]],
        ),
        (
            "Then Elizabeth smiled. " + "So Elizabeth said no. " * 9 + "And Elizabeth II died. Once Elizabeth II smiled.",
            [["Elizabeth"], ["Elizabeth II"]],
        ),
        (
            "The court met Henry V. The king smiled. Then Henry V died. So Henry VI laughed, and Henry VI said no.",
            [["Henry V"], ["Henry VI"]],
        ),
        (
            "Then President Lincoln spoke, and Miss Lincoln smiled. So Miss Lincoln left. President Lincoln looked up."
            " But Lincoln said nothing. He was tired. And Lincoln thought that he knew.",
            [["Miss Lincoln"], ["President Lincoln", "Lincoln"]],
        ),
        (
            "In May General Motors said that sales rose. He worked at General Motors. Then General Grant smiled."
            " And General Grant said no.",
            [["General Grant"]],
        ),
        (
            "They saw Mansfield Parsonage. Then Mr. Mansfield smiled, and Mr. Mansfield said no. The rooms of Mansfield"
            " Parsonage were cold. So Mansfield Parsonage stood empty. In King Street they met. Now King Street is old.",
            [["Mr. Mansfield"]],
        ),
        ("Then Mr. Hill smiled. But Mr. Hill said no. So Benny Hill laughed, and Benny Hill left.", [["Benny Hill"], ["Mr. Hill"]]),
    ],
)  # fmt: skip
def test_numbers_ranks_and_places_in_names(text: str, people: list[list[str]]) -> None:
    assert sorted(cast(text)) == people


def test_words_of_politeness_and_of_forms_are_no_things() -> None:
    words = ("OK", "Hello", "True", "Look", "Copyright", "Media", "Yeah")
    text = " ".join(f"There stood {word} on the form, and again {word} on the other, in Brenza." for word in words)
    assert set(things_in(text)) == {"Brenza"}


def test_a_name_of_an_organisation_is_a_thing() -> None:
    text = "In May General Motors said that sales rose. He worked at General Motors."
    assert things_in(text) == {"General Motors": "organisation"}


@pytest.mark.parametrize(
    ("text", "people"),
    [
        ("Ivan Petrovich sat by the window. The doctor looked at Ivan Petrovich.", {"Ivan Petrovich"}),
        ("It rained. Ivan Petrovich was at home. He slept.", {"Ivan Petrovich"}),
        ("Emma Woodhouse, handsome, clever, and rich, had a comfortable home.", {"Emma Woodhouse"}),
        ("It was Colonel Moran. He turned.", {"Colonel Moran"}),
        ("Here Marianne was calm. But Marianne WAS tired, and Marianne said so.", {"Marianne"}),
    ],
)
def test_a_name_that_stands_once_or_without_a_deed_is_found(text: str, people: set[str]) -> None:
    assert first_names(text) == people


def test_a_rank_with_a_surname_that_stands_once_is_joined_with_the_full_name() -> None:
    (names,) = cast("“This is Colonel Sebastian Moran,” she said. Then Colonel Moran ran.")
    assert set(names) == {"Colonel Moran", "Colonel Sebastian Moran"}


def test_a_house_that_is_named_after_a_queen_is_nobody() -> None:
    text = "Queen Anne House stood on a hill. Then Queen Anne smiled, and Queen Anne House looked empty. So Queen Anne left."
    assert first_names(text) == {"Queen Anne"}
    assert "Queen Anne House" in things_in(text)


def test_a_town_at_which_somebody_arrives_is_nobody() -> None:
    assert cast("They arrived at Brenza. Later they dined at Brenza, and looked at Anna. So Anna said.") == [["Anna"]]


def test_families_are_nobody() -> None:
    text = "Mr. Dashwood smiled. The Dashwoods left. He saw the Dashwoods. Then Mr. Dashwood laughed at the Miss Dashwoods."
    assert first_names(text) == {"Mr. Dashwood"}
    assert things_in(text) == {}


@pytest.mark.parametrize(
    "piece", ["A. ", "Mr. ", "Aa ", "Aa de ", "Aa", "Aa\n", "Aa" + " " * 400, "Aa Bb Cc Dd Ee Ff\n"]
)
@pytest.mark.slow
def test_no_text_takes_long(piece: str) -> None:
    assert cast(piece * 5000) == []  # with a pattern that backtracks, this takes minutes
