"""Outlines are read in whatever form a model writes them."""

from __future__ import annotations

import pytest

from readagent.core.overviews.outline import _chapter_lines, _part_lines

PARTS = [("The mill", "Anna works.", (0, 1)), ("The boat", "Tom sails.", (2, 3))]


@pytest.mark.parametrize(
    "reply",
    [
        "The mill | Anna works. [Pages 0-1]\nThe boat | Tom sails. [Pages 2-3]",
        "- **The mill**: Anna works. [Pages 0-1]\n- **The boat**: Tom sails. [Pages 2-3]",
        '[{"title": "The mill", "summary": "Anna works.", "pages": [0, 1]},'
        ' {"title": "The boat", "summary": "Tom sails.", "pages": "2-3"}]',
    ],
)
def test_parts(reply: str) -> None:
    found = [
        (title, " ".join(point.text for point in points), pages)
        for title, points, pages in _part_lines(reply, range(9))
    ]
    assert found == PARTS


@pytest.mark.parametrize(
    "reply",
    [
        "1 | Anna works. [Page 0]\n2 | Tom sails. [Page 2]",
        "Chapter 1: Anna works. [Page 0]\nChapter 2: Tom sails. [Page 2]",
    ],
)
def test_chapters(reply: str) -> None:
    found = [(number, text.strip()) for number, text in _chapter_lines(reply)]
    assert found == [(1, "Anna works. [Page 0]"), (2, "Tom sails. [Page 2]")]
