"""Languages are recognised by script and function words, and where they are named."""

from __future__ import annotations

import pytest

from core.gists.passages import BY_LANGUAGE, CODE, TABLE
from readagent.core.languages import is_in, language, languages_named

CODES = {"English": "en", "German": "de", "Russian": "ru", "Chinese": "zh", "Japanese": "ja", "Arabic": "ar"}


@pytest.mark.parametrize("name", BY_LANGUAGE)
def test_pages_and_gists_have_a_language(name: str) -> None:
    sample = BY_LANGUAGE[name]
    assert {language(text) for text in (sample.page, *sample.gists)} == {CODES[name]}


@pytest.mark.parametrize(
    ("code", "text"),
    [
        ("fr", "Le vieux marin raconte que la mer était calme et que les voiles ne bougeaient pas."),
        ("pt", "O velho marinheiro conta que o mar estava calmo e que as velas não se mexiam."),
        ("ko", "늙은 선원은 바다가 잔잔했다고 말한다."),
    ],
)
def test_more_languages(code: str, text: str) -> None:
    assert language(text) == code
    assert is_in(text, code)
    assert not is_in(text, "en")


def test_tables_and_numbers_have_none() -> None:
    assert language(TABLE.page) == language("17 18 19 20") == language("") == ""
    assert language(CODE.page) in ("", "en")


@pytest.mark.parametrize(
    ("wish", "named"),
    [
        ("Fasse auf Deutsch zusammen.", {"de"}),
        ("Write in French or in Spanish.", {"fr", "es"}),
        ("用中文总结", {"zh"}),
        ("Keep every date.", set()),
    ],
)
def test_languages_that_a_wish_names(wish: str, named: set[str]) -> None:
    assert languages_named(wish) == named
