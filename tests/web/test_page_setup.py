"""The first minutes in a browser: a model is chosen and tested, and a question to an unread text reads it."""

from __future__ import annotations

from pathlib import Path

import pytest

from readagent.testing.loopback import LoopbackServer
from web.browsing import OpenTab, texts
from web.fixtures import Serve
from web.running import STORY

pytestmark = [pytest.mark.browser, pytest.mark.slow]


def test_a_model_is_found_tested_and_kept(
    serve: Serve, open_tab: OpenTab, model: LoopbackServer, own_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", model.base_url)
    assert serve().client.post("/api/setup/model", {"model": "openai/skimmer"}, status=403)["hint"]
    client = serve(setup=True).client
    for named in ("http://127.0.0.1:1/v1", "openai/", "nowhere/model"):
        assert client.post("/api/setup/model", {"model": named}, status=422)["hint"]
    tab = open_tab(client, "#/setup")
    tab.click("text=Test it")
    tab.wait_for_selector(".setup-said >> text=skimmer answers")
    tab.click("[aria-label='Use openai/skimmer']")
    tab.wait_for_selector(".setup-said >> text=openai/skimmer answers")
    tab.wait_for_selector(".ways >> text=in use")
    assert client.get("/api/setup")["model"] == "openai/skimmer"
    assert 'model = "openai/skimmer"' in (own_home / "config.toml").read_text("utf-8")
    client.story()  # the server goes on with it


def test_a_question_to_an_unread_text_reads_it_after_an_estimate(serve: Serve, open_tab: OpenTab) -> None:
    client = serve().client
    document = client.post("/api/documents", {"text": STORY, "title": "Story"}, status=201)["id"]
    tab = open_tab(client, f"#/documents/{document}")
    tab.fill("#question", "What was in the biscuit tin?")
    tab.press("#question", "Enter")
    assert "Nothing has been sent yet" in tab.wait_for_selector(".exchange .estimate-text").inner_text()
    assert client.get("/api/jobs") == []
    tab.click("text=Read it and answer")
    tab.wait_for_selector(".exchange:not(.live) .quote")
    assert texts(tab, ".exchange .asked") == ["What was in the biscuit tin?"]
    tab.wait_for_selector(".tile .gist")
