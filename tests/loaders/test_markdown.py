"""Markdown: headings, lists, tables, code, notes and front matter."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from readagent.core.document import Document
from readagent.loaders.formats import Options
from readagent.loaders.markdown import parse


def text_of(markdown: str | bytes) -> Document:
    return parse(markdown.encode() if isinstance(markdown, str) else markdown, "text.md", Options())


def blocks(markdown: str) -> list[str]:
    document = text_of(markdown)
    return [
        "#" * one.heading + " " * bool(one.heading) + document.text[one.start : one.end].rstrip()
        for one in document.paragraphs
    ]


@pytest.mark.parametrize(
    ("markdown", "expected"),
    [
        ("# One\n\n## Two ##\n\nThree\n=====\n\nFour\n---\n", ["# One", "## Two", "# Three", "## Four"]),
        ("Wrapped\nat some\ncolumn.\n\nNext.", ["Wrapped at some column.", "Next."]),
        ("3) three\n4) four", ["3. three", "4. four"]),
        ("```py\nif x:\n\n    y()\n```\n\n    indented\n", ["if x:\n\n    y()", "indented"]),
        ("line one  \nline two\\\nline three", ["line one\nline two\nline three"]),
        ("*so* **it** ~~was~~ `is`", ["so it was is"]),
        ("a\n\n***\n\nb", ["a", "* * *", "b"]),
        ("# One\r\n\r\nTwo\r\nlines.", ["# One", "Two lines."]),
    ],
)
def test_markdown_to_blocks(markdown: str, expected: list[str]) -> None:
    assert blocks(markdown) == expected


def test_what_is_nested_too_deeply_is_kept_without_its_levels() -> None:
    text = text_of("".join(f"{'  ' * depth}- item {depth}\n" for depth in range(3000)) + "\nAfter.").text
    assert [f"item {depth}" in text for depth in range(3000)].count(False) == 0
    assert "After." in text


def test_notes_come_last_in_the_order_of_citation() -> None:
    markdown = (
        "One[^b], two [^a] . Three^[right *here*, with [a link](x)]; four[^b]. Not `[^a]`, nor [^none].\n\n"
        "[^a]: First line\nlazily goes on.\n\n    Second paragraph[^c].\n\n"
        "[^b]: Short.\n[^unused]: Never cited.\n[^c]: Cited by a note.\n\nThe text goes on.\n"
    )
    assert blocks(markdown) == [
        "One, two. Three; four. Not [^a], nor [^none].", "The text goes on.", "# Notes", "1. Short.",
        "2. First line lazily goes on.", "Second paragraph.", "3. right here, with a link", "4. Never cited.",
        "5. Cited by a note.",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("head", "title", "metadata"),
    [("---\ntitle: Salt\nauthor: A. Writer\ndate: 2020-01-02\nlang: en\n---\n", "Salt", {"author": "A. Writer", "date": "2020-01-02", "language": "en"}), ("+++\ntitle = \"Salt\"\ndate = 2020-01-02\n+++\n", "Salt", {"date": "2020-01-02"}), ("---\ntitle: >\n  Salt and\n  scales\n---\n", "Salt and scales", {})],
)  # fmt: skip
def test_front_matter(head: str, title: str, metadata: dict[str, str]) -> None:
    document = text_of(f"{head}\nThe text.\n")
    assert (document.title, dict(document.metadata), document.text.strip()) == (title, metadata, "The text.")


def test_text_that_looks_like_front_matter() -> None:
    document = text_of("---\n\nA rule, then text.\n\n---\n")
    assert not document.metadata
    assert document.text.strip()


@pytest.mark.parametrize(
    ("markdown", "title"),
    [
        ("# Salt\n\nText.\n\n## Part", "Salt"),
        ("# Salt\n\nText.\n\n# Part", "Salt"),
        ("[![Built](a.svg)](b)\n\n# ![Logo](a.png) Salt\n\nText.", "Salt"),
        ("# ![Salt](a.png)\n\nText.", "Salt"),
        ("Text.\n\n## Low", ""),
        ("## v2.0\n\nText.\n\n## v1.9", ""),
    ],
)
def test_the_title_is_the_heading_at_the_start_or_the_only_one_at_the_top(markdown: str, title: str) -> None:
    assert text_of(markdown).title == title


words = st.lists(st.integers(0, 999).map(lambda number: f"w{number}"), min_size=1, max_size=8).map(" ".join)
pieces = st.one_of(
    words,
    words.map(lambda text: f"# {text}"),
    words.map(lambda text: f"> {text}"),
    words.map(lambda text: "\n".join(f"* {word}" for word in text.split())),
    words.map(lambda text: f"```\n{text}\n```"),
    words.map(lambda text: f"**{text}**, _{text}_"),
    words.map(lambda text: f"| {' | '.join(text.split())} |\n|{'---|' * len(text.split())}\n| x |"),
    words.map(lambda text: f"<div><p>{text}</p></div>"),
)


@settings(max_examples=60, deadline=None)
@given(st.lists(pieces, max_size=8))
def test_every_word_is_kept_in_order(parts: list[str]) -> None:
    markdown = "\n\n".join(parts)
    letters = str.maketrans(dict.fromkeys("*_,<>/|`#", " "))
    written = [word for word in markdown.translate(letters).split() if word.startswith("w")]
    assert [word for word in text_of(markdown).text.translate(letters).split() if word.startswith("w")] == written
