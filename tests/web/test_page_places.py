"""The reader's place, and an open reading room that follows what is done elsewhere."""

from __future__ import annotations

import pytest

from readagent.testing.loopback import LoopbackServer
from web.browsing import OpenTab, ask, texts, until
from web.running import STORY, Client

pytestmark = [pytest.mark.browser, pytest.mark.slow]

LONG = "\n\n".join(f"Chapter {number}\n\n{STORY}" for number in range(1, 5))


def shown_text(up_to: int) -> str:
    """Return an expression: whether the export, and so every pane, ends at this offset."""
    return f"document.querySelector('.menu-list a')?.href.endsWith('up_to={up_to}')"


@pytest.mark.release
def test_a_place_stays_when_a_text_is_read_with_other_pages(client: Client, open_tab: OpenTab) -> None:
    document = client.story(LONG, "Long")
    before = client.get(f"/api/documents/{document}/pages")
    place = before[1]["end"]
    tab = open_tab(client, f"#/documents/{document}")
    tab.wait_for_selector(".tile .gist")
    tab.focus("#position")
    tab.press("#position", "Home")
    tab.press("#position", "ArrowRight")
    until(tab, f"location.hash.includes('place={place}')")
    share = tab.inner_text(".position-text").split("(")[1].rstrip(")")
    client.ended(client.post(f"/api/documents/{document}/readings", {"preset": "books"}, status=202))
    pages = client.get(f"/api/documents/{document}/pages")
    assert pages[1]["end"] > place  # as many pages as before would show more
    for address in (f"#/documents/{document}", tab.url.removeprefix(client.address)):
        tab.goto(f"{client.address}{address}")
        tab.reload()
        until(tab, shown_text(place))
        assert share in tab.inner_text(".position-text")
        known = sum(page["end"] <= place for page in pages)
        until(tab, f"document.querySelectorAll('.tile').length === {len(pages)}")
        assert tab.locator(".tile:not(.after)").count() == known
    tab.goto(f"{client.address}#/search?q=biscuit")
    tab.wait_for_selector("text=after your reading position hidden")
    tab.goto(f"{client.address}#/documents/{document}")
    tab.click("text=Show one page more")
    until(tab, shown_text(pages[known]["end"]))


def test_what_was_said_aloud_is_taken_back_when_it_is_hidden(
    client: Client, open_tab: OpenTab, model: LoopbackServer
) -> None:
    document = client.story()
    usual = model.answer
    model.answer = lambda prompt, constraint: f"{usual(prompt, constraint)} \u202eback\x07"
    tab = open_tab(client, f"#/documents/{document}")
    tab.wait_for_selector(".tile .gist")
    ask(tab, "What was in the biscuit tin with a skating party on the lid?")
    until(tab, "document.getElementById('announcer').textContent.startsWith('Answer: ')")
    said = tab.text_content("#announcer")
    assert "back" in said
    assert not {"\u202e", "\x07"} & set(said)
    tab.press("#position", "Home")
    tab.wait_for_selector("text=1 answer hidden")
    until(tab, "document.getElementById('announcer').textContent === ''")


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


def test_a_gist_that_was_edited_elsewhere_is_not_overwritten_unseen_nor_a_removal(
    client: Client, open_tab: OpenTab
) -> None:
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
    client("DELETE", f"/api/documents/{document}", status=204)
    tab.wait_for_selector("text=is in the trash")
