"""Recipes name methods that exist, in the paper's layout, and the paper's figures are the ones that it prints."""

from __future__ import annotations

from dataclasses import replace

import pytest

from readagent.core.plan import PRESETS
from readagent.domains import domain
from readagent.errors import UsageError
from readagent_bench.datasets import DATASETS
from readagent_bench.methods import method
from readagent_bench.recipes import RECIPES, recipe
from readagent_bench.report.comparison import in_paper
from readagent_bench.report.paper import published


@pytest.mark.parametrize("name", RECIPES)
def test_methods_of_a_recipe_exist_and_none_depends_on_the_default_mode(name: str) -> None:
    """Published figures are in one pass or in two steps; only the variant that measures the default finds it out."""
    chosen = recipe(name)
    for dataset, described in DATASETS.items():
        plan = PRESETS[described.preset]
        assert plan.mode == "paper"
        found_out = {one.name for one in chosen.variants if one.plan(plan).mode == "auto"}
        assert found_out == ({"default-mode"} if name == "defaults" else set())
        for variant in chosen.variants:
            names = variant.methods or chosen.methods_for(dataset)
            assert names
            assert [method(one).name for one in names] == list(names)


@pytest.mark.parametrize(
    ("dataset", "split"),
    [("quality", "dev"), ("narrativeqa-films", "valid")],
)  # fmt: skip
def test_the_paper_recipe_has_every_method_of_the_papers_table(dataset: str, split: str) -> None:
    ours = {in_paper(method(one).title, "") for one in recipe("paper").methods_for(dataset)}
    theirs = {title for title in published(dataset, split) if "GPT" not in title and "uniform" not in title}
    assert len(theirs) > 13
    assert theirs <= ours


def test_the_papers_figures() -> None:
    quality = published("quality", "dev")
    assert quality["ReadAgent-P 1-5"] == {
        "cr": "66.45",
        "lookups": "2.3",
        "accuracy": quality["ReadAgent-P 1-5"]["accuracy"],
    }
    assert quality["ReadAgent-P 1-5"]["accuracy"].startswith("86.83")
    assert quality["BM25 Top-1"]["accuracy"] == "70.34 ± 0.06"
    assert quality["MemWalker"] == {"accuracy": "66.73", "search_failures": "11.7"}
    assert quality["ReadAgent-P 1-5, uniform pages"] == {"accuracy": "85.71"}
    assert quality["GistMem + Neural Top-1"] == {"accuracy": "82.65"}
    assert "Full text (GPT-3.5-turbo)" in quality
    assert published("quality", "dev", 1200)["GistMem"] == {"cr": "91.38", "accuracy": "73.97"}
    meetings = published("qmsum", "validation")["BM25 Top-1"]
    assert meetings["rougeL"] == "0.1845 ± 0.0016"
    assert meetings["lr1"] == "32.48 ± 1.65"
    assert published("narrativeqa-books", "test")["BM25 Top-1"]["rougeL"] == "0.165"
    assert published("own", "all") == published("other", "all") == {}


def test_variants_change_the_plan() -> None:
    sizes = [one.plan(PRESETS["articles"]) for one in recipe("page-size").variants]
    assert [(plan.page_words, plan.min_page_words) for plan in sizes] == [
        (400, 187), (600, 280), (800, 373), (1200, 560),
    ]  # fmt: skip
    shown = [one.plan(PRESETS["meetings"]).show_previous for one in recipe("previous-page").variants]
    assert shown == [True, False]
    plans = [one.plan(replace(PRESETS["meetings"], instructions="Mine.")) for one in recipe("domain").variants]
    assert [plan.instructions for plan in plans] == [domain("meetings"), ""]
    assert {"paper", "page-size", "pauses", "look-up", "conditional", "previous-page", "case-study"} <= set(RECIPES)
    with pytest.raises(UsageError, match="unknown recipe"):
        recipe("cake")
