"""Templates: names, optional parts, and mistakes reported with their line."""

from __future__ import annotations

import pytest

from readagent.core.template import Template
from readagent.errors import PromptError


def fill(source: str, **values: object) -> str:
    return Template.parse(source, "step.txt").fill(values)


def test_a_part_is_shown_where_its_value_is() -> None:
    source = "Shorten this[[if words]] to {words} words[[else]] a lot[[end]]."
    assert fill(source, words=20) == "Shorten this to 20 words."
    for nothing in ({}, {"words": None}, {"words": ""}, {"words": 0}, {"words": False}):
        assert fill(source, **nothing) == "Shorten this a lot."


def test_a_mark_alone_on_its_line_disappears_with_the_line() -> None:
    source = "One.\n  [[if two]]  \nTwo.\n\n[[else]]\nNo two.\n[[end]]\nThree.\n[[if four]]\n[[end]]"
    assert fill(source, two=True) == "One.\nTwo.\n\nThree."
    assert fill(source) == "One.\nNo two.\nThree."


def test_a_mark_inside_a_line_leaves_the_line_breaks() -> None:
    assert fill("One.[[if two]]\n\nTwo.[[end]] Three.", two=True) == "One.\n\nTwo. Three."


def test_parts_can_be_nested() -> None:
    source = "[[if a]]a[[if b]]b[[else]]c[[end]][[else]]d[[if b]]e[[end]][[end]]"
    assert [fill(source, a=a, b=b) for a in (True, False) for b in (True, False)] == ["ab", "ac", "de", "d"]


def test_newlines_at_the_end_are_removed_and_those_of_a_value_kept() -> None:
    assert fill("{text}\n\n[[if more]]\nMore.\n[[end]]", text="One.") == "One."
    assert fill("Say: {text}\n", text="One.\n") == "Say: One.\n"


def test_values_are_never_read_as_marks() -> None:
    assert fill("{text} {other}", text="{other} [[if x]] [[end]]", other="2") == "{other} [[if x]] [[end]] 2"


def test_brackets_around_anything_but_words_are_plain_text() -> None:
    assert fill('{"pages": [[2, 7]]} [2] [[]] {{x}}', x=1) == '{"pages": [[2, 7]]} [2] [[]] {1}'


def test_a_name_without_a_value_is_an_error() -> None:
    with pytest.raises(PromptError, match=r"step\.txt names \{text\}"):
        fill("{text}")


@pytest.mark.parametrize(
    ("source", "problem"),
    [
        ("One.\n[[if two]]\nTwo.", r"line 2: \[\[if two\]\] is never closed"),
        ("One.\n\n[[if two]]\n[[else]]\nTwo.", r"line 3: \[\[if two\]\] is never closed"),
        ("One.\n  [[end]]\n", r"line 2: \[\[end\]\] without"),
        ("One.\n[[else]]", r"line 2: \[\[else\]\] without"),
        ("[[if a]]\n[[else]]\n\n[[else]]\n[[end]]", r"line 4: a second \[\[else\]\]"),
        ("One.\n\nTwo [[fi two]] three.", r"line 3: unknown mark \[\[fi two\]\]"),
        ("[[if]]x[[end]]", r"line 1: unknown mark \[\[if\]\]"),
        ("[[if not x]]y[[end]]", r"line 1: unknown mark \[\[if not x\]\]"),
    ],
)
def test_a_wrong_mark_is_reported_with_its_line(source: str, problem: str) -> None:
    with pytest.raises(PromptError, match=r"^step\.txt, " + problem) as error:
        Template.parse(source, "step.txt")
    assert "[[end]]" in error.value.hint


def test_what_a_template_names() -> None:
    template = Template.parse("{a}\n[[if b]]\n{b} {c}\n[[else]]\n{c} {d}\n[[end]]\n[[if e]]\n{a}[[end]]", "step.txt")
    assert [(one.name, one.line) for one in template.names()] == [
        ("a", 1), ("b", 3), ("c", 3), ("c", 5), ("d", 5), ("a", 8),
    ]  # fmt: skip
    assert template.names()[1].inside == {"b"}
    assert template.names()[3].inside == frozenset()
    assert template.always() == {"a", "c"}
    assert template.optional() == {"b": 2, "e": 7}
