"""Benchmark runs in a browser: filters, and two methods side by side."""

from __future__ import annotations

from pathlib import Path

import pytest

from bench.studies import PICK, case, conduct
from readagent.core.question import Question
from readagent.testing import ScriptedModel
from readagent_bench.records import Example
from sessions import run, sensible
from web.browsing import OpenTab, texts
from web.fixtures import Serve

pytestmark = [pytest.mark.browser, pytest.mark.slow]


@pytest.fixture(scope="module", autouse=True)  # before the browser, within whose event loop no other can run
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("runs")
    run(conduct(folder / "first", ScriptedModel(sensible), ["readagent-p:2", "full"], [case("one"), case("two")]))
    late = Example(
        "late", Question("Where are w190, w191, w192 and w193 kept?"), references=("Because.",), group="free"
    )
    missed = Example("missed", PICK, gold="C", group="pick")
    run(conduct(folder / "late", ScriptedModel(sensible), ["bm25:1"], [case("one", questions=[late, missed])]))
    return folder


def test_a_question_of_a_run_shows_two_methods_side_by_side(serve: Serve, open_tab: OpenTab, runs: Path) -> None:
    client = serve(runs=runs).client
    shown = client.get("/api/runs/first")
    tab = open_tab(client, "#/server")
    tab.click("text=Benchmark runs")
    tab.click(".run-list a:has-text('first')")
    tab.wait_for_selector(".run-questions a")
    assert texts(tab, ".figures tbody th") == [one["title"] for one in shown["methods"]]
    assert tab.locator(".run-questions li").count() == len(shown["questions"])
    assert "partly right" in tab.inner_text(".legend")
    order = [one["method"] for one in shown["methods"]]
    said = tab.locator(".run-questions li >> nth=0 >> .verdicts .away").all_text_contents()
    assert [one.split(": ")[0].strip() for one in said] == order
    tab.check("#only-wrong")
    assert tab.locator(".run-questions li").count() == sum(one["wrong"] for one in shown["questions"])
    tab.reload()
    tab.wait_for_selector("#only-wrong:checked")
    tab.uncheck("#only-wrong")
    tab.click(".run-questions a >> nth=0")
    tab.wait_for_selector(".attempt")
    record = client.get(f"/api/runs/first/questions/{shown['questions'][0]['id']}")
    assert tab.locator(".attempt").count() == 2
    said = texts(tab, ".attempt .said")
    assert [one["answer"] in text for one, text in zip(record["attempts"], said, strict=False)] == [True, True]
    tab.select_option(".attempt select >> nth=0", "1")
    assert record["attempts"][1]["answer"] in texts(tab, ".attempt .said")[0]
