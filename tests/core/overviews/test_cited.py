"""Statements with their pages are read from replies in the form asked for; what names no page is none."""

from __future__ import annotations

import pytest

from readagent.core.overviews.cited import points_in

PAGES = range(20)


@pytest.mark.parametrize(
    "reply",
    [
        "She leaves the island [Page 3]. Nobody follows her [Page 3, 4].",
        "She leaves the island (p. 3). Nobody follows her (pp. 3-4).",
        "- She leaves the island. [Page 3]\n- Nobody follows her. [Page 3–4]",
        "**Summary**\nShe leaves the island [Page 3]. Nobody follows her [Page 3, 4, 99].",
        "```\nShe leaves the island [3]. Nobody follows her [3, 4].\n```",
    ],
)
def test_every_usual_form_gives_the_same_statements(reply: str) -> None:
    points = points_in(reply, PAGES)
    assert [(one.text, one.pages) for one in points] == [
        ("She leaves the island.", (3,)),
        ("Nobody follows her.", (3, 4)),
    ]


def test_sentences_before_a_citation_share_its_pages() -> None:
    points = points_in("She leaves. He stays. [Page 2]", PAGES)
    assert [(one.text, one.pages) for one in points] == [("She leaves.", (2,)), ("He stays.", (2,))]


def test_references_of_the_text_are_not_pages_where_pages_are_named() -> None:
    (point,) = points_in("It follows earlier work [12] closely [Page 3].", PAGES)
    assert point.pages == (3,)
    assert "[12]" in point.text


@pytest.mark.parametrize(
    "reply",
    ["", "[Page 3]", "[[[]]] (p. ) [Page x]", "I'm sorry, I cannot do that.", "She leaves [Page 99].", "She leaves."],
)
def test_what_names_no_page_is_no_statement(reply: str) -> None:
    assert points_in(reply, PAGES) == []
