"""How texts are split into words for PostgreSQL, and the passages that are shown."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import pytest

from readagent.library.search import indexed
from readagent.library.tsvector import TsVector, _phrase, _vector

index = TsVector(cast("Any", SimpleNamespace()))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Her CAFÉ", "'her':1 'cafe':2"),
        ("either/or, e-mail: a@b.org", "'either':1 'or':2 'e':3 'mail':4 'a':5 'b':6 'org':7"),
        ("it's 3.14", "'it':1 's':2 '3':3 '14':4"),
        ("Ελλάδα ПРИВЕТ", "'ελλαδα':1 'привет':2"),
        (indexed("東京 tower"), "'東':1 '京':2 'tower':3"),
        ("a\0b ' \\ :* & | !", "'a':1 'b':2"),
        ("", ""),
    ],
)
def test_words_are_letters_and_digits_without_case_and_diacritics(text: str, words: str) -> None:
    assert _vector(text) == words


def test_no_phrase_reaches_from_the_text_into_the_gist() -> None:
    assert _vector("one two", "three") == "'one':1 'two':2 'three':5"
    assert _phrase("Two, three") == "'two' <-> 'three'"


def test_a_passage_shows_most_of_the_words() -> None:
    text = "Anna waited. " + "Nothing happened here. " * 20 + "At dawn Anna saw the lamp of the ferry."
    found = index.snippet(None, ["anna", "lamp"], text, "")
    assert "\x02Anna\x03 saw the \x02lamp\x03" in found
    assert found.startswith("…")
    assert len(found.split()) < 30


def test_a_passage_of_the_gist_is_shown_if_the_page_has_fewer_of_the_words() -> None:
    assert index.snippet(None, ["ferry", "dawn"], "The boat and the ferry.", "A ferry at dawn.") == (
        "A \x02ferry\x03 at \x02dawn\x03."
    )
