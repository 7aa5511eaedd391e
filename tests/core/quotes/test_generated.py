"""Generated quotes in five languages: no false one is accepted, and faithful rewritings are found.

The generator does not use the code that checks quotes; `benchmarks/quotes.py` counts the same cases by kind.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice

import pytest
from benchmarks.quote_cases import Case, cases

from readagent.core.quotes.quotable import Quotable

FALSE_KINDS, FAITHFUL_KINDS = 20, 15


def wrong(some: Iterable[Case]) -> list[Case]:
    """Return the cases that are judged wrongly."""
    found, text = [], Quotable("")
    for case in some:
        text = text if text.text is case.text else Quotable(case.text)
        if (text.find(case.quote) is not None) != case.faithful:
            found.append(case)
    return found


@pytest.mark.slow
def test_a_sample_of_false_and_faithful_quotes() -> None:
    sample = list(islice(cases(7), 0, 6000, 4))
    assert len({case.kind for case in sample if not case.faithful}) >= FALSE_KINDS
    assert len({case.kind.removesuffix(", in the text") for case in sample if case.faithful}) >= FAITHFUL_KINDS
    assert {case.language for case in sample} == {"en", "de", "ru", "es", "ja"}
    assert wrong(sample) == []


@pytest.mark.release
def test_twenty_thousand_false_quotes_and_as_many_faithful_ones() -> None:
    for faithful, most in ((False, 0), (True, 100)):
        some = islice((case for case in cases(11) if case.faithful == faithful), 20_000)
        assert len(wrong(some)) <= most
