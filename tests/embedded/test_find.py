"""Which pages the offline reader opens, given the scores of all pages."""

from __future__ import annotations

import pytest

from readagent.core.model import Hint
from readagent.embedded.find import next_page, pages_to_open


def hints(**scores: float) -> list[Hint]:
    ranked = sorted(scores.items(), key=lambda item: -item[1])
    return [Hint(int(page.removeprefix("p")), score) for page, score in ranked]


@pytest.mark.parametrize(
    ("scores", "most", "pages"),
    [({"p0": 1.0, "p1": 5.0, "p2": 0.9}, 6, [1, 0]), ({"p0": 1.0, "p1": 5.0, "p2": 3.0}, 2, [1, 2])],
)
def test_pages_with_a_fifth_of_the_best_score_are_opened(scores: dict[str, float], most: int, pages: list[int]) -> None:
    assert pages_to_open(hints(**scores), most) == pages


@pytest.mark.parametrize(
    ("after", "opened", "page"),
    [
        ({"p0": 2.0, "p1": 0.1, "p2": 1.0}, [0], 2),
        ({"p0": 2.0, "p1": 0.1, "p2": 0.5}, [0], None),
        ({"p0": 2.0, "p1": 0.1, "p2": 1.0}, [0, 1, 2], None),
    ],
)
def test_the_next_page_needs_a_fifth_of_the_best_score(
    after: dict[str, float], opened: list[int], page: int | None
) -> None:
    assert next_page(hints(p0=4.0, p1=3.0, p2=1.0), hints(**after), opened) == page


def test_no_next_page_is_opened_if_no_page_stands_out() -> None:
    assert next_page(hints(p0=0.1, p1=0.04), hints(p0=0.1, p1=0.04), [0]) is None
