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
    ],
)
def test_equal_numbers(one: str, other: str) -> None:
    (first,), (second,) = numbers(one), numbers(other)
    assert first.borne_out(second)
    assert second.borne_out(first)


@pytest.mark.parametrize(
    ("one", "other"),
    [("500", "1,500"), ("3.5", "5"), ("-5", "5"), ("5%", "$5"), ("$5", "€5"), ("3 million", "3"), ("1920", "1902")],
)
def test_different_numbers(one: str, other: str) -> None:
    assert not any(a.borne_out(b) for a in numbers(one) for b in numbers(other))


def test_words_that_count_nothing_are_no_numbers() -> None:
    assert numbers("One of them was first, and the other one second.") == []
