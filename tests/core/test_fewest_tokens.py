"""The fewest tokens of a text are below what real tokenizers count. The counts were made with `benchmarks/tokens.py`'s."""

from __future__ import annotations

import pytest

from readagent.core.token_rates import fewest_tokens
from readagent.core.tokens import estimate_tokens

COUNTED = {  # the fewest and the most tokens of seven tokenizers
    "தமிழ் மொழி பழமையானது " * 450: (2251, 13951),
    "1234567890" * 1200: (4000, 12000),
    "x" * 40_000: (5000, 10_000),
    "人人生而自由，在尊严和权利上一律平等。他们赋有理性和良心，并应以兄弟关系的精神相对待。" * 100: (2700, 5000),
    "ყველა ადამიანი იბადება თავისუფალი და თანასწორი თავისი ღირსებითა და უფლებებით. " * 100: (2002, 14_500),
    "Все люди рождаются свободными и равными в своем достоинстве и правах. " * 100: (1701, 3501),
    ("-" * 78 + "\n") * 200: (200, 1200),
    " " * 20_000: (157, 646),
}


@pytest.mark.parametrize(("text", "fewest"), [(text, counts[0]) for text, counts in COUNTED.items()])
def test_no_tokenizer_has_fewer(text: str, fewest: int) -> None:
    assert fewest / 2 < fewest_tokens(text) <= fewest


@pytest.mark.parametrize(("text", "most"), [(text, counts[1]) for text, counts in COUNTED.items()])
def test_the_estimate_is_as_high_as_the_most(text: str, most: int) -> None:
    assert estimate_tokens(text) > 0.9 * most
    assert fewest_tokens(text) < 0.85 * estimate_tokens(text)


def test_a_tokenizer_that_is_known_counts_alone() -> None:
    tamil = "தமிழ் மொழி பழமையானது " * 450
    assert fewest_tokens(tamil, "cl100k") > 2 * fewest_tokens(tamil, "o200k")
