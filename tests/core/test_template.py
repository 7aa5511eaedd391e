"""Templates: names, optional parts, and mistakes reported with their line."""

from __future__ import annotations

import pytest

from readagent.core.prompts import Template
from readagent.errors import PromptError


def fill(source: str, **values: object) -> str:
    return Template.parse(source, "step.txt").fill(values)


def test_a_part_is_shown_where_its_value_is() -> None:
    source = "Shorten this[[if words]] to {words} words[[else]] a lot[[end]]."
    assert fill(source, words=20) == "Shorten this to 20 words."
    for nothing in ({}, {"words": None}, {"words": ""}, {"words": 0}, {"words": False}):
        assert fill(source, **nothing) == "Shorten this a lot."


def test_parts_can_be_nested() -> None:
    source = "[[if a]]a[[if b]]b[[else]]c[[end]][[else]]d[[if b]]e[[end]][[end]]"
    assert [fill(source, a=a, b=b) for a in (True, False) for b in (True, False)] == ["ab", "ac", "de", "d"]


def test_values_are_never_read_as_marks() -> None:
    assert fill("{text} {other}", text="{other} [[if x]] [[end]]", other="2") == "{other} [[if x]] [[end]] 2"


def test_a_name_without_a_value_is_an_error() -> None:
    with pytest.raises(PromptError, match=r"step\.txt names \{text\}"):
        fill("{text}")


@pytest.mark.parametrize(
    ("source", "problem"),
    [
        ("One.\n[[if two]]\nTwo.", r"line 2: \[\[if two\]\] is never closed"),
        ("One.\n  [[end]]\n", r"line 2: \[\[end\]\] without"),
        ("One.\n\nTwo [[fi two]] three.", r"line 3: unknown mark \[\[fi two\]\]"),
    ],
)
def test_a_wrong_mark_is_reported_with_its_line(source: str, problem: str) -> None:
    with pytest.raises(PromptError, match=r"^step\.txt, " + problem) as error:
        Template.parse(source, "step.txt")
    assert "[[end]]" in error.value.hint
