"""Dates are found as texts tell them, numbers that are no dates are not, and dates have the order of the calendar."""

from __future__ import annotations

from datetime import date
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from readagent.core.overviews.dates import calendar_key, date_in, day_comes_first, find_date

_ROWS = [line.partition("\t") for line in (Path(__file__).parent / "dates.tsv").read_text("utf-8").splitlines()]
WORDINGS = [(text, "" if expected == "-" else expected) for expected, tab, text in _ROWS if tab]
MONTHS = "January February March April May June July August September October November December".split()
DAYS = st.dates(date(1000, 1, 1), date(2099, 12, 31))


@pytest.mark.parametrize(("text", "expected"), WORDINGS)
def test_wordings(text: str, expected: str) -> None:
    assert date_in(text) == expected


@given(DAYS)
def test_a_day_is_the_same_in_every_wording(day: date) -> None:
    month = MONTHS[day.month - 1]
    told = f"{day.day} {month} {day.year}", f"{month} {day.day}, {day.year}", f"{day.day}.{day.month}.{day.year}"
    cjk = f"{day.year}年{day.month}月{day.day}日"
    week = "{}-W{:02d}-{}".format(*day.isocalendar())
    assert {date_in(f"On {one} it rained.") for one in (*told, cjk, week, str(day))} == {str(day)}
    assert date_in(f"on {day.day}/{day.month}/{day.year}", day_first=True) == str(day)
    assert date_in(f"on {day.month}/{day.day}/{day.year}", day_first=False) == str(day)


_YEAR_FORMS = ("{}", "early {}", "late {}", "the spring of {}", "March {}", "5 May {}", "the end of {}")
_SPANS = ("from {} to {}", "between {} and {}", "from {} until {}")


@given(
    st.integers(1000, 2098), st.integers(1, 60), st.sampled_from(_YEAR_FORMS), st.sampled_from(_YEAR_FORMS),
    st.sampled_from(_SPANS), st.sampled_from(["It was {}.", "They lived there {}, and left."]),
)  # fmt: skip
def test_a_span_has_its_beginning_and_its_end(year: int, more: int, one: str, other: str, span: str, text: str) -> None:
    first, last = one.format(year), other.format(min(2099, year + more))
    told = date_in(text.format(span.format(first, last)))
    assert told == f"{date_in(first).partition('/')[0]}/{date_in(last).rpartition('/')[2]}"


@given(st.integers(1000, 2098), st.integers(1, 60))
def test_a_span_of_years_is_the_same_in_every_wording(year: int, more: int) -> None:
    last = min(2099, year + more)
    told = {
        date_in(f"between the years {year} and {last}"),
        date_in(f"In the years {year} to {last} nothing was built."),
        date_in(f"He reigned from {year} to {last}."),
        date_in(f"from {year} until the year {last}"),
        date_in(f"late {year} to early {last}"),
    }
    assert told == {f"{year}/{last}"}


@given(st.integers(4, 19), st.integers(1, 2))
def test_a_span_of_centuries_is_the_same_in_every_wording(first: int, more: int) -> None:
    last = first + more
    told = {
        date_in(one.format(f"{first}th", f"{last}th" if last < 21 else "21st"))
        for one in (
            "{}-{} centuries", "in the {} to {} centuries", "between the {} and the {} centuries",
            "from the {} century to the {} century", "from the late {} to the early {} century",
        )
    }  # fmt: skip
    assert told == {f"{100 * first - 99:04d}/{100 * last:04d}"}


@given(
    st.integers(1000, 2099), st.sampled_from(["at the age of {}", "She was aged {}.", "{} years ago", "{} years old"])
)
def test_an_age_is_no_year(number: int, wording: str) -> None:
    assert date_in(wording.format(number)) == ""


@given(st.lists(DAYS))
def test_days_are_sorted_as_in_the_calendar(days: list[date]) -> None:
    assert sorted(map(str, days), key=calendar_key) == list(map(str, sorted(days)))


@given(DAYS, st.integers(1, 3000))
def test_what_begins_earlier_or_contains_another_comes_first(day: date, before_christ: int) -> None:
    year, month = f"{day.year:04d}", f"{day.year:04d}-{day.month:02d}"
    decade, century = (
        date_in(f"the {day.year // 10 * 10}s"),
        f"{day.year // 100 * 100:04d}/{day.year // 100 * 100 + 99}",
    )
    dates = [f"-{before_christ:04d}", century, decade, year, month, str(day)]
    distinct = list(dict.fromkeys(dates))
    assert sorted(set(distinct), key=calendar_key) == distinct
    assert calendar_key(f"-{before_christ + 1:04d}") < calendar_key(f"-{before_christ:04d}")
    assert all(calendar_key(one) < calendar_key(other) for one, other in pairwise(distinct))


@given(
    st.text(max_size=60) | st.from_regex(r"[0-9 ./:,年BCQW-]{0,30}") | st.from_regex(r"\d{1,2}/\d{1,2}/\d{4}"),
    st.sampled_from([None, True, False]),
)
def test_any_text_has_a_date_that_can_be_sorted_or_none(text: str, day_first: bool | None) -> None:
    told = find_date(text, day_first)
    assert told is None or (calendar_key(told.date) and 0 <= told.start < told.end <= len(text))


def test_the_order_of_day_and_month_is_that_of_the_other_dates_of_the_text() -> None:
    assert date_in("on 12/11/1806") == "1806-11-12?"
    assert day_comes_first("born 25/12/1799, died 3/4/1850") is True
    assert day_comes_first("born 12/25/1799, died 3/4/1850") is False
    assert day_comes_first("born 12/25/1799, died 25/4/1850") is None
    assert day_comes_first("born 3/4/1799, 25.12.1800") is None


def test_the_words_that_tell_a_date_are_known() -> None:
    text = "He left in the spring of 1812, alone."
    told = find_date(text)
    assert told is not None
    assert text[told.start : told.end] == "spring of 1812"
