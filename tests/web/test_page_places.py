"""How far the reader is, as the page keeps it: the same place in the text whatever its pages are."""

from __future__ import annotations

import pytest

from readagent.testing.loopback import LoopbackServer
from web.browsing import OpenTab, ask, until
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
