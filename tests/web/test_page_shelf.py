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
    tab.fill("#question", "What was in the biscuit tin?")
    tab.press("#question", "Enter")
    tab.wait_for_selector(".exchange:not(.live) .quote")
    assert "The" in tab.inner_text(".quote-place >> nth=0")
    tab.click(".quote >> nth=0")
    until(tab, "location.hash.startsWith('#/documents/') && CSS.highlights.get('target')?.size > 0")
    assert highlighted(tab, "target")


def test_documents_are_compared_in_a_table(client: Client, open_tab: OpenTab) -> None:
    one, two = client.story(title="The barge"), client.story(STORY.replace("Mira", "Nora"), "The other barge")
    client.post("/api/shelves", {"name": "Barges"}, status=201)
    for document in (one, two):
        client.ended(client("PUT", f"/api/shelves/Barges/documents/{document}", status=202))
    tab = open_tab(client, "#/shelves/Barges")
    tab.check("#compare")
    tab.fill("#question", "Who is the verifier?")
    tab.press("#question", "Enter")
    tab.wait_for_selector(".compare tbody tr")
    assert sorted(texts(tab, ".compare tbody th")) == ["The barge", "The other barge"]
    tab.reload()
    tab.wait_for_selector(".compare tbody tr")
