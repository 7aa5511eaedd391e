"""An open reading room follows what is done with its text elsewhere."""

from __future__ import annotations

import pytest

from readagent import ReadAgent
from readagent.settings import load_settings
from readagent.testing.loopback import LoopbackServer
from web.browsing import OpenTab, texts, until
from web.fixtures import Serve
from web.running import STORY, Client, Running

pytestmark = [pytest.mark.browser, pytest.mark.slow]


def test_a_reading_and_a_question_from_elsewhere_appear(client: Client, open_tab: OpenTab) -> None:
    document = client.post("/api/documents", {"text": STORY, "title": "The barge"}, status=201)["id"]
    tab = open_tab(client, f"#/documents/{document}")
    tab.wait_for_selector("text=This text has not been read yet")
    client.ended(client.post(f"/api/documents/{document}/readings", status=202))
    pages = client.get(f"/api/documents/{document}/pages")
    until(tab, f"document.querySelectorAll('.tile:not(.unread)').length === {len(pages)}")
    tab.wait_for_selector("text=This text has not been read yet", state="hidden")
    asked = {"question": "What was in the biscuit tin?"}
    client.ended(client.post(f"/api/documents/{document}/questions", asked, status=202))
    until(tab, "document.querySelectorAll('.exchange:not(.live)').length === 1")
    assert texts(tab, ".exchange .asked") == ["What was in the biscuit tin?"]


def test_a_gist_that_was_edited_elsewhere_is_not_overwritten_unseen(client: Client, open_tab: OpenTab) -> None:
    document = client.story()
    path = f"/api/documents/{document}/pages"
    tab = open_tab(client, f"#/documents/{document}")
    tab.wait_for_selector(".tile .gist")
    client("PUT", f"{path}/0/gist", json={"text": "Edited once."})
    until(tab, "document.querySelector('.tile .gist').textContent === 'Edited once.'")
    tab.click(".tile-tools >> text=Edit gist")
    client("PUT", f"{path}/0/gist", json={"text": "Edited twice."})
    tab.fill(".gist-form textarea", "Edited here.")
    tab.click(".gist-form >> text=Save and pin")
    tab.wait_for_selector(".gist-form .problem:has-text('Edited twice.')")
    assert client.get(path)[0]["gist"] == "Edited twice."
    assert tab.input_value(".gist-form textarea") == "Edited here."
    tab.click(".gist-form >> text=Save and pin")
    tab.wait_for_selector(".gist-form", state="detached")
    assert client.get(path)[0]["gist"] == "Edited here."


def appended(running: Running, model: LoopbackServer, document: str) -> str:
    """Append to a document with a program of its own; return the new id."""
    settings = load_settings({"model": "skimmer", "base_url": model.base_url, "patience": 0.0})
    memory = running.library.memory(document)
    assert memory is not None
    with ReadAgent.from_settings(settings, library=running.library) as agent:
        return agent.append(memory, "\n\nMuch later, the barge was sold to a miller.").document.id


@pytest.mark.release
def test_a_text_that_grew_takes_the_place_of_the_shorter_one(
    serve: Serve, open_tab: OpenTab, model: LoopbackServer
) -> None:
    running = serve()
    client = running.client
    document = client.story()
    tab = open_tab(client, f"#/documents/{document}")
    tab.wait_for_selector(".tile .gist")
    grown = appended(running, model, document)
    assert grown != document
    until(tab, f"location.hash.startsWith('#/documents/{grown}')")
    tab.wait_for_selector(".tile .gist")
    assert client.get(f"/api/documents/{document}")["id"] == grown
    tab.goto(f"{client.address}#/documents/{document}")  # an old link
    until(tab, f"location.hash.startsWith('#/documents/{grown}')")


@pytest.mark.release
def test_a_text_that_was_removed_elsewhere_is_told(client: Client, open_tab: OpenTab) -> None:
    document = client.story()
    tab = open_tab(client, f"#/documents/{document}")
    tab.wait_for_selector(".tile .gist")
    client("DELETE", f"/api/documents/{document}", status=204)
    tab.wait_for_selector("text=there is no document")
    tab.click("text=Back to the library")
    tab.wait_for_selector("text=Drop files")


@pytest.mark.release
@pytest.mark.parametrize("view", ["room"])
def test_a_place_stays_when_the_text_grows(serve: Serve, open_tab: OpenTab, model: LoopbackServer, view: str) -> None:
    running = serve()
    client = running.client
    document = client.story()
    client.post("/api/shelves", {"name": "Barges"}, status=201)
    client.ended(client("PUT", f"/api/shelves/Barges/documents/{document}", status=202))
    place = client.get(f"/api/documents/{document}/pages")[1]["end"]
    tab = open_tab(client, f"#/documents/{document}?place={place}")
    tab.wait_for_selector(".rest-hidden:visible")
    if view == "library":
        tab.goto(f"{client.address}#/")
        tab.wait_for_selector("text=Drop files")
    grown = appended(running, model, document)
    if view == "library":
        tab.goto(f"{client.address}#/shelves/Barges")
        tab.wait_for_selector("text=Asked only up to your place")
        tab.goto(f"{client.address}#/documents/{grown}")
    elif view == "old":
        tab.goto(f"{client.address}#/documents/{document}")
        tab.reload()
    until(tab, f"location.hash.startsWith('#/documents/{grown}')")
    until(tab, f"document.querySelector('.menu-list a')?.href.includes('{grown}/export?format=markdown&up_to={place}')")
    tab.wait_for_selector(".rest-hidden:visible")
    tab.press("#position", "End")
    tab.wait_for_selector(".rest-hidden", state="hidden")
    tab.goto(f"{client.address}#/documents/{grown}")
    tab.reload()
    tab.wait_for_selector(".tile .gist")
    assert not tab.locator(".rest-hidden").is_visible()
