"""Shelves in a browser: all documents are asked at once."""

from __future__ import annotations

import json

import pytest
from playwright.sync_api import Route

from readagent.testing.loopback import LoopbackServer
from web.browsing import OpenTab, texts, until
from web.running import STORY, Client

pytestmark = [pytest.mark.browser, pytest.mark.slow]


def test_a_shelf_is_made_filled_and_asked(client: Client, open_tab: OpenTab) -> None:
    client.story(title="The barge")
    client.story(STORY.replace("Mira", "Nora"), "The other barge")
    tab = open_tab(client)
    tab.fill("#new-shelf", "Barges & more")
    tab.click("text=Create")
    tab.click("text=Add documents…")
    tab.wait_for_selector("dialog input[type=checkbox]")
    for box in tab.locator("dialog input[type=checkbox]").all():
        box.check()
    tab.click("dialog >> button:text-is('Add')")
    until(tab, "document.querySelectorAll('.shelf-documents h2').length === 2")
    assert sorted(texts(tab, ".shelf-documents h2")) == ["The barge", "The other barge"]
    tab.check("#compare")
    tab.fill("#question", "Who is the verifier?")
    tab.press("#question", "Enter")
    tab.wait_for_selector(".compare tbody tr")
    assert sorted(texts(tab, ".compare tbody th")) == ["The barge", "The other barge"]
    offline = json.dumps({**client.get("/api/status"), "is_local": True})
    tab.route("**/api/status", lambda route: route.fulfill(body=offline, content_type="application/json"))
    tab.reload()
    tab.wait_for_selector(".ask-row >> text=Comparing needs a model")
    assert tab.locator("#compare").count() == 0
    held = list[Route]()
    tab.route("**/pages", lambda route: held.append(route))
    with tab.expect_request("**/pages"):
        tab.click(".shelf-documents h2 a >> nth=0")
    tab.wait_for_selector(".tabs", state="attached")
    assert texts(tab, "[role=tab]") == []  # what is chosen before the text is there would be lost
    held.pop().continue_()
    tab.click("#tab-people")
    tab.click(".offer:has-text('An overview needs a model') >> text=Set up the model")
    tab.wait_for_selector("h1:text-is('Model')")


def test_what_the_page_hides_of_a_document_a_shelf_does_not_tell(client: Client, open_tab: OpenTab) -> None:
    story, other = client.story(title="The barge"), client.story(STORY.replace("Mira", "Nora"), "The other barge")
    client.post("/api/shelves", {"name": "Barges"}, status=201)
    for document in (story, other):
        client("PUT", f"/api/shelves/Barges/documents/{document}", status=204)
    client.ended(client.post("/api/shelves/Barges/questions", {"question": "How does it end?"}, status=202))
    place = client.get(f"/api/documents/{story}/pages")[1]["end"]
    tab = open_tab(client, f"#/documents/{story}?upto=2")
    tab.wait_for_selector(".rest-hidden:visible")
    tab.goto(f"{client.address}#/shelves/Barges")
    tab.wait_for_selector("text=1 answer hidden")
    assert tab.locator(".exchange").count() == 0
    hidden, told = (one["card"] for one in client.get("/api/shelves/Barges")["documents"])
    shown = texts(tab, ".shelf-documents > li")
    assert hidden not in shown[0]
    assert told in shown[1]
    tab.fill("#question", "What was in the biscuit tin?")
    tab.press("#question", "Enter")
    tab.wait_for_selector(".exchange:not(.live) .said")
    newest = client.get("/api/shelves/Barges")["answers"][0]
    assert newest["up_to"] == {story: place}
    assert texts(tab, ".exchange .asked") == ["What was in the biscuit tin?"]
    tab.evaluate("localStorage.clear()")
    tab.reload()
    until(tab, "document.querySelectorAll('.exchange').length === 2")


