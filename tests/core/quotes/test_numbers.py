"""Numbers joined across a space, or cut at a fraction, a range, a magnitude or a unit."""

from __future__ import annotations

import pytest

from readagent.core.quotes.quotable import Quotable


@pytest.mark.parametrize(
    ("text", "quote"),
    [
        ("The law of 1, 500 copies of which were printed, was read.", "1,500 copies of which were printed"),
        ("The rate fell to 3.\n5 families left Oslo.", "3.5 families left Oslo"),
        ("The rope was 2 1/2 metres long that day.", "The rope was 2"),
        ("They sold two hundred and fifty shares.", "They sold two hundred"),
        ("Half a million people saw the family.", "million people saw the family"),
        ("He paid USD 300 to the family in Oslo.", "300 to the family in Oslo"),
        ("The gauge showed minus 12 degrees at dawn.", "12 degrees at dawn"),
        ("Costs of 3 to 5 million hurt the family.", "Costs of 3"),
    ],
)
def test_a_number_that_was_joined_or_cut_is_not_found(text: str, quote: str) -> None:
    assert Quotable(f"It rained. {text} It rained.").find(quote) is None


@pytest.mark.parametrize(
    ("text", "quote"),
    [
        ("In 1901, 1902 and 1905 Reed paid the family.", "1905 Reed paid the family"),
        ("In 1999,\n500 families left Oslo.", "500 families left Oslo"),
        ("He walked to Oslo and 5 men watched him.", "5 men watched him"),
    ],
)
def test_a_whole_number_next_to_another_is_found(text: str, quote: str) -> None:
    assert Quotable(text).find(quote) is not None
