"""Dates are found as texts tell them, numbers that are no dates are not, and dates have the order of the calendar."""

from __future__ import annotations

from datetime import date

from hypothesis import given
from hypothesis import strategies as st

from readagent.core.overviews.dates import calendar_key, date_in, day_comes_first, find_date

WORDINGS = {
    "On 2 December 1805 the armies met.": "1805-12-02",
    "the second of December, 1805": "1805-12-02",
    "In December of 1805 it snowed.": "1805-12",
    "From 1 to 3 May 1805 they waited.": "1805-05-01/1805-05-03",
    "in 1805, 1500 men marched": "1805",
    "the war of 1914-18": "1914/1918",
    "signed 2024-03-01": "2024-03-01",
    "on 12/11/1806": "1806-11-12?",
    "in the 1840s": "1840/1849",
    "in the 3rd century BC": "-0300/-0201",
    "in the winter of 1812": "1812-12/1813-02",
    "in Q3 2021": "2021-07/2021-09",
    "in 44 B.C. he fell": "-0044",
    "Am 2. Dezember 1805 begann es.": "1805-12-02",
    "au XIVe siècle": "1301/1400",
    "en el año 711": "0711",
    "2 декабря 1805 года": "1805-12-02",
    "一八〇五年十二月二日": "1805-12-02",
    "1408 men marched": "",
    "see page 1984": "",
    "30.02.2020": "",
    "call 555-1805": "",
    "he paid $1999": "",
    "between 1500 and 2000 soldiers fell": "",
    "": "",
}
MONTHS = "January February March April May June July August September October November December".split()
DAYS = st.dates(date(1000, 1, 1), date(2099, 12, 31))


def test_wordings() -> None:
    assert {text: date_in(text) for text in WORDINGS} == WORDINGS


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


@given(st.lists(DAYS))
def test_days_are_sorted_as_in_the_calendar(days: list[date]) -> None:
    assert sorted(map(str, days), key=calendar_key) == list(map(str, sorted(days)))


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
