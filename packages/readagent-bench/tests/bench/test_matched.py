"""Methods compared at matched words, and the plot of accuracy over words."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from collections.abc import Sequence
from pathlib import Path

import pytest

from readagent_bench.report.comparison import matched
from readagent_bench.report.plots import over_words, write
from readagent_bench.score import Row, estimates


def row(method: str, words: float, right: Sequence[float], *, title: str = "", failed: int = 0) -> Row:
    """A method that reads so many words a question, with one question on each document."""
    scores = {"accuracy": {(0, f"d{at}"): {"q": one} for at, one in enumerate(right)}}
    totals = {"words": words * len(right)}
    return Row(method, title or method, {"questions": len(right)}, failed, estimates(scores), totals, scores=scores)


CURVE = [row("dos-rag:4000", 4000, [1, 1, 0, 1]), row("dos-rag:1000", 1000, [1, 0, 0, 0])]


def test_a_method_is_compared_with_the_size_nearest_in_words_on_the_same_questions() -> None:
    (line,) = matched([*CURVE, row("readagent-p:5", 1900, [1, 1, 1, 1])])
    assert line["words a question"] == "1,900"
    assert line["compared with"] == "dos-rag:1000, which reads 1,000"
    assert line["accuracy"] == "+75.00"
    (line,) = matched([*CURVE, row("other/readagent-p:5", 2100, [1, 1, 0, 1])])
    assert line["accuracy"] == "+0.00"
    assert matched([CURVE[0], row("readagent-p:5", 2000, [1, 1, 1, 1])]) == []


def test_the_full_text_is_the_largest_size_unless_it_failed() -> None:
    whole, ours = row("full", 8000, [1, 1, 1, 1]), row("readagent-p:5", 8000, [1, 1, 1, 1])
    (line,) = matched([*CURVE, whole, ours])
    assert line["compared with"] == "full, which reads 8,000"
    (line,) = matched([*CURVE, row("full", 8000, [1, 1, 1, 0], failed=1), ours])
    assert line["compared with"] == "dos-rag:4000, which reads 4,000"


@pytest.mark.slow
def test_the_plot_has_a_line_for_sizes_and_a_point_for_others(tmp_path: Path) -> None:
    rows = [*CURVE, row("gistmem", 500, [0, 1, 0, 1], title="GistMem <alone>")]
    write(over_words(rows), tmp_path / "plot.svg")
    drawn = (tmp_path / "plot.svg").read_text("utf-8")
    ElementTree.fromstring(drawn)
    assert "dos-rag:1000 to 4,000" in drawn
    assert "GistMem &lt;alone&gt;" in drawn
    assert "words read by the model for a question" in drawn
    assert drawn.index(">1,000<") < drawn.index(">4,000<"), "the smallest size comes first"
    assert over_words([]) is None
