"""Quotes cut from negations, denials, hearsay and questions, in the language of the text or another one."""

from __future__ import annotations

import pytest

from readagent.core.quotes.quotable import Quotable

CUT = [
    ("Nessun soldato entrò nella casa di Anna.", "soldato entrò nella casa di Anna"),
    ("Anna mai vendette la casa di Carlo.", "vendette la casa di Carlo"),
    ("Niente spinse Anna a vendere la casa.", "spinse Anna a vendere la casa"),
    ("彼女は会議に出席しませんでした。", "彼女は会議に出席しま"),
    ("田中さんは昨日東京へ行かなかった。", "田中さんは昨日東京へ行か"),
    ("这个男人差点杀死当时的凶手。", "杀死当时的凶手"),
    ("Enginn maður skal sæta pyndingum í landinu.", "maður skal sæta pyndingum í landinu"),
    ("Walang sino mang pahihirapan sa bayan.", "sino mang pahihirapan sa bayan"),
    ("उसने परिवार को पैसे नहीं दिए थे।", "उसने परिवार को पैसे"),
    ("Rząd nie podpisał umowy z rodziną.", "podpisał umowy z rodziną"),
    ("A család nem fizetett pénzt tegnap.", "fizetett pénzt tegnap"),
    ("Hükümet aileyle anlaşmayı imzalamadı.", "Hükümet aileyle anlaşmayı"),
    ("Elle ne voulait pas payer la famille.", "payer la famille"),
    ("Es stimmt nicht, dass Anna das Haus verkauft hat.", "Anna das Haus verkauft hat"),
    ("Anna bestritt, das Haus von Karl verkauft zu haben.", "das Haus von Karl verkauft zu haben"),
    ("Anna weigerte sich, das Haus von Karl zu verkaufen.", "das Haus von Karl zu verkaufen"),
    ("Anna leugnete, dass Karl das Haus verkauft hat.", "Karl das Haus verkauft hat"),
    ("Анна отрицала, что продала дом Карла.", "продала дом Карла"),
    ("Неправда, что Анна продала дом.", "Анна продала дом"),
    ("Es falso que Ana vendiera la casa de Carlos.", "Ana vendiera la casa de Carlos"),
    ("Ana negó que Carlos vendiera la casa grande.", "Carlos vendiera la casa grande"),
    ("It is a lie that Reed paid the family in Oslo.", "Reed paid the family in Oslo"),
    ("Allegedly, Reed paid the family in Oslo.", "Reed paid the family in Oslo"),
    ("Everyone but Reed paid the family in Oslo.", "Reed paid the family in Oslo"),
    ("Rumour had it that Reed paid the family in Oslo.", "Reed paid the family in Oslo"),
    ("He dreamed that Reed paid the family in Oslo.", "Reed paid the family in Oslo"),
    ("Reed forgot to pay the family in Oslo.", "pay the family in Oslo"),
    ("He stopped paying the family in Oslo.", "paying the family in Oslo"),
    ("Reed paid the family in Oslo, or so he claimed.", "Reed paid the family in Oslo"),
    ("Did Reed pay the family in Oslo?", "Reed pay the family"),
    ("Could it be that Reed paid the family in Oslo?", "Reed paid the family in Oslo"),
    ("Reed paid the family in Oslo? Certainly not.", "Reed paid the family in Oslo"),
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
        ("Nicht nur Karl, auch die Familie verließ Ulm.", "auch die Familie verließ Ulm"),
        ("He refused, and Reed paid the family in Oslo.", "Reed paid the family in Oslo"),
        ("He stopped at the inn and paid the family.", "paid the family"),
        ("Since Reed paid the family, did he leave Oslo?", "Reed paid the family"),
        ("Did Reed pay the family in Oslo?", "Did Reed pay the family in Oslo"),
        ("He asked Reed, who paid the family: “Why?”", "who paid the family"),
        ("Water falls on the mill of the old family.", "on the mill of the old family"),
        ("He lived in sin and sold the boat to Ben.", "sold the boat to Ben"),
        ("Die Straße zum Fluss der Familie war lang.", "Die Strasse zum Fluss der Familie war lang"),
        ("Die Strasse zum Fluss der Familie war lang.", "Die Straße zum Fluss der Familie war lang"),
        ("L’œuvre de la famille fut détruite hier.", "L'oeuvre de la famille fut détruite hier"),
    ],
)
def test_a_quote_that_nothing_turns_is_found(text: str, quote: str) -> None:
    assert Quotable(text).find(quote) is not None
