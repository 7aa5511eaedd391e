"""Notes on standard error say which page or part a fallback is for."""

from __future__ import annotations

import pytest

from readagent.cli.output import report_fallbacks
from readagent.core.trace import Fallback


@pytest.mark.parametrize(
    ("fallback", "note"),
    [
        (
            Fallback("parts", "it named no legal answer", "part 1"),
            "note: no usable reply on which parts to look into (it named no legal answer); used instead: part 2\n",
        ),
        (
            Fallback("look_up", "it was empty", "3, 11"),
            "note: no usable reply on which pages to open (it was empty); used instead: 4, 12\n",
        ),
    ],
)
def test_a_note_names_the_page_or_part_counted_from_1(
    fallback: Fallback, note: str, capsys: pytest.CaptureFixture[str]
) -> None:
    report_fallbacks([fallback])
    assert capsys.readouterr().err == note


def test_a_note_names_all_pages_of_a_window(capsys: pytest.CaptureFixture[str]) -> None:
    lists = [Fallback.on(pages, "collect", "it was empty", "nothing for these pages") for pages in (range(12), [14])]
    report_fallbacks([*lists, Fallback.on([12], "collect", "it was empty", "nothing for these pages")])
    note = "note: no usable list for pages 1 to 13, 15 (it was empty); used instead: nothing for these pages\n"
    assert capsys.readouterr().err == note
