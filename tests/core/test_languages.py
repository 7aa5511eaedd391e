"""Languages are recognised by script and function words, and where they are named."""

from __future__ import annotations

import pytest

from core.gists.passages import BY_LANGUAGE, CODE, TABLE
from readagent.core.languages import language, language_named

CODES = {"English": "en", "German": "de", "Chinese": "zh"}


@pytest.mark.parametrize("name", BY_LANGUAGE)
def test_pages_and_gists_have_a_language(name: str) -> None:
    sample = BY_LANGUAGE[name]
    assert {language(text) for text in (sample.page, *sample.gists)} == {CODES[name]}


@pytest.mark.parametrize(
    ("code", "text"),
    [
        ("fr", "Le vieux marin raconte que la mer était calme et que les voiles ne bougeaient pas."),
        ("pt", "O velho marinheiro conta que o mar estava calmo e que as velas não se mexiam."),
        ("ru", "Старый моряк рассказывает, что море было спокойно и что паруса не двигались."),
        ("ja", "老いた船乗りは、海が穏やかだったと語る。"),
        ("ar", "يحكي البحار العجوز أن البحر كان هادئا وأن الأشرعة لم تتحرك."),
        ("ko", "늙은 선원은 바다가 잔잔했다고 말한다."),
    ],
)
def test_more_languages(code: str, text: str) -> None:
    assert language(text) == code


def test_tables_and_numbers_have_none() -> None:
    assert language(TABLE.page) == language("17 18 19 20") == language("") == ""
    assert language(CODE.page) in ("", "en")


@pytest.mark.parametrize(
    ("given", "name"),
    [("fr", "French"), ("français", "French"), ("中文", "Chinese"), ("Latin", "Latin"), ("Old English", "Old English")],
)
def test_a_language_has_one_name(given: str, name: str) -> None:
    assert language_named(given) == name
