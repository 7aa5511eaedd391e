"""Web pages: their encoding, their main text in many layouts, and their metadata."""

from __future__ import annotations

import pytest

from readagent.core.document import Document
from readagent.errors import LoadError
from readagent.loaders.formats import Options
from readagent.loaders.html.page import parse

PROSE = [
    "The weighbridge at Brenza was smaller than she remembered, and the curtains upstairs were somebody else's by now.",
    "She had come to certify it or to condemn it, and neither side would talk about the price until she had done so.",
    "Forty-one tonnes of salt had been weighed in that autumn which could not be weighed out again in the spring.",
    "There is no shortage without a hand in it, she told the trainees every year, with her own hands flat on the bench.",
]
MAIN = "".join(f"<p>{one}</p>\n" for one in PROSE)
NAV = "".join(f"<li><a href='/{name}'>{name}</a></li>" for name in "Home World Sport Culture Contact".split())
RELATED = "<ul><li><a href=/1>Ten salt pans to see</a><li><a href=/2>Why scales lie</a><li><a href=/3>Letters</a></ul>"
SHARE = "<ul><li><a href=/x>Share</a><li><a href=/y>Send</a><li><a href=/z>Print</a></ul>"
RIGHTS = "© 2024 Daily Planet Ltd. All rights reserved."
COOKIES = "<p>We use cookies to measure our audience and to show you advertisements that may be of interest to you.</p>"


def page(html: str | bytes, *, whole: bool = False) -> Document:
    return parse(html.encode() if isinstance(html, str) else html, "page.html", Options(whole=whole))


def paragraphs(document: Document) -> list[str]:
    return [document.text[one.start : one.end].strip() for one in document.paragraphs]


LAYOUTS = {"main": f"<header><nav><ul>{NAV}</ul></nav></header><main><h1>Salt</h1>{MAIN}</main><footer>{RIGHTS}</footer>", "in article": f"<article><header><h1>Salt</h1></header><div>{SHARE}</div>{MAIN}<footer>Tags</footer></article>", "no classes": f"<div><ul>{NAV}</ul></div><div><div><h1>Salt</h1>{MAIN}</div><div><h3>Most read</h3>{RELATED}</div></div>", "form around all": f"<form><div><ul>{NAV}</ul></div><div><h1>Salt</h1>{MAIN}</div><div>{RELATED}</div></form>", "export": f"<header id=title-block-header><h1 class=title>Salt</h1></header><nav id=TOC><ul>{NAV}</ul></nav>{MAIN}", "banner of cookies": f"<div role=dialog aria-label=Cookies>{COOKIES}</div><h1>Salt</h1>{MAIN}"}  # fmt: skip


@pytest.mark.parametrize("layout", LAYOUTS)
def test_only_the_main_text_is_kept(layout: str) -> None:
    html = f"<!DOCTYPE html><html><head><title>Salt</title></head><body>{LAYOUTS[layout]}</body></html>"
    assert paragraphs(page(html)) == ["Salt", *PROSE]


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("<p>One.</p><p>Two.</p>", ["One.", "Two."]),
        (f"<ul>{NAV}</ul>", ["- Home", "- World", "- Sport", "- Culture", "- Contact"]),
        ("<table><tr><td>1959<td>41<tr><td>1960<td>0</table>", ["1959 | 41\n1960 | 0"]),
        (f"<ul>{NAV}</ul><div>{''.join(f'<article><p>{one}</p></article>' for one in PROSE)}</div>", PROSE),  # a thread
    ],
)
def test_pages_without_one_part_of_many_paragraphs(html: str, expected: list[str]) -> None:
    assert paragraphs(page(html)) == expected


REFERENCES = "".join(f"<li>Valk, I.: <a href=/{year}>On salt</a>, Brenza {year}" for year in (1959, 1960, 1961))


@pytest.mark.parametrize(
    ("inside", "expected"),
    [(f"<h2>Sources</h2><ul>{REFERENCES}</ul>", ["Sources", *(f"- Valk, I.: On salt, Brenza {year}" for year in (1959, 1960, 1961))]), (f"<p class=paywall>{PROSE[0]}</p>", [PROSE[0]]), (f"<div class=sidebar><h3>Tools</h3><p>{PROSE[0]}</p></div>", ["Tools", PROSE[0]]), (f"<div><p>{PROSE[0]}</p></div>", [PROSE[0]])],
)  # fmt: skip
def test_what_is_kept_inside_a_declared_main_part(inside: str, expected: list[str]) -> None:
    html = f"<ul>{NAV}</ul><main><h1>Salt</h1><div>{MAIN}</div>{inside}</main>"
    assert paragraphs(page(html))[5:] == expected


