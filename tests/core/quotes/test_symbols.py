"""Symbols that are no punctuation of prose: a quote that loses or gains one is not found."""

from __future__ import annotations

import pytest

from readagent.core.quotes.quotable import Quotable

LOST = [
    ("Set x != 5 for the papers of Reed.", "Set x = 5 for the papers of Reed"),
    ("Profit was (1,200) in the papers of Reed.", "Profit was 1,200 in the papers of Reed"),
    ("Set a * b for the papers of Reed.", "Set a b for the papers of Reed"),
    ("Run rm -rf /tmp for the papers of Reed.", "Run rm rf tmp for the papers of Reed"),
    ("The list is in /etc/passwd on the server.", "The list is in etc/passwd on the server"),
    ("The server ends with --stop or a signal.", "The server ends with stop or a signal"),
    ("Hashes of #harbour were sold in Leeds.", "harbour were sold in Leeds"),
]
SAME = [
    ("Run rm -rf /tmp for the papers of Reed.", "-rf /tmp for the papers of Reed"),
    ("He paid the family -and Ann too- in gold.", "He paid the family — and Ann too — in gold"),
    ("He read:\n* five letters of Ann\n* two of Ben", "five letters of Ann two of Ben"),
    ("Roses of the harbour are red\nviolets of the mill are blue", "harbour are red / violets of the mill"),
    ("The *very* old **family house** burned in Leeds.", "The very old family house burned in Leeds"),
    ("Ann (born in Leeds) sold the boat.", "Ann, born in Leeds, sold the boat"),
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
