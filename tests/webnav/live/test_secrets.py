"""Secrets are replaced by their names wherever they are shown, and filled in only when they are typed."""

from __future__ import annotations

import json
from html import escape
from urllib.parse import quote, quote_plus

import pytest
from hypothesis import given
from hypothesis import strategies as st

from readagent.errors import UsageError
from readagent.webnav.live.secrets import Secrets, secrets_from_env

WORDS = st.text(st.characters(codec="utf-8", exclude_categories=("Cs", "Cc")), min_size=4, max_size=20).filter(
    str.strip
)


@given(WORDS, st.sampled_from([str, escape, quote, quote_plus, lambda text: json.dumps(text)[1:-1]]))
def test_every_spelling_of_a_secret_is_redacted(value: str, spell: object) -> None:
    secrets = Secrets({"PW": value})
    assert callable(spell)
    assert secrets.redact(f"before {spell(value)} after") in ("before {PW} after", "before {PW}  after")
    assert secrets.fill("{PW}!") == f"{value}!"


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
    assert secrets_from_env(["PW=SHOP"], {"SHOP": "tulips"}) == {"PW": "tulips"}
    with pytest.raises(UsageError, match=message):
        secrets_from_env(pairs, {"SHOP": "tulips"})


@pytest.mark.parametrize("named", [{"P W": "tulips"}, {"": "tulips"}, {"PW": "abc"}])
def test_invalid_names_and_short_values_are_usage_errors(named: dict[str, str]) -> None:
    with pytest.raises(UsageError):
        Secrets(named)
