"""An open reading room follows what is done with its text elsewhere."""

from __future__ import annotations

import pytest

from web.browsing import OpenTab, texts, until
from web.running import STORY, Client

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


@pytest.mark.release
def test_a_text_that_was_removed_elsewhere_is_told(client: Client, open_tab: OpenTab) -> None:
    document = client.story()
    tab = open_tab(client, f"#/documents/{document}")
    tab.wait_for_selector(".tile .gist")
    client("DELETE", f"/api/documents/{document}", status=204)
    tab.wait_for_selector("text=there is no document")
    tab.click("text=Back to the library")
    tab.wait_for_selector("text=Drop files")
