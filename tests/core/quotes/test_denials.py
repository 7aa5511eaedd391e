"""Quotes cut from negations, denials, hearsay and questions, in the language of the text or another one."""

from __future__ import annotations

import pytest

from readagent.core.quotes.quotable import Quotable

CUT = [
    ("田中さんは昨日東京へ行かなかった。", "田中さんは昨日東京へ行か"),
    ("Rząd nie podpisał umowy z rodziną.", "podpisał umowy z rodziną"),
    ("Elle ne voulait pas payer la famille.", "payer la famille"),
    ("Es stimmt nicht, dass Anna das Haus verkauft hat.", "Anna das Haus verkauft hat"),
    ("Анна отрицала, что продала дом Карла.", "продала дом Карла"),
    ("It is a lie that Reed paid the family in Oslo.", "Reed paid the family in Oslo"),
    ("Everyone but Reed paid the family in Oslo.", "Reed paid the family in Oslo"),
    ("Reed paid the family in Oslo, or so he claimed.", "Reed paid the family in Oslo"),
    ("Did Reed pay the family in Oslo?", "Reed pay the family"),
]


@pytest.mark.parametrize(("text", "quote"), CUT)
def test_a_quote_cut_from_what_turns_it_is_not_found(text: str, quote: str) -> None:
    around = "The weather in Bergen was mild. {} The clerk closed the book."
    for whole in (text, around.format(text)):
        assert Quotable(whole).find(quote) is None
        assert Quotable(whole).find(text) is not None


@pytest.mark.parametrize(
    ("text", "quote"),
    [
        ("Not only Reed but the whole family left Oslo.", "the whole family left Oslo"),
        ("He refused, and Reed paid the family in Oslo.", "Reed paid the family in Oslo"),
        ("Did Reed pay the family in Oslo?", "Did Reed pay the family in Oslo"),
        ("Die Straße zum Fluss der Familie war lang.", "Die Strasse zum Fluss der Familie war lang"),
    ],
)
def test_a_quote_that_nothing_turns_is_found(text: str, quote: str) -> None:
    assert Quotable(text).find(quote) is not None
