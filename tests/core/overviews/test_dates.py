"""Dates are found as texts tell them, and numbers that are no dates are not."""

from __future__ import annotations

import pytest

from readagent.core.overviews.dates import calendar_key, date_in


@pytest.mark.parametrize(
    ("text", "date"),
    [
        ("On 2 December 1805 the armies met.", "1805-12-02"),
        ("On December 2, 1805, the armies met.", "1805-12-02"),
        ("the 2nd of December, 1805", "1805-12-02"),
        ("In December 1805 it snowed.", "1805-12"),
        ("It was 1805.", "1805"),
        ("Am 2. Dezember 1805 begann es.", "1805-12-02"),
        ("le 2 décembre 1805", "1805-12-02"),
        ("el 2 de diciembre de 1805", "1805-12-02"),
        ("2 декабря 1805 года", "1805-12-02"),
        ("1805年12月2日", "1805-12-02"),
        ("signed 2024-03-01", "2024-03-01"),
        ("am 02.12.1805", "1805-12-02"),
        ("in 44 BC", "-0044"),
        ("a weight of 200 g", ""),
        ("1500 men marched", ""),
        ("he paid $1999", ""),
        ("1,805 pages", ""),
        ("at 18:05", ""),
        ("May the best win", ""),
        ("", ""),
    ],
)
def test_dates(text: str, date: str) -> None:
    assert date_in(text) == date


def test_the_order_of_the_calendar() -> None:
    dates = ["1805-12-02", "-0044", "1805", "1805-12", "2024-03-01"]
    assert sorted(dates, key=calendar_key) == ["-0044", "1805", "1805-12", "1805-12-02", "2024-03-01"]