def test_a_shelf_holds_texts_that_were_not_read_and_its_answers_last(
    client: Client, open_tab: OpenTab, model: LoopbackServer
) -> None:
    document = client("POST", "/api/uploads?name=barge.txt", content=STORY.encode(), status=201)["id"]
    tab = open_tab(client, permissions=["clipboard-read", "clipboard-write"])
    tab.check(".document input")
    tab.click("text=Put on a shelf…")
    tab.fill("#shelf-name", "Barges")
    tab.click("text=Put it there")
    tab.click(".undo >> text=Open the shelf")
    tab.wait_for_selector("text=1 document not read: questions leave it out.")
    asked = {"question": "What was in the biscuit tin?"}
    assert client.post("/api/shelves/Barges/questions", asked, status=409)["hint"] == "read some first"
    tab.fill("#question", asked["question"])
    tab.click("text=Read it…")
    tab.wait_for_selector(".estimate-text")
    tab.click("button:text-is('Read it')")
    tab.wait_for_selector("text=Read; it is described with the next question")
    known, model.models = model.models, ("another",)
    client.ended(client.post("/api/shelves/Barges/questions", {"question": "Who failed?"}, status=202), "failed")
    model.models = known
    other = client("POST", "/api/uploads?name=other.txt", content=b"No tin here.", status=201)["id"]
    client("PUT", f"/api/shelves/Barges/documents/{other}", status=204)
    tab.reload()
    tab.wait_for_selector(".ask .main:enabled")
    tab.press("#question", "Enter")  # what was typed is still there
    tab.wait_for_selector(".exchange .quote")
    assert texts(tab, ".exchange .asked") == [asked["question"], "Who failed?"]
    tab.wait_for_selector("text=Read; it is described with the next question", state="detached")
    number = client.get("/api/shelves/Barges")["answers"][0]["id"]
    client("PUT", f"/api/answers/{number}/note", json={"note": "Ask Mira."})
    client.ended(client.post(f"/api/documents/{other}/readings", status=202))  # which changes no earlier answer
    for address, view in (("#/answers", ".history"), ("#/shelves/Barges", ".exchange")):
        tab.goto(f"{client.address}{address}")
        tab.wait_for_selector(f"{view} .answer-facts >> text=1 of 2 documents; 1 not read")
    tab.click(".exchange >> text=Copy")
    until(tab, "document.getElementById('announcer').textContent === 'Copied'")
    copied = tab.evaluate("navigator.clipboard.readText()")
    assert ", barge.txt; shelf: Barges (1 of 2 documents; 1 not read); asked on " in copied
    label = tab.locator(".quotes .label").all_inner_texts()
    assert copied.split("\n\n")[2].startswith(f"{label[0]}:\n> " if label else "> ")
    assert "\n\nNote: Ask Mira.\n\n" in copied
    client.ended(client.post("/api/shelves/Barges/questions", {**asked, "compare": True}, status=202))
    tab.wait_for_selector(".exchange .compare")
    for answer in client.get("/api/shelves/Barges")["answers"]:
        kind = ".exchange:has(.compare)" if answer["lines"] else ".exchange:not(:has(.compare))"
        tab.click(f"{kind} >> text=Why did it answer that?")
        tab.wait_for_selector("dialog .calls > li")
        assert tab.locator("dialog .calls > li").count() == sum(answer["calls"].values())
        tab.click("dialog .calls summary >> nth=0")
        trace = client.get(f"/api/answers/{answer['id']}/trace")
        assert trace["calls"][0]["prompt"][:80].split("\n")[0] in tab.inner_text("dialog pre >> nth=0")
        assert tab.locator("dialog .opened button").count() == len(answer["pages"])
        tab.keyboard.press("Escape")
        tab.wait_for_selector("dialog", state="detached")
    tab.click(".exchange:has(.compare) >> text=Star")
    tab.wait_for_selector("text=★ Starred")
    tab.goto(f"{client.address}#/answers?starred=1")
    until(tab, "document.querySelectorAll('.history li').length === 1")
    tab.click(".history .asked a")
    tab.wait_for_selector(".exchange .compare")
    assert f"#/shelves/Barges?answer={answer['id'] + 1}" in tab.url
    tab.click(".exchange:has(.compare) >> text=Remove")
    tab.wait_for_selector(".undo")
    tab.reload()
    tab.wait_for_selector("text=This answer is no longer here.")
    tab.click(".log >> text=the trash")
    tab.click(".document >> text=Restore")
    tab.wait_for_selector("text=The trash is empty.")
    assert [one["starred"] for one in client.get("/api/shelves/Barges")["answers"]] == [True, False]
    assert client.get("/api/answers?q=biscuit")[1]["documents"] == [document]
    tab.go_back()
    tab.click(".exchange .quote >> nth=0")
    until(tab, "location.hash.startsWith('#/documents/') && CSS.highlights.get('target')?.size > 0")
