"""Generated quotes in five languages: faithful rewritings are found, and other words and numbers are not.

The generator does not use the code that finds quotes; `benchmarks/quotes.py` counts the same cases by kind.
"""

from __future__ import annotations

from itertools import islice

import pytest
from benchmarks.quote_cases import Case, cases

from readagent.core.quotes.quotable import Quotable

NEVER_FOUND = {"number changed", "word changed", "word left out", "word put in", "neighbouring words swapped"}


def found(case: Case, texts: dict[str, Quotable]) -> bool:
    if case.text not in texts:
        texts.clear()
    return texts.setdefault(case.text, Quotable(case.text)).find(case.quote) is not None


def not_found(count: int, step: int) -> float:
    """Return the share of faithful quotes that are not found, and check that no other words or numbers are."""
    texts: dict[str, Quotable] = {}
    faithful = []
    for case in islice(cases(7), 0, count, step):
        here = found(case, texts)
        if case.faithful:
            faithful.append(here)
        else:
            assert not (here and case.kind in NEVER_FOUND), case
    return faithful.count(False) / len(faithful)


@pytest.mark.slow
def test_a_sample_of_false_and_faithful_quotes() -> None:
    assert not_found(6000, 4) <= 0.005


@pytest.mark.release
def test_many_false_and_faithful_quotes() -> None:
    assert not_found(40_000, 1) <= 0.005
