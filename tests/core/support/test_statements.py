"""An answer is split into what it states: sentences and list items, in any script."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from readagent.core.support.statements import statements


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("Dr. Smith paid $3.5 million. He left.", ["Dr. Smith paid $3.5 million.", "He left."]),
        ("Yes. Irma took it.", ["Yes. Irma took it."]),
        ("Irma left (page 3). So did Jakob [pages 4-5].", ["Irma left.", "So did Jakob."]),
        ("The reasons are:\n- money\n- fear of **Jakob**", ["money", "fear of Jakob"]),
        ("| who | what |\n|---|---|\n| Irma | left |", ["who , what", "Irma , left"]),
        ("他走了。她留下了！", ["他走了。", "她留下了！"]),
        ("Die Brücke wurde am 12. Mai 1952 eröffnet.", ["Die Brücke wurde am 12. Mai 1952 eröffnet."]),
        ('He said: "I came. I saw. I won." Then he left.', ['He said: "I came. I saw. I won."', "Then he left."]),
        ("...", []),
    ],
)
def test_answers_are_split(answer: str, expected: list[str]) -> None:
    assert statements(answer) == expected


@given(st.text(max_size=200))
def test_any_text_can_be_split_and_every_statement_says_something(answer: str) -> None:
    assert all(any(map(str.isalnum, one)) for one in statements(answer))
