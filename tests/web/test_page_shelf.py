"""Shelves in a browser: all documents are asked at once."""

from __future__ import annotations

import pytest

from web.browsing import OpenTab, highlighted, texts, until
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
    tab.uncheck("#compare")
    tab.fill("#question", "What was in the biscuit tin?")
    tab.press("#question", "Enter")
    tab.wait_for_selector(".exchange:not(.live) .quote")
    assert "The" in tab.inner_text(".quote-place >> nth=0")
    tab.click(".quote >> nth=0")
    until(tab, "location.hash.startsWith('#/documents/') && CSS.highlights.get('target')?.size > 0")
    assert highlighted(tab, "target")


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


def test_answers_of_a_shelf_say_what_is_behind_them(client: Client, open_tab: OpenTab) -> None:
    document = client("POST", "/api/uploads?name=barge.txt", content=STORY.encode(), status=201)["id"]
    client.post("/api/shelves", {"name": "Barges"}, status=201)
    client("PUT", f"/api/shelves/Barges/documents/{document}", status=204)
    asked = {"question": "What was in the biscuit tin?"}
    client.ended(client.post("/api/shelves/Barges/questions", asked, status=202))
    client.ended(client.post("/api/shelves/Barges/questions", {**asked, "compare": True}, status=202))
    tab = open_tab(client, "#/shelves/Barges", permissions=["clipboard-read", "clipboard-write"])
    tab.click(".exchange >> nth=0 >> text=Copy")
    until(tab, "document.getElementById('announcer').textContent === 'Copied'")
    assert ", barge.txt; asked on " in tab.evaluate("navigator.clipboard.readText()")
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
    shown = next(one for one in client.get("/api/shelves/Barges")["answers"] if one["pages"])
    kind = ".exchange:has(.compare)" if shown["lines"] else ".exchange:not(:has(.compare))"
    tab.click(f"{kind} >> text=Why did it answer that?")
    tab.click("dialog .opened button >> nth=0")
    tab.wait_for_selector(".room .block p")
    assert f"#/documents/{document}" in tab.url
