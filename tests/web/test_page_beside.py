"""What is beside a text in the reading room: the original, highlights, and overviews as drawings."""

from __future__ import annotations

from pathlib import Path

import pytest

from readagent.testing.loopback import LoopbackServer
from web.browsing import OpenTab, ask, highlighted, in_view, texts, until
from web.running import STORY, Client

pytestmark = [pytest.mark.browser, pytest.mark.slow]
PDF = Path(__file__).parent.parent / "fixtures" / "story.chromium-columns.pdf"


def test_a_quote_is_marked_on_its_page_of_the_pdf(client: Client, open_tab: OpenTab) -> None:
    document = client("POST", "/api/uploads?name=story.pdf", content=PDF.read_bytes(), status=201)["id"]
    client.ended(client.post(f"/api/documents/{document}/readings", status=202))
    tab = open_tab(client, f"#/documents/{document}")
    tab.wait_for_selector(".tile .gist")
    ask(tab, "What was in the biscuit tin with a skating party on the lid?")
    until(tab, "CSS.highlights.get('target')?.size > 0")  # a new answer leads to its first quote
    quote = client.get(f"/api/documents/{document}/answers")[0]["quotes"][0]
    tab.click("#tab-original")
    tab.wait_for_selector(".sheet-mark")
    page = int(quote["place"].split()[1].split("-")[0])
    assert texts(tab, "#overview-panel .facts") == [f"Page {page} of 2"]
    assert tab.evaluate("document.querySelector('.sheet img').naturalWidth") > 1000
    tab.click(f"[aria-label='{'Previous' if page == 2 else 'Next'} page']")
    tab.wait_for_selector(f"#overview-panel .facts >> text=Page {3 - page} of 2")
    assert tab.locator(".sheet-mark").count() == 0
    tab.reload()
    tab.wait_for_selector(".sheet img")
    tab.press("#position", "Home")
    tab.wait_for_selector("#overview-panel >> text=more than you have read")


def test_a_passage_is_highlighted_and_copied_with_its_citation(client: Client, open_tab: OpenTab) -> None:
    document = client.story()
    tab = open_tab(client, f"#/documents/{document}", permissions=["clipboard-read", "clipboard-write"])
    tab.wait_for_selector(".tile .gist")
    select = """() => {
        const node = document.querySelectorAll('.block p')[3].firstChild;
        getSelection().setBaseAndExtent(node, 4, node, 40);
        return getSelection().toString();
    }"""
    passage = tab.evaluate(select)
    tab.click(".selection-tools >> text=Copy with citation")
    until(tab, "document.getElementById('announcer').textContent.startsWith('Copied')")
    copied = tab.evaluate("navigator.clipboard.readText()")
    assert copied.startswith(f"\u201c{passage.strip()}\u201d (The Salt Barge, ")
    tab.keyboard.press("h")
    until(tab, "CSS.highlights.get('own')?.size > 0")
    assert highlighted(tab, "own") == [passage]
    tab.reload()
    tab.click("#tab-highlights")
    assert texts(tab, ".highlights .quote-text") == [passage.strip()]
    tab.click(".highlights >> text=Remove")
    tab.wait_for_selector("text=Nothing is highlighted here.")
    assert client.get(f"/api/documents/{document}/highlights") == []


def test_overviews_are_drawn_and_lead_to_their_places(client: Client, open_tab: OpenTab, model: LoopbackServer) -> None:
    document = client.story()
    tab = open_tab(client, f"#/documents/{document}")
    for kind, part in (("summary", ""), ("outline", ""), ("timeline", ".event"), ("people", ".person")):
        tab.click(f"#tab-{kind}")
        tab.click(".offer button")
        tab.wait_for_selector(f".overview-box .overview {part}")
        if part:
            names = f"[...document.querySelectorAll('.drawing {part}')].every(one => one.getAttribute('aria-label'))"
            assert tab.evaluate(names)
            tab.focus(f".drawing {part}[tabindex='0']")
            tab.keyboard.press("End")
            tab.keyboard.press("Enter")
            tab.wait_for_selector(".overview-box li.pointed")
    assert tab.locator(".drawing .edge").count()
    tab.set_viewport_size({"width": 390, "height": 800})
    tab.click(".pane-switch [data-pane=map]")
    until(tab, "document.querySelector('.drawing svg').getBoundingClientRect().right <= 390")
    with tab.expect_download() as saved:
        tab.click(".overview-tools >> text=Markdown")
    assert saved.value.suggested_filename == "people.md"
    tab.reload()
    tab.wait_for_selector("#tab-people[aria-selected=true]")
    tab.click("#tab-summary")
    tab.click(".overview .where >> nth=-1")
    until(tab, "CSS.highlights.get('target')?.size > 0")
    assert in_view(tab, "target")
    other = client.story(STORY.replace("Mira", "Nora"), "Other")
    model.answer = lambda prompt, how: "none"
    tab.goto(f"{client.address}#/documents/{other}?tab=timeline")
    tab.click(".offer button")
    tab.wait_for_selector(".overview >> text=No event was found with a time")
