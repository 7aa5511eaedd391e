"""The paper's figures in docs/paper.md are those that a report of the benchmark shows."""

import pytest

from docs.pages import ROOT
from readagent_bench.report.paper import published

TABLES = {  # by what stands above them: data set, split, and what the first columns have
    "## QuALITY": ("quality", "dev", "accuracy cr"),
    "## QMSum": ("qmsum", "val", "cr lr1 lr2 rougeL"),
    "## NarrativeQA": ("narrativeqa-books", "test", "cr lr1 lr2 rougeL"),
    "Films, test": ("narrativeqa-films", "test", "cr lr1 lr2 rougeL"),
    "## Mind2Web": ("mind2web", "test_task", "step_success"),
}


@pytest.mark.parametrize("above", TABLES)
def test_figures_of_the_paper(above: str) -> None:
    dataset, split, measures = TABLES[above]
    below = (ROOT / "docs" / "paper.md").read_text("utf-8").partition(f"\n{above}")[2].partition("| method |")[2]
    for method, *row in (line.strip("| ").split(" | ") for line in below.partition("\n\n")[0].splitlines()[2:]):
        for measure, value in zip(measures.split(), row, strict=False):
            if value != "—":
                printed = published(dataset, split)[method.replace("6,000", "6k")][measure].split()[0]
                assert float(value) == pytest.approx(float(printed), abs=0.00051), (method, measure)
