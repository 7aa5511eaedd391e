"""The reading room in a browser: text, map and conversation, and what connects them."""

from __future__ import annotations

import pytest

from readagent.testing.loopback import LoopbackServer
from web.browsing import OpenTab, ask, texts, until
from web.fixtures import Serve
from web.running import STORY, TOKEN, Client, held

pytestmark = [pytest.mark.browser, pytest.mark.slow]

LONG = "\n\n".join(f"Chapter {number}\n\n{STORY}" for number in range(1, 5))


def test_what_lies_after_the_reading_position_is_hidden_and_unknown(client: Client, open_tab: OpenTab) -> None:
    document = client.story()
    pages = client.get(f"/api/documents/{document}/pages")
    tab = open_tab(client, f"#/documents/{document}")
    tab.wait_for_selector(".tile .gist")
    ask(tab, "How does it end?")
    tab.focus("#position")
    tab.keyboard.press("Home")
    tab.keyboard.press("ArrowRight")
    tab.wait_for_selector(".rest-hidden")
    tab.wait_for_selector("text=1 answer hidden")
    assert tab.locator(".exchange").count() == 0
    shown = texts(tab, ".tile .gist")
    assert [bool(one) for one in shown] == [page["number"] < 2 for page in pages]
    tab.evaluate("document.querySelector('.pane-text').scrollTop = 1e7")
    last = client.get(f"/api/documents/{document}/text?start={pages[1]['end']}&end={pages[1]['end'] + 60}")[
        "text"
    ].strip()
    assert last.split("\n")[0] not in tab.inner_text(".pane-text")
    ask(tab, "Who is Mira?")
    newest = client.get(f"/api/documents/{document}/answers")[0]
    assert newest["up_to"] == pages[1]["end"]
    assert all(number < 2 for number in newest["pages"])
    tab.reload()
    tab.wait_for_selector(".rest-hidden:visible")
    assert tab.input_value("#position") == "1"


def test_pages_appear_while_reading_and_a_reload_goes_on(
    client: Client, open_tab: OpenTab, model: LoopbackServer
) -> None:
    document = client.post("/api/documents", {"text": LONG, "title": "Long"}, status=201)["id"]
    tab = open_tab(client, f"#/documents/{document}")
    tab.wait_for_selector(".block p")
    assert "not read yet" in tab.inner_text(".room-head")
    with held(model, "<passage>") as free:
        tab.click(".room-job >> text=Read it…")
        tab.click(".room-job .estimate button.main")
        tab.wait_for_selector(".room-job progress")
        tab.reload()
        tab.wait_for_selector(".room-job progress")
        free.set()
        tab.wait_for_selector(".tile")
    tab.wait_for_selector(".room-job", state="hidden")
    pages = client.get(f"/api/documents/{document}/pages")
    until(tab, f"document.querySelectorAll('.tile:not(.unread)').length === {len(pages)}")


@pytest.mark.release
def test_a_restarted_server_is_found_again(serve: Serve, open_tab: OpenTab, model: LoopbackServer) -> None:
    running = serve()
    document = running.client.post("/api/documents", {"text": LONG, "title": "Long"}, status=201)["id"]
    tab = open_tab(running.client, f"#/documents/{document}")
    port = running.listener.getsockname()[1]
    with held(model, ""):
        running.client.post(f"/api/documents/{document}/readings", status=202)
        tab.reload()
        tab.wait_for_selector(".room-job progress")
        running.stop()
        tab.wait_for_selector("#banner >> text=connection")
    again = serve(port=port)
    tab.wait_for_selector("#banner", state="hidden")
    tab.wait_for_selector(".room-job", state="hidden")
    assert tab.locator(".tile").count() == len(again.client.get(f"/api/documents/{document}/pages"))


def test_an_overview_has_options_an_address_and_says_that_the_memory_has_changed(
    client: Client, open_tab: OpenTab
) -> None:
    document = client.story()
    tab = open_tab(client, f"#/documents/{document}?tab=summary")
    tab.click("text=Make the summary")
    tab.click(".overview-tools >> text=Options…")
    tab.fill("#overview-words", "60")
    tab.fill("#overview-audience", "a harbour master")
    tab.click("dialog >> text=Make it")
    tab.wait_for_selector(".overview-tools >> text=60 words · for a harbour master")
    tab.click(".variants >> text=as usual")
    tab.go_back()
    tab.wait_for_selector(".overview-tools .facts >> text=60 words · for a harbour master")
    tab.reload()
    tab.wait_for_selector(".overview-tools .facts >> text=60 words · for a harbour master")
    asked = [one["options"] for one in client.get(f"/api/documents/{document}/overviews")]
    assert [(one["words"], one["audience"]) for one in asked] == [(60, "a harbour master"), (300, "")]
    client("PUT", f"/api/documents/{document}/pages/0/gist", json={"text": "Another gist of this page."})
    tab.reload()
    tab.click(".outdated >> text=Make it again")
    tab.wait_for_selector(".overview-tools .facts >> text=60 words · for a harbour master")
    until(tab, "document.querySelectorAll('.outdated').length === 0")
    tab.click(".variants >> text=as usual")
    tab.wait_for_selector(".outdated")


def test_there_are_answers_to_choose_from(client: Client, open_tab: OpenTab) -> None:
    document = client.story()
    tab = open_tab(client, f"#/documents/{document}")
    tab.wait_for_selector(".tile .gist")
    assert not tab.locator("#choices").is_visible()
    tab.select_option(".ask-kind", "choice")
    tab.fill("#question", "Who?")
    tab.press("#question", "Enter")
    assert "one on each line" in tab.evaluate("document.querySelector(':invalid:focus').validationMessage")
    tab.fill("#choices", "Jakob\n\n Irma \n")
    ask(tab, "Irma holds the key.")
    (answer,) = client.get(f"/api/documents/{document}/answers")
    assert answer["options"] == texts(tab, ".exchange .options li") == ["Jakob", "Irma"]
    assert texts(tab, ".options .chosen") == [answer["options"]["AB".index(answer["choice"])]]
    tab.fill("#choices", "only one")
    tab.fill("#question", "Who?")
    tab.press("#question", "Enter")
    tab.wait_for_selector(".exchange .problem .hint")


def test_a_server_with_another_token_says_where_to_go(serve: Serve, open_tab: OpenTab) -> None:
    running = serve()
    document = running.client.story()
    tab = open_tab(running.client, f"#/documents/{document}")
    tab.wait_for_selector(".tile .gist")
    tab.context.clear_cookies()
    tab.fill("#question", "Who is Mira?")
    tab.press("#question", "Enter")
    tab.wait_for_selector("#banner >> text=another token")
    tab.goto(f"{running.client.address}#/documents/{document}?answer=9")
    tab.reload()
    for token in ("wrong", TOKEN):
        tab.fill("[name=token]", token)
        tab.click("button")
    tab.wait_for_selector(".log .note >> text=This answer is no longer here")
    port = running.listener.getsockname()[1]
    running.stop()
    tab.evaluate("location.hash = '#/documents/other'")
    tab.wait_for_selector("main >> text=the server cannot be reached")
    tab.evaluate(f"location.hash = '#/documents/{document}'")
    serve(port=port)
    tab.wait_for_selector(".tile .gist")