def test_a_page_of_links_keeps_them_all() -> None:
    links = "".join(f"<li><a href=/{n}>Everything about the salt pan number {n}</a>" for n in range(30))
    text = page(f"<main><h1>Index</h1><p>{PROSE[0]}</p><ul>{links}</ul></main>").text
    assert all(f"number {n}\n" in text for n in range(30))


def test_text_that_a_script_would_show_is_kept_if_it_is_most_of_the_page() -> None:
    hiding = "style='display: none'"
    teaser = f"<p>{PROSE[0]}</p><p>Please sign up to continue.</p>"
    assert paragraphs(page(f"<main>{teaser}<div {hiding}>{MAIN}</div></main>"))[2:] == PROSE
    assert paragraphs(page(f"<main>{MAIN}<div {hiding}>{teaser}</div></main>")) == PROSE


def test_the_whole_page_includes_hidden_text() -> None:
    hiding = "div hidden"
    html = f"<main>{MAIN}<{hiding}><script>no()</script>They lie.</{hiding.split()[0]}><i aria-hidden=true>x</i></main>"
    assert paragraphs(page(html, whole=True)) == [*PROSE, "They lie."]
    assert paragraphs(page(html)) == PROSE
    assert page(html).metadata["left_out"] == "2"


def test_declarative_shadow_roots_are_read() -> None:
    inner = f"<TEMPLATE shadowrootmode=open><template><p>Not this.</p></template>{MAIN}</TEMPLATE>"
    html = f"<ul>{NAV}</ul><div><my-story>{inner}</my-story></div><template><p>Nor this.</p></template>"
    assert paragraphs(page(html)) == PROSE


@pytest.mark.parametrize(
    ("html", "words"),
    [(f"<ul>{NAV}</ul><main><h1>Salt</h1>{MAIN}</main>", 5), (f"<h1>Salt</h1>{MAIN}", 0)],
)
def test_the_number_of_words_left_out_is_in_the_metadata(html: str, words: int) -> None:
    assert page(html).metadata.get("left_out", "0") == str(words)
    assert "left_out" not in page(html, whole=True).metadata


# Encodings


RUSSIAN = "Анна перешла реку ночью, и никто её не видел."


@pytest.mark.parametrize(
    ("encoding", "head"),
    [
        ("utf-8", ""),
        ("utf-16", ""),
        ("iso-8859-5", "<?xml version='1.0' encoding='ISO-8859-5'?>"),
        ("cp1251", "<meta charset='utf-8'>"),
    ],
)
def test_any_encoding(encoding: str, head: str) -> None:
    assert RUSSIAN in page(f"{head}<p>{RUSSIAN}</p><p>{RUSSIAN}</p>".encode(encoding)).text


# Metadata


@pytest.mark.parametrize(
    ("head", "body", "title"),
    [
        ("<title>Salt - Daily Planet</title><meta property=og:site_name content='Daily Planet'>", "", "Salt"),
        ("<title>Salt, a story</title>", "<h1>Chapter 1</h1>", "Salt, a story"),
        ("<title> Salt\n &amp; tar </title>", "", "Salt & tar"),
    ],
)
def test_the_title(head: str, body: str, title: str) -> None:
    assert page(f"<html><head>{head}</head><body>{body}<p>{PROSE[0]}</p></body></html>").title == title


@pytest.mark.parametrize(
    ("html", "expected"),
    [("<html lang=en-GB><meta name=author content='A. Writer'><meta name=date content=2020-01-02>", {"author": "A. Writer", "date": "2020-01-02", "language": "en-GB"}), ("<meta property=article:author content='https://example.org/me'><main><a rel=author>Mira Kessel</a> <time datetime=1985-09-09>Monday</time>", {"author": "Mira Kessel", "date": "1985-09-09"}), ("<html xmlns='http://www.w3.org/1999/xhtml' xml:lang='de'>", {"language": "de"})],
)  # fmt: skip
def test_author_date_and_language(html: str, expected: dict[str, str]) -> None:
    assert dict(page(f"{html}<p>{PROSE[0]}</p>").metadata) == expected


# Errors


@pytest.mark.parametrize(
    ("html", "hint"), [("", "if a script builds the page"), ("<p hidden>nothing to be seen</p>", "`whole=True`")]
)
def test_a_page_without_text_is_an_error_that_says_how_to_read_it(html: str, hint: str) -> None:
    with pytest.raises(LoadError, match=r"page\.html contains no text") as caught:
        page(f"<html><body>{html}</body></html>")
    assert hint in caught.value.hint
    assert paragraphs(page("<p hidden>nothing to be seen</p>", whole=True)) == ["nothing to be seen"]
