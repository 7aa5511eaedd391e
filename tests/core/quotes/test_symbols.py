"""Symbols that are no punctuation of prose: a quote that loses or gains one is not found."""

from __future__ import annotations

import pytest

from readagent.core.quotes.quotable import Quotable

LOST = [
    ("Set x != 5 for the papers of Reed.", "Set x = 5 for the papers of Reed"),
    ("Set x !== 5 for the papers of Reed.", "Set x == 5 for the papers of Reed"),
    ("Set x === 5 for the papers of Reed.", "Set x = 5 for the papers of Reed"),
    ("Set x ~= 5 for the papers of Reed.", "Set x = 5 for the papers of Reed"),
    ("Set x := 5 for the papers of Reed.", "Set x = 5 for the papers of Reed"),
    ("Set x <= 5 for the papers of Reed.", "Set x = 5 for the papers of Reed"),
    ("The family has 5! reasons to leave.", "The family has 5 reasons to leave"),
    ("Profit was (1,200) in the papers of Reed.", "Profit was 1,200 in the papers of Reed"),
    ("Profit was (1,200) in the papers of Reed.", "1,200 in the papers of Reed"),
    ("Set a * b for the papers of Reed.", "Set a b for the papers of Reed"),
    ("Set *p = 5 for the papers of Reed.", "Set p = 5 for the papers of Reed"),
    ("Set !enabled for the papers of Reed.", "enabled for the papers of Reed"),
    ("Run rm -rf /tmp for the papers of Reed.", "Run rm rf tmp for the papers of Reed"),
    ("Run rm -rf /tmp for the papers of Reed.", "rf /tmp for the papers of Reed"),
    ("The list is in /etc/passwd on the server.", "The list is in etc/passwd on the server"),
    ("The list is in /etc/passwd on the server.", "etc/passwd on the server"),
    ("The server ends with --stop or a signal.", "The server ends with stop or a signal"),
    ("The server ends with --stop or a signal.", "stop or a signal"),
    ('The server ends like "-c" after a signal.', 'The server ends like "c" after a signal'),
    ("Hashes of #harbour were sold in Leeds.", "harbour were sold in Leeds"),
]
SAME = [
    ("Set x != 5 for the papers of Reed.", "x != 5 for the papers"),
    ("Run rm -rf /tmp for the papers of Reed.", "-rf /tmp for the papers of Reed"),
    ("The server ends with --stop or a signal.", "--stop or a signal"),
    ("The list is in /etc/passwd on the server.", "/etc/passwd on the server"),
    ("He paid the family -and Ann too- in gold.", "He paid the family — and Ann too — in gold"),
    ("He paid the family--all in gold coins.", "He paid the family — all in gold coins"),
    ("“I paid the family in gold”--so said Reed.", "“I paid the family in gold” — so said Reed"),
    ("-Hola, dijo Ana, vamos a la casa.", "Hola, dijo Ana, vamos a la casa"),
    ("He read:\n* five letters of Ann\n* two of Ben", "five letters of Ann two of Ben"),
    ("He read:\n* five letters of Ann\n* two of Ben", "* five letters of Ann * two of Ben"),
    ("Roses of the harbour are red\nviolets of the mill are blue", "harbour are red / violets of the mill"),
    ("The *very* old **family house** burned in Leeds.", "The very old family house burned in Leeds"),
    ("Ann (born in Leeds) sold the boat.", "Ann, born in Leeds, sold the boat"),
    ("Ann sold the boat (1921) to the harbour.", "Ann sold the boat 1921 to the harbour"),
    ("The harbour of Leeds\n====================\nIt is old and small.", "The harbour of Leeds"),
]


@pytest.mark.parametrize(("text", "quote"), LOST)
def test_a_quote_with_other_symbols_is_not_found(text: str, quote: str) -> None:
    assert Quotable(f"It rained. {text} It rained.").find(quote) is None
    assert Quotable(f"It rained. {text} It rained.").find(text) is not None


@pytest.mark.parametrize(("text", "quote"), SAME)
def test_dashes_emphasis_bullets_and_brackets_may_differ(text: str, quote: str) -> None:
    assert Quotable(text).find(quote) is not None


def test_a_symbol_that_the_text_does_not_have() -> None:
    text = Quotable("Set x = 5 and a b for the papers of Reed.")
    assert text.find("Set x != 5 and a b for the papers") is None
    assert text.find("Set x = 5 and a * b for the papers") is None
    assert text.find("Set x = 5 and a -b for the papers") is None
