"""Numbers are equal whether they are written in words or digits, and differ by value, sign and unit."""

from __future__ import annotations

import pytest

from readagent.core.support.numbers import numbers


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("1,500", "1500"),
        ("$1,500", "fifteen hundred dollars"),
        ("205", "two hundred and five"),
        ("3.5 million", "3,500,000"),
        ("5%", "five per cent"),
        ("1.234,56 €", "1,234.56 euros"),
        ("dreißig", "30"),
        ("三十二", "32"),
        ("3,5 Millionen", "3.500.000"),
        ("$5m", "5 million dollars"),
    ],
)
def test_equal_numbers(one: str, other: str) -> None:
    (first,), (second,) = numbers(one), numbers(other)
    assert first.matches(second)
    assert second.matches(first)


@pytest.mark.parametrize(
    ("one", "other"),
    [("500", "1,500"), ("-5", "5"), ("5%", "$5"), ("$5", "€5"), ("3 million", "3"), ("340 km", "340 metres")],
)
def test_different_numbers(one: str, other: str) -> None:
    assert not any(a.matches(b) for a in numbers(one) for b in numbers(other))


@pytest.mark.parametrize(
    ("one", "other"), [("the 1950s", "1952"), ("the 20th century", "1952"), ("autumn '52", "1952"), ("5", "$5")]
)
def test_what_a_more_exact_number_bears_out(one: str, other: str) -> None:
    (first,), (second,) = numbers(one), numbers(other)
    assert first.matches(second)
