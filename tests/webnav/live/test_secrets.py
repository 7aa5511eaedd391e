"""Secrets are replaced by their names wherever they are shown, and filled in only when they are typed."""

from __future__ import annotations

import json
import unicodedata
from base64 import b64encode, urlsafe_b64encode
from collections.abc import Callable
from html import escape
from pathlib import Path
from urllib.parse import quote, quote_plus

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from readagent.errors import UsageError
from readagent.webnav.live.secrets import Secret, Secrets, secrets_from_env
from readagent.webnav.live.trace import TraceFolder

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


ZERO_WIDTH = "\u200b\u00ad\u2060\ufeff"
FORMS: dict[str, Callable[[str], str]] = {
    "percent": lambda text: "".join(f"%{byte:02x}" for byte in text.encode()),
    "PERCENT": lambda text: "".join(f"%{byte:02X}" for byte in text.encode()),
    "percent twice": lambda text: "".join(f"%25{byte:02x}" for byte in text.encode()),
    "entities": lambda text: "".join(f"&#{ord(char)};" for char in text),
    "hexadecimal entities": lambda text: "".join(f"&#x{ord(char):X};" for char in text),
    "entities in entities": lambda text: escape("".join(f"&#{ord(char)};" for char in text)),
    "\\u": lambda text: "".join(f"\\u{ord(char):04x}" for char in text),
    "\\u in JSON": lambda text: json.dumps("".join(f"\\u{ord(char):04x}" for char in text))[1:-1],
    "\\x": lambda text: "".join(f"\\x{ord(char):02X}" for char in text),
    "spaced hex": lambda text: text.encode().hex(" "),
    "hex with colons": lambda text: text.encode().hex(":").upper(),
    "0x": lambda text: ", ".join(f"0x{byte:02x}" for byte in text.encode()),
    "decimal": lambda text: ",".join(str(ord(char)) for char in text),
    "zero-width": lambda text: "".join(f"{char}{ZERO_WIDTH[n % 4]}" for n, char in enumerate(text[:-1])) + text[-1],
    "reversed": lambda text: text[::-1],
    "upper": str.upper,
    "lower": str.lower,
    "full-width": lambda text: "".join(chr(ord(char) + 0xFEE0) if "!" <= char <= "~" else char for char in text),
    "decomposed": lambda text: unicodedata.normalize("NFD", text),
    "spaced": lambda text: " ".join(text),
    "double base64": lambda text: b64encode(b64encode(text.encode())).decode(),
}
ASCII = st.text(st.characters(min_codepoint=0x21, max_codepoint=0x7E), min_size=4, max_size=20)


@settings(max_examples=30)
@given(ASCII)
def test_a_secret_is_recognised_in_other_forms(value: str) -> None:
    secrets = Secrets({"PW": value})
    for name, form in FORMS.items():
        shown = secrets.redact(f"before {form(value)} after")
        assert (name, shown) == (name, "before {PW} after")


@settings(max_examples=30)
@given(st.text(st.characters(categories=("L", "N"), max_codepoint=0xFFFF), min_size=6, max_size=12))
def test_a_secret_in_any_script_is_not_in_what_is_shown(value: str) -> None:
    secrets = Secrets({"PW": value})
    for name, form in FORMS.items():
        if name != "\\x" or value.isascii():
            assert form(value) not in secrets.redact(f"before {form(value)} after"), name


@settings(max_examples=30)
@given(st.text(), ASCII)
def test_text_around_a_secret_stays_as_it_is(around: str, value: str) -> None:
    secrets = Secrets({"PW": value})
    if secrets.redact(around) == around:
        shown = secrets.redact(f"{around} {quote(value, safe='')} {around}")
        assert shown == f"{around} {{PW}} {around}"


def test_the_lines_of_a_trace_stay_json_whatever_the_secret_is(tmp_path: Path) -> None:
    trace = TraceFolder(tmp_path / "t", Secrets({"PW": "n123"}))
    trace.start(url="a\n123", note="n123 and \\u006e123")
    line = json.loads((tmp_path / "t" / "trace.jsonl").read_text("utf-8"))
    assert line["url"] == "a\n123"
    assert line["note"] == "{PW} and {PW}"


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
