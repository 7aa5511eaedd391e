"""Whatever a document, a title or a model says stays text."""

from __future__ import annotations

import pytest

from web.browsing import OpenTab, ask, until
from web.running import Client

pytestmark = [pytest.mark.browser, pytest.mark.slow]

HOSTILE = (
    "<script>window.stolen = 1</script> <img src=x onerror='window.stolen = 2'>\n\n"
    "[a link](javascript:window.stolen=3) **bold** <b>not bold</b> &amp; <svg onload='window.stolen=4'>\n\n"
    "A bell \x07, an escape \x1b[31m, an override \u202edesrever\u202c, and a \u2066left\u2069 isolate. "
    "The lighthouse keeper is called Ada and her dog is called Rex. \U0001f415 wags its tail. "
) + "The lamp burns all night. " * 40  # fmt: skip
TITLE = "<img src=x onerror='window.stolen = 5'> \u202egnorts"


def test_a_hostile_document_stays_text(client: Client, open_tab: OpenTab) -> None:
    document = client.story(HOSTILE, TITLE)
    asked: list[str] = []
    tab = open_tab(client)
    tab.on("request", lambda request: asked.append(request.url))
    tab.on("dialog", lambda box: pytest.fail(box.message))
    tab.wait_for_selector(".document h2")
    assert "<img src=x" in tab.inner_text(".document h2")
    tab.goto(f"{client.address}#/documents/{document}")
    tab.wait_for_selector(".block p")
    shown = tab.inner_text(".pane-text")
    assert "<script>window.stolen = 1</script>" in shown
    assert "[a link](javascript:window.stolen=3) **bold** <b>not bold</b> &amp;" in shown
    assert "A bell ␇, an escape ␛[31m" in shown
    assert "\u202e" not in tab.inner_text("body")
    ask(tab, "What does <b>the</b> lighthouse keeper's dog called Rex do?")
    for kind in ("summary", "people"):
        tab.click(f"#tab-{kind}")
        tab.click(".offer button")
        tab.wait_for_selector(".overview-box .overview")
    tab.goto(f"{client.address}#/search?q=lighthouse")
    tab.wait_for_selector(".snippet")
    assert tab.evaluate("window.stolen") is None
    assert tab.locator("main script, main img, main a[href^=javascript]").count() == 0
    assert all(url.startswith((client.address, "blob:")) for url in asked)


def test_quotes_are_found_after_letters_outside_the_basic_plane(client: Client, open_tab: OpenTab) -> None:
    text = (
        "\U0001f415\U0001f415 woof. " * 200
        + "\n\nThe keeper hid the brass key under the third stone.\n\n"
        + "\U0001f30a sea. " * 200
    )
    document = client.post("/api/documents", {"text": text, "title": "Dogs"}, status=201)["id"]
    start = text.index("The keeper")
    tab = open_tab(client, f"#/documents/{document}?at={start}-{start + len('The keeper hid')}")
    until(tab, "CSS.highlights.get('target')?.size > 0")
    assert tab.evaluate("[...CSS.highlights.get('target')].map(String)") == ["The keeper hid"]


def test_a_read_only_server_offers_nothing_that_changes(serve, open_tab: OpenTab) -> None:
    document = serve().client.story()
    client = serve(read_only=True).client
    tab = open_tab(client)
    tab.wait_for_selector(".document h2")
    assert tab.locator("text=Remove").count() == 0
    assert tab.locator("text=Choose files").count() == 0
    tab.goto(f"{client.address}#/documents/{document}")
    tab.wait_for_selector(".tile .gist")
    assert tab.locator("#question").count() == 0
    assert tab.locator("text=Edit gist").count() == 0
