"""Dates of events are in ISO form, and sorted by where they begin."""

from __future__ import annotations

import pytest

from readagent.core.overviews.lists import calendar_key, iso_date


@pytest.mark.parametrize("date", ["1805", "1805-12", "1805-12-02", "1840/1849", "1812-03/1812-05", "-0044-03-15"])
def test_a_date_in_iso_form_is_kept(date: str) -> None:
    assert iso_date(f" {date} ") == date


@pytest.mark.parametrize(
    "told", ["", "-", "unknown", "spring of 1812", "1805-13", "1805-12-40", "44 BC", "1840/", "80"]
)
def test_anything_else_is_no_date(told: str) -> None:
    assert iso_date(told) == ""


def test_what_begins_earlier_comes_first_and_of_two_the_longer_one() -> None:
    dates = ["-0044", "1805", "1805-01", "1805-01-01", "1805-12-02?", "1840/1849", "1840"]
    mixed = [*dates[3:], *dates[:3]]
    assert sorted(mixed, key=calendar_key) == dates
