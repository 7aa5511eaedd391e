"""Secrets stand as their names wherever they are shown, and as themselves only at the keyboard."""

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
def test_no_spelling_of_a_secret_is_left(value: str, spelt: object) -> None:
    secrets = Secrets({"PW": value})
    assert callable(spelt)
    assert secrets.redact(f"before {spelt(value)} after") in ("before {PW} after", "before {PW}  after")
    assert secrets.fill("{PW}!") == f"{value}!"


def test_names_that_are_not_known_are_left_alone() -> None:
    assert Secrets({"PW": "tulips"}).fill("{PW} {OTHER} {") == "tulips {OTHER} {"


def test_a_longer_secret_is_hidden_before_one_that_is_part_of_it() -> None:
    assert Secrets({"A": "tulip", "B": "tulip-77"}).redact("tulip-77 tulip") == "{B} {A}"


@pytest.mark.parametrize(
    ("pairs", "said"),
    [
        (["PW"], "does not name a secret"),
        (["PW="], "does not name a secret"),
        (["PW=NOWHERE"], "nothing in the environment"),
    ],
)
def test_secrets_are_named_by_environment_variables(pairs: list[str], said: str) -> None:
    assert secrets_from_env(["PW=SHOP"], {"SHOP": "tulips"}) == {"PW": "tulips"}
    with pytest.raises(UsageError, match=said):
        secrets_from_env(pairs, {"SHOP": "tulips"})


@pytest.mark.parametrize("named", [{"P W": "tulips"}, {"": "tulips"}, {"PW": "abc"}])
def test_names_that_cannot_be_written_and_values_that_cannot_be_hidden_are_refused(named: dict[str, str]) -> None:
    with pytest.raises(UsageError):
        Secrets(named)
