"""Rows are read in the form asked for: the right number of fields, and pages that were shown."""

from __future__ import annotations

import json

import pytest

from readagent.core.rows import Row, Rows

FORM = Rows(("name", "who"), tuple(range(20)))
TWO = (Row(("Anna", "a miller"), (3,)), Row(("Bruno", ""), (3, 4)))


@pytest.mark.parametrize(
    "reply",
    [
        "Anna | a miller | 3\nBruno | - | 3, 4",
        "- **Anna** | a miller | Page 3\n- Bruno | | [Pages 3-4]",
        "| name | who | pages |\n|---|---|---|\n| Anna | a miller | 3 |\n| Bruno | - | 3 and 4 |",
        "Here are the people:\n\n1. Anna | a miller | p. 3\n2. Bruno | ... | pp. 3, 4, 99\n\nI hope this helps!",
        "Anna | a miller | 3\nBruno | - | 3、4",
        "Anna | a miller | 3\nBruno | - | 3，4",
        "<think>Anna | maybe | 3</think>```\nAnna | a miller | 3\nBruno | - | 3, 4\n```",
        json.dumps({"rows": [{"name": "Anna", "who": "a miller", "pages": [3]},
                             {"name": "Bruno", "who": "", "pages": [3, 4]}]}),
    ],
)  # fmt: skip
def test_rows_are_read(reply: str) -> None:
    table = FORM.parse(reply)
    assert (table.rows, table.broken, table.empty) == (TWO, 0, False)


@pytest.mark.parametrize(
    "line",
    ["Anna | a miller", "Anna | a miller | 99", "Anna | a miller | none", "Anna | a | miller | 3", "- | ... | 3"],
)
def test_another_number_of_fields_or_no_page_is_no_row(line: str) -> None:
    table = FORM.parse(line)
    assert (table.rows, table.broken) == ((), 1)


@pytest.mark.parametrize("reply", ["NONE", "**NONE**", '{"rows": []}'])
def test_nothing_is_said_in_a_word(reply: str) -> None:
    assert FORM.parse(reply).empty


@pytest.mark.parametrize(
    "reply", ["", "I'm sorry, but I can't help with that.", "Es gibt hier niemanden.", "name | who | pages"]
)
def test_a_text_is_neither_rows_nor_nothing(reply: str) -> None:
    table = FORM.parse(reply)
    assert not table.rows
    assert not table.empty


def test_the_last_line_of_a_reply_that_was_cut_is_left_out() -> None:
    assert FORM.parse("Anna | a miller | 3\nBruno | - | 3", cut=True).rows == TWO[:1]
    assert (
        FORM.parse('{"rows": [{"name": "Anna", "who": "a miller", "pages": [3]}, {"name": "Br', cut=True).rows
        == TWO[:1]
    )
