"""Secrets are replaced by their names wherever they are shown, and filled in only when they are typed."""

from __future__ import annotations

import json
from base64 import b64encode, urlsafe_b64encode
from collections.abc import Callable
from html import escape
from pathlib import Path
from urllib.parse import quote, quote_plus

import pytest
from hypothesis import given
from hypothesis import strategies as st

from readagent.errors import UsageError
from readagent_browse.live.origin import Origin
from readagent_browse.live.secrets import Secret, Secrets, secrets_from_env
from readagent_browse.live.trace import TraceFolder

WORDS = st.text(st.characters(codec="utf-8", exclude_categories=("Cs", "Cc")), min_size=4, max_size=20).filter(
    lambda text: text and text == " ".join(text.split())
)
FORMS: dict[str, Callable[[str], str]] = {
    "as it is": str,
    "HTML": escape,
    "address": quote,
    "form": quote_plus,
    "JSON": lambda text: json.dumps(text)[1:-1],
    "percent": lambda text: "".join(f"%{byte:02x}" for byte in text.encode()),
    "PERCENT": lambda text: "".join(f"%{byte:02X}" for byte in text.encode()),
    "entities": lambda text: "".join(f"&#{ord(char)};" for char in text),
    "hexadecimal entities": lambda text: "".join(f"&#x{ord(char):X};" for char in text),
}


@given(WORDS)
def test_every_spelling_of_a_secret_is_redacted(value: str) -> None:
    secrets = Secrets({"PW": value})
    for name, spell in FORMS.items():
        shown = secrets.redact(f"before {spell(value)} after")
        assert " ".join(shown.split()) == "before {PW} after", name
    assert secrets.fill("{PW}!") == f"{value}!"


@pytest.mark.parametrize("before", ["", "abc"])
@pytest.mark.parametrize("encode", [b64encode, urlsafe_b64encode])
def test_a_secret_within_base64_cannot_be_decoded(before: str, encode: Callable[[bytes], bytes]) -> None:
    text = encode(f"{before}correct horse & battery??>, and more".encode()).decode()
    shown = Secrets({"PW": "correct horse & battery??>"}).redact(text)
    assert "{PW}" in shown
    assert len(shown) <= len(text) - 30


def test_the_lines_of_a_trace_stay_json_whatever_the_secret_is(tmp_path: Path) -> None:
    trace = TraceFolder(tmp_path / "t", Secrets({"PW": "n123"}))
    trace.start(url="a\n123", note="n123 and \\u006e123")
    line = json.loads((tmp_path / "t" / "trace.jsonl").read_text("utf-8"))
    assert line["url"] == "a\n123"
    assert line["note"] == "{PW} and {PW}"


def test_a_secret_belongs_to_an_origin_and_a_kind_of_field() -> None:
    given = {"PW": "tulips", "USER": Secret("mira", "shop.example", "any")}
    secrets = Secrets(given, Origin.parse("home.example:8000"))
    assert secrets.misplaced("{PW}", "https://home.example:8000", secret_field=True) == ""
    assert "is typed only into fields" in secrets.misplaced("{PW}", "https://home.example:8000", secret_field=False)
    for other in ("https://home.example", "http://home.example:8000"):
        said = f"{{PW}} belongs to https://home.example:8000 and is not typed on {other}"
        assert secrets.misplaced("{PW}", other, secret_field=True) == said
    assert "a page without a host" in secrets.misplaced("{PW}", "null", secret_field=True)
    assert secrets.misplaced("{USER} and {OTHER}", "https://shop.example", secret_field=False) == ""
    assert secrets.misplaced("{USER}", "http://shop.example", secret_field=False)
    assert secrets.misplaced("{USER} {PW}", "https://shop.example", secret_field=True)


def test_a_secret_for_a_page_that_the_user_named_with_http_may_be_typed_on_its_encrypted_one() -> None:
    secrets = Secrets({"PW": "tulips"}, Origin.parse("http://home.example"))
    for origin in ("http://home.example", "https://home.example"):
        assert secrets.misplaced("{PW}", origin, secret_field=True) == ""


def test_a_secret_that_contains_another_one_is_redacted_first() -> None:
    assert Secrets({"A": "tulip", "B": "tulip-77"}).redact("tulip-77 tulip") == "{B} {A}"


def test_secrets_are_read_from_environment_variables() -> None:
    assert secrets_from_env(["PW=SHOP", "A@B.example:any=SHOP"], {"SHOP": "tulips"}) == {
        "PW": Secret("tulips"), "A": Secret("tulips", "b.example", "any"),
    }  # fmt: skip
    with pytest.raises(UsageError, match="is not of the form NAME=ENVVAR"):
        secrets_from_env(["PW"], {"SHOP": "tulips"})


def test_invalid_names_and_short_values_are_usage_errors() -> None:
    with pytest.raises(UsageError):
        Secrets({"P W": "tulips"})
