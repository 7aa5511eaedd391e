"""Numbers are equal whether they are written in words or digits, and differ by value, sign and unit."""

from __future__ import annotations

import pytest

from readagent.core.support.numbers import numbers


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("1,500", "1500"),
        ("$1,500", "fifteen hundred dollars"),
        ("25", "twenty-five"),
        ("205", "two hundred and five"),
        ("3.5 million", "3,500,000"),
        ("2 billion", "2bn"),
        ("700,000", "seven hundred thousand"),
        ("5%", "five per cent"),
        ("1.234,56 €", "1,234.56 euros"),
        ("the 3rd of May", "the third of May"),
        ("36", "three dozen"),
        ("dreißig", "30"),
        ("vingt", "20"),
        ("двенадцать", "12"),
        ("三十二", "32"),
        ("一九二〇年", "1920"),
        ("两万", "20000"),
        ("得到四千五百克朗", "4500 kroner"),
        ("4 500 Kronen", "4500 couronnes"),
        ("3,5 Millionen", "3.500.000"),
        ("4 500 крон", "4,500 kr"),
        ("NOK 2.6 million", "2.6 million Norwegian kroner"),
        ("$5m", "5 million dollars"),
        ("340 m", "340 metres"),
        ("18 pour cent", "18 %"),
    ],
)
def test_equal_numbers(one: str, other: str) -> None:
    (first,), (second,) = numbers(one), numbers(other)
    assert first.matches(second)
    assert second.matches(first)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("500", "1,500"),
        ("3.5", "5"),
        ("-5", "5"),
        ("5%", "$5"),
        ("$5", "€5"),
        ("3 million", "3"),
        ("1920", "1902"),
        ("1970 %", "since 1970"),
        ("$1,952", "in 1952"),
        ("$4,500", "4,500 kroner"),
        ("340 km", "340 metres"),
        ("€2.6 million", "2.6 million kroner"),
        ("18 people", "18 percent"),
        ("3 years", "three days"),
    ],
)
def test_different_numbers(one: str, other: str) -> None:
    assert not any(a.matches(b) for a in numbers(one) for b in numbers(other))


@pytest.mark.parametrize(
    ("one", "other"), [("the 1950s", "1952"), ("the 20th century", "1952"), ("autumn '52", "1952"), ("5", "$5")]
)
def test_what_a_more_exact_number_bears_out(one: str, other: str) -> None:
    (first,), (second,) = numbers(one), numbers(other)
    assert first.matches(second)


@pytest.mark.parametrize(
    ("one", "other"), [("the 1960s", "1952"), ("the 19th century", "1952"), ("autumn '53", "1952")]
)
def test_what_it_does_not(one: str, other: str) -> None:
    (first,), (second,) = numbers(one), numbers(other)
    assert not first.matches(second)


def test_words_that_count_nothing_are_no_numbers() -> None:
    assert numbers("One of them was first, and the other one second.") == []
