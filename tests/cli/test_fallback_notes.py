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
            "note: no usable reply on which parts to look into (it named no legal answer); used instead: part 1\n",
        ),
        (
            Fallback("merge", "it was empty", "the beginnings of the gists", 3),
            "note: no usable entry for part 3 (it was empty); used instead: the beginnings of the gists\n",
        ),
        (
            Fallback("gist", "it was empty", "the page's opening sentences", 3),
            "note: no usable gist for page 3 (it was empty); used instead: the page's opening sentences\n",
        ),
    ],
)
def test_a_note_names_the_page_or_part(fallback: Fallback, note: str, capsys: pytest.CaptureFixture[str]) -> None:
    report_fallbacks([fallback])
    assert capsys.readouterr().err == note
