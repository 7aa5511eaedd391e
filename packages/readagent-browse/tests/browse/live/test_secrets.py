"""Secrets are replaced by their names wherever they are shown, and filled in only when they are typed."""

from __future__ import annotations

import json
import re
import unicodedata
from base64 import b32encode, b64encode, urlsafe_b64encode
from collections.abc import Callable
from html import escape
from pathlib import Path
from urllib.parse import quote, quote_plus

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from readagent.errors import UsageError
from readagent_browse.live.secrets import FIELD_ATTRIBUTE, Secret, Secrets, secrets_from_env
from readagent_browse.live.trace import TraceFolder

WORDS = st.text(st.characters(codec="utf-8", exclude_categories=("Cs", "Cc")), min_size=4, max_size=20).filter(
    str.strip
)


@given(WORDS, st.sampled_from([str, escape, quote, quote_plus, lambda text: json.dumps(text)[1:-1]]))
def test_every_spelling_of_a_secret_is_redacted(value: str, spell: object) -> None:
    secrets = Secrets({"PW": value})
    assert callable(spell)
    assert secrets.redact(f"before {spell(value)} after") in ("before {PW} after", "before {PW}  after")
    assert secrets.fill("{PW}!") == f"{value}!"


@pytest.mark.parametrize("before", ["", "abc"])
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
IN_PIECES = {"spaced", "stars", "emoji", "quotes", "combining marks", "keycaps", "spaced and reversed"}
ASCII = st.text(st.characters(min_codepoint=0x21, max_codepoint=0x7E), min_size=4, max_size=20)


@settings(max_examples=30)
@given(ASCII)
def test_a_secret_is_recognised_in_other_forms(value: str) -> None:
    secrets = Secrets({"PW": value})
    for name, form in FORMS.items():
        if name not in IN_PIECES or len(value) >= 6:
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


MARKED_FORMS: dict[str, Callable[[str], str]] = {
    "CSS": lambda text: "".join(f"\\{ord(char):x} " for char in text[:-1]) + f"\\{ord(text[-1]):06x}",
    "octal": lambda text: "".join(f"\\{ord(char):o}" for char in text),
    "stars": "*".join,
    "emoji": "\U0001f642".join,
    "quotes": "','".join,
    "combining marks": lambda text: "\u0332".join(text),
    "keycaps": lambda text: "\u20e3".join(text),
    "spaced and reversed": lambda text: " ".join(text[::-1]),
    "decimal without separators": lambda text: "".join(f"{ord(char):03}" for char in text),
    "octal numbers": lambda text: " ".join(f"{ord(char):o}" for char in text),
    "binary": lambda text: " ".join(f"{ord(char):08b}" for char in text),
    "quoted-printable": lambda text: "".join(f"={ord(char):02X}" for char in text),
}
ENCODED_FORMS: dict[str, Callable[[str], str]] = {
    "base64 in lines": lambda text: re.sub("(....)", r"\1 ", b64encode(text.encode()).decode()),
    "base64 of hex": lambda text: b64encode(text.encode().hex().encode()).decode(),
    "hex of base64": lambda text: b64encode(text.encode()).hex(),
    "base64 of UTF-16": lambda text: b64encode(text.encode("utf-16-le")).decode(),
    "base64 reversed": lambda text: b64encode(text.encode()).decode().rstrip("=")[::-1],
    "base32": lambda text: b32encode(text.encode()).decode(),
    "small base32 in a text": lambda text: b32encode(f"pw={text}".encode()).decode().lower(),
}
LETTERS = st.text(st.characters(min_codepoint=0x30, max_codepoint=0x7A, categories=("L", "N")), min_size=4, max_size=20)


@settings(max_examples=30)
@given(LETTERS)
def test_a_secret_is_recognised_with_marks_between_the_letters_and_in_escapes(value: str) -> None:
    secrets = Secrets({"PW": value})
    for name, form in MARKED_FORMS.items():
        if name not in IN_PIECES or len(value) >= 6:
            assert (name, secrets.redact(f"before {form(value)}; after")) == (name, "before {PW}; after")


@settings(max_examples=30)
@given(ASCII)
def test_a_secret_is_recognised_in_other_encodings(value: str) -> None:
    secrets = Secrets({"PW": value})
    for name, form in ENCODED_FORMS.items():
        encoded = form(value)
        shown = secrets.redact(f"before {encoded} after")
        assert "{PW}" in shown, name
        assert len(shown) < len("before  after{PW}") + len(encoded) / 2 + 4, name


@pytest.mark.parametrize(
    ("html", "shown"),
    [("<p><b>Z</b><b>e</b><b>b</b><b>r</b><b>a</b><b>4</b><b>2</b></p>", "<p><b>{PW}" + "</b><b>" * 6 + "</b></p>"), ("<i>Z&#101;</i><span>bra<br>42</span>", "<i>{PW}</i><span><br></span>"), ("<p>Zebra</p><p>and 42</p>", "<p>Zebra</p><p>and 42</p>")],
)  # fmt: skip
def test_a_secret_in_several_elements_is_redacted_and_the_tags_stay(html: str, shown: str) -> None:
    assert Secrets({"PW": "Zebra42"}).redact_html(html) == shown


@pytest.mark.parametrize(
    ("secret", "html", "shown"),
    [
        (
            "482913",
            f'<input {FIELD_ATTRIBUTE}="4"><input value="8"><b>Next</b><input title="x" value="2"><input value="913"><input value="7">',
            '<input><input value="{PW}"><b>Next</b><input title="x" value="{PW}"><input value="{PW}"><input value="7">',
        ),
        (
            "1234",
            f'<input {FIELD_ATTRIBUTE}="1"><input value="2"><input value="3"><input value="4"><input value="5">',
            '<input><input value="{PW}"><input value="{PW}"><input value="{PW}"><input value="5">',
        ),
    ],
)
def test_a_secret_in_several_fields_is_redacted_and_other_fields_stay(secret: str, html: str, shown: str) -> None:
    assert Secrets({"PW": secret}).redact_html(html) == shown


def test_the_content_of_fields_for_secrets_is_not_in_html_whatever_it_is() -> None:
    assert Secrets().redact_html(f'<input {FIELD_ATTRIBUTE}="tulips" id="7">') == '<input id="7">'


def test_a_secret_in_the_values_of_a_query_is_redacted() -> None:
    secrets = Secrets({"PW": "482913", "PIN": "1234"})
    shown = "https://a.test/x?a={PW}&b={PW}&c={PW}&amount=9999"
    assert secrets.redact("https://a.test/x?a=4&b=82&c=913&amount=9999") == shown
    assert secrets.redact("?a=1&b=2&c=34") == "?a={PIN}&b={PIN}&c={PIN}"
    assert secrets.redact("?a=1&b=2&c=345") == "?a=1&b=2&c=345"


@pytest.mark.parametrize(
    "html",
    ["<p>Rated 1 2 3 4 5 stars</p><p>1, 2, 3, 4</p>", '<input value="12"><input value="345">'],
)
def test_a_short_secret_hides_no_buttons_and_words_that_follow_each_other(html: str) -> None:
    secrets = Secrets({"PIN": "1234"})
    assert secrets.redact_html(html) == html
    assert secrets.redact_html(f"{html}<p>PIN 1234</p>") == f"{html}<p>PIN {{PIN}}</p>"


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
