"""What a method costs, also where its reading fails or is shared, and what fits a window, are the same every time."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from bench.studies import WHO, Bench, case, conduct
from readagent.core.model import Ask
from readagent.errors import ContextOverflowError
from readagent.testing.scripted import ScriptedModel
from readagent_bench.records import Reading
from readagent_bench.score import rows
from sessions import SMALL, prose, sensible

pytestmark = pytest.mark.anyio


class Mended:
    """A model whose gists are empty until it is mended."""

    def __init__(self) -> None:
        self.broken = True

    def __call__(self, ask: Ask) -> str:
        return "" if self.broken and ask.step == "gist" else sensible(ask)


async def test_a_reading_that_fails_has_its_cost(tmp_path: Path) -> None:
    script = Mended()
    model = ScriptedModel(script)
    folder = await conduct(tmp_path, model, ["readagent-p:2", "gistmem"], [case()])
    sent = len({ask.prompt for ask in model.asks})
    for row in rows(folder):
        assert row.failed == 2
        assert row.totals["calls"] >= sent > 0  # type: ignore[operator]
        assert row.totals["words"] > case().document.words  # type: ignore[operator]
    assert {one.failed for one in folder.records(Reading)} == {True}

    script.broken = False
    again = await conduct(tmp_path, model, ["readagent-p:2", "gistmem"], [case()])
    assert [row.failed for row in rows(again)] == [0, 0]
    assert {(one.failed, one.pages > 1, one.gist_words > 0) for one in again.records(Reading)} == {(False, True, True)}


async def test_a_search_is_not_charged_for_pages_that_a_model_chose(tmp_path: Path) -> None:
    plan = replace(SMALL, mode="fast")
    folder = await conduct(tmp_path, ScriptedModel(sensible), ["bm25:1", "gistmem"], [case()], plan=plan)
    read = {one.method: one.spent["words"] for one in folder.records(Reading)}
    assert read["bm25:1"] == 0
    assert read["gistmem"] > case().document.words  # type: ignore[operator]


async def test_one_rule_says_what_fits_a_given_window() -> None:
    """600 words are 800 tokens, as in the paper; our estimates are higher."""
    document = prose(40)
    assert document.words == 600
    for name in ("full", "first:600", "last:9000"):
        outcome = await Bench(window=800).answer(name, document, WHO)
        assert (outcome.context_words, outcome.notes) == (600, ())
    with pytest.raises(ContextOverflowError, match="600 words does not fit a window of 799 tokens"):
        await Bench(window=799).answer("full", document, WHO)
    cut = await Bench(window=799).answer("first:600", document, WHO)
    assert (cut.context_words, cut.notes) == (599, ("cut to 599 words to fit the window",))
