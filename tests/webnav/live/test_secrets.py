"""Secrets are replaced by their names wherever they are shown, and filled in only when they are typed."""

from __future__ import annotations

import json
from base64 import b64encode, urlsafe_b64encode
from collections.abc import Callable
from html import escape
from urllib.parse import quote, quote_plus

import pytest
from hypothesis import given
from hypothesis import strategies as st

from readagent.errors import UsageError
from readagent.webnav.live.secrets import Secret, Secrets, secrets_from_env

WORDS = st.text(st.characters(codec="utf-8", exclude_categories=("Cs", "Cc")), min_size=4, max_size=20).filter(
    str.strip
)


@given(WORDS, st.sampled_from([str, escape, quote, quote_plus, lambda text: json.dumps(text)[1:-1]]))
def test_every_spelling_of_a_secret_is_redacted(value: str, spell: object) -> None:
    secrets = Secrets({"PW": value})
    assert callable(spell)
    assert secrets.redact(f"before {spell(value)} after") in ("before {PW} after", "before {PW}  after")
    assert secrets.fill("{PW}!") == f"{value}!"


@pytest.mark.parametrize("before", ["", "a", "ab", "abc"])
@pytest.mark.parametrize("encode", [b64encode, urlsafe_b64encode])
def test_a_secret_within_base64_cannot_be_decoded(before: str, encode: Callable[[bytes], bytes]) -> None:
    text = encode(f"{before}correct horse & battery??>, and more".encode()).decode()
    shown = Secrets({"PW": "correct horse & battery??>"}).redact(text)
    assert "{PW}" in shown
    assert len(shown) <= len(text) - 30


@pytest.mark.parametrize(
    "spell",
    [
        lambda text: quote(text).lower().replace("correct horse", ""),
        lambda text: quote(quote(text, safe=""), safe=""),
        lambda text: text.encode().hex(),
        lambda text: json.dumps(json.dumps(text)[1:-1])[1:-1],
    ],
)
def test_a_secret_encoded_twice_or_as_numbers_is_redacted(spell: Callable[[str], str]) -> None:
    value = 'key/"a" é'
    assert Secrets({"PW": value}).redact(f"x {spell(value)} y") == "x {PW} y"


def test_a_secret_belongs_to_a_host_and_a_kind_of_field() -> None:
    secrets = Secrets({"PW": "tulips", "USER": Secret("mira", "shop.example", "any")}, "home.example:8000")
    assert secrets.misplaced("{PW}", "home.example:8000", secret_field=True) == ""
    assert "is typed only into fields" in secrets.misplaced("{PW}", "home.example:8000", secret_field=False)
    assert "belongs to home.example:8000" in secrets.misplaced("{PW}", "home.example", secret_field=True)
    assert "a page without a host" in secrets.misplaced("{PW}", "", secret_field=True)
    assert secrets.misplaced("{USER} and {OTHER}", "shop.example", secret_field=False) == ""
    assert secrets.misplaced("{USER} {PW}", "shop.example", secret_field=True)


def test_unknown_names_are_not_filled_in() -> None:
    assert Secrets({"PW": "tulips"}).fill("{PW} {OTHER} {") == "tulips {OTHER} {"


def test_a_secret_that_contains_another_one_is_redacted_first() -> None:
    assert Secrets({"A": "tulip", "B": "tulip-77"}).redact("tulip-77 tulip") == "{B} {A}"


@pytest.mark.parametrize(
    ("pairs", "message"),
    [
        (["PW"], "is not of the form NAME=ENVVAR"),
        (["PW="], "is not of the form NAME=ENVVAR"),
        (["PW=NOWHERE"], "is not set or empty"),
    ],
)
def test_secrets_are_read_from_environment_variables(pairs: list[str], message: str) -> None:
    assert secrets_from_env(["PW=SHOP", "A@B.example:any=SHOP"], {"SHOP": "tulips"}) == {
        "PW": Secret("tulips"), "A": Secret("tulips", "b.example", "any"),
    }  # fmt: skip
    with pytest.raises(UsageError, match=message):
        secrets_from_env(pairs, {"SHOP": "tulips"})


@pytest.mark.parametrize("named", [{"P W": "tulips"}, {"": "tulips"}, {"PW": "abc"}])
def test_invalid_names_and_short_values_are_usage_errors(named: dict[str, str]) -> None:
    with pytest.raises(UsageError):
        Secrets(named)
