"""The paper's figures in docs/paper.md are those that a report of the benchmark shows."""

from __future__ import annotations

import pytest

from docs.pages import ROOT
from readagent_bench.report.paper import published

PAGE = (ROOT / "docs" / "paper.md").read_text("utf-8")


@pytest.mark.parametrize(
    ("heading", "dataset", "split", "measures"),
    [
        ("QuALITY", "quality", "dev", ["accuracy", "cr"]),
        ("QMSum", "qmsum", "val", ["cr", "lr1", "lr2", "rougeL"]),
        ("NarrativeQA", "narrativeqa-books", "test", ["cr", "lr1", "lr2", "rougeL"]),
        ("Films,", "narrativeqa-films", "test", ["cr", "lr1", "lr2", "rougeL"]),
        ("Mind2Web", "mind2web", "test_task", ["step_success"]),
    ],
)
def test_figures_of_the_paper(heading: str, dataset: str, split: str, measures: list[str]) -> None:
    table = PAGE.partition(f"\n{'' if heading[-1] == ',' else '## '}{heading}")[2].partition("| method |")[2]
    rows = [line.strip("| ").split(" | ") for line in table.partition("\n\n")[0].splitlines()[2:]]
    paper, compared = published(dataset, split), 0
    for method, *shown in rows:
        for measure, value in zip(measures, shown, strict=False):
            if value != "—":
                printed = float(paper[method.replace("6,000", "6k")][measure].split()[0])
                assert float(value) == pytest.approx(printed, abs=0.00051), (method, measure)
                compared += 1
    assert compared >= 4
