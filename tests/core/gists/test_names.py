"""Names that tell parts of a text apart."""

from __future__ import annotations

import pytest

from readagent.core.gists.names import names_in


@pytest.mark.parametrize("name", ["Jean-Luc", "O'Brien", "1984"])
def test_names_and_numbers_are_found(name: str) -> None:
    assert name in names_in(f"{name} came. Later {name} left.")


@pytest.mark.parametrize("word", ["I'm", "Mm-hmm"])
def test_what_people_say_is_no_name(word: str) -> None:
    assert word not in names_in(f"{word} came. Later {word} left.")
