"""How texts are split into words for PostgreSQL, and the passages that are shown."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import pytest

from readagent.library.tsvector import TsVector, _phrase, _vector

index = TsVector(cast("Any", SimpleNamespace()))


@pytest.mark.parametrize(
    ("text", "words"),
    [("Her CAFÉ", "'her':1 'cafe':2"), ("Ελλάδα ПРИВЕТ", "'ελλαδα':1 'привет':2"), ("", "")],
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
