"""Reports: the paper's layout, tables for narrow terminals, and a page that a browser opens and needs nothing else."""

from __future__ import annotations

import csv
import io
import re
from dataclasses import replace

import pytest

from bench.studies import case, conduct
from readagent.core.model import Ask
from readagent.errors import RejectedError
from readagent.testing.scripted import ScriptedModel
from readagent_bench.folder import RunFolder
from readagent_bench.report.comparison import against, load_run, results
from readagent_bench.report.paper import published
from readagent_bench.report.write import write_report
from readagent_bench.score import rows
from sessions import run, sensible

pytestmark = [pytest.mark.anyio, pytest.mark.slow]

METHODS = ["readagent-p:2", "gistmem", "bm25:1", "full", "memwalker"]


def answers(ask: Ask) -> str | Exception:
    if ask.step == "walk":
        return "what?"
    if "Text two" in ask.prompt and ask.choice is not None and ask.choice.texts:
        return RejectedError("<script>alert('no')</script>")
    return sensible(ask)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> RunFolder:
    """A run with answers, failures and failed searches, and with parts that are known to matter on its last page."""
    one = case("one")
    spans = tuple(
        replace(example, spans=((len(one.document.text) - 9, len(one.document.text)),)) for example in one.examples
    )
    cases = [case("one", questions=spans), case("two"), case("three")]
    return run(conduct(tmp_path_factory.mktemp("report") / "run", ScriptedModel(answers), METHODS, cases))


def test_a_data_set_of_the_paper_has_its_figures_in_the_table(folder: RunFolder) -> None:
    one = load_run(folder)
    as_quality = replace(
        one, manifest={**one.manifest, "dataset": "quality", "split": "dev", "plan": {"page_words": 600}}
    )
    lines = results([as_quality])
    titles = [line["method"] for line in lines]
    assert titles[: len(published("quality", "dev"))] == list(published("quality", "dev"))  # the paper's order
    assert {"GistMem", "Full text", "BM25 Top-1", "ReadAgent-P 1-2"} <= set(titles)
    assert len(titles) == len(set(titles))
    bm25 = next(line for line in lines if line["method"] == "BM25 Top-1")
    assert bm25["accuracy (paper)"] == "70.34 ± 0.06"
    assert bm25["CR (paper)"] == "89.27"
    assert bm25["accuracy"]
    lost = next(line for line in lines if line["method"] == "MemWalker")
    assert lost["failed searches (paper)"] == "11.7"
    assert str(lost["failed searches"]).startswith("100.00")
    unrun = next(line for line in lines if line["method"] == "ReadAgent-S 1-6")
    assert (unrun["accuracy"], unrun["accuracy (paper)"][:5]) == ("", "87.17")  # type: ignore[index]


@pytest.mark.slow
def test_differences_are_on_the_same_questions(folder: RunFolder) -> None:
    lines = against(rows(folder), "full")
    assert [line["method"] for line in lines] == [
        "ReadAgent-P 1-2 − Full text", "GistMem − Full text", "BM25 Top-1 − Full text", "MemWalker − Full text",
    ]  # fmt: skip
    assert re.fullmatch(r"[+-]\d+\.\d\d", str(lines[0]["accuracy"]))  # three documents have no interval
    assert against(rows(folder), "none of them") == []


@pytest.mark.slow
def test_the_files_of_a_report(folder: RunFolder) -> None:
    written = write_report([load_run(folder)], folder.path)
    assert [path.name for path in written] == ["report.md", "report.csv", "table.csv", "words.svg", "lengths.svg"]
    text = written[0].read_text("utf-8")
    assert "6 questions on 3 documents, 1 run" in text
    assert "Failed questions count as wrong" in text
    assert "- data sha256: " in text
    planned = text[text.index("## The comparison that the run is for") : text.index("## Differences from")]
    assert "| ReadAgent-P 1-2 − " in planned
    assert "| Full text − " not in planned
    paid = text[text.index("## Words for a question") :].splitlines()
    cells = dict(zip(*([one.strip() for one in paid[number].split("|")] for number in (4, 6)), strict=True))
    once, twenty = (int(cells[name].replace(",", "")) for name in ("1 asked", "20 asked"))
    assert once > twenty > int(cells["20 asked, cached"].replace(",", "")) > 0
    assert "](words.svg)" in text
    assert "<svg" in written[3].read_text("utf-8")
    figures = list(csv.DictReader(io.StringIO(written[1].read_text("utf-8"))))
    assert [line["method"] for line in figures] == METHODS
    assert {line["failed"] for line in figures[:4]} == {"1"}
    assert float(figures[0]["accuracy"]) == pytest.approx(200 / 3, abs=0.001)
    table = list(csv.DictReader(io.StringIO(written[2].read_text("utf-8"))))
    assert list(table[0])[:4] == ["method", "CR", "#LU", "accuracy"]
