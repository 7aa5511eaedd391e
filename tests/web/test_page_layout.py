"""The page with the keyboard alone, on small screens, and for screen readers."""

from __future__ import annotations

from pathlib import Path
from time import process_time
from typing import TYPE_CHECKING

import pytest

import readagent.web
from readagent.core.document import Document
from web.browsing import OpenTab, highlighted, in_view, until
from web.fixtures import Serve
from web.running import STORY, Client

if TYPE_CHECKING:
    from playwright.sync_api import Page


pytestmark = [pytest.mark.browser, pytest.mark.slow]
FIXTURES = Path(__file__).parent.parent / "fixtures"
STATIC = Path(str(readagent.web.__file__)).parent / "static"


def views(client: Client) -> dict[str, str]:
    """Return the addresses of all views, with something in each, and what is drawn last there."""
    document = client.story(f"{'Verylongwordwithoutanyspaces' * 9}\n\n{STORY}", "Averylongtitlewithoutspaces" * 5)
    client.post("/api/shelves", {"name": "Barges"}, status=201)
    client("PUT", f"/api/shelves/Barges/documents/{document}", status=204)
    client.ended(
        client.post("/api/shelves/Barges/questions", {"question": "Who is Mira?", "compare": True}, status=202)
    )
    for kind in ("summary", "outline", "people", "timeline"):
        client.ended(client.post(f"/api/documents/{document}/overviews", {"kind": kind}, status=202))
    pdf = (FIXTURES / "story.chromium-columns.pdf").read_bytes()
    original = client("POST", "/api/uploads?name=story.pdf", content=pdf, status=201)["id"]
    client("PUT", f"/api/documents/{original}/highlights/10-90")
    client.ended(client.post(f"/api/documents/{document}/questions", {"question": "Who is Mira?"}, status=202))
    gone = client.post("/api/documents", {"text": "Gone.", "title": "Gone" * 50}, status=201)["id"]
    client.post("/api/trash", {"documents": [gone]})
    client.post("/api/library/tags", {"documents": [document], "add": ["tag" * 30]}, status=204)
    room = f"#/documents/{document}"
    return {
        "#/": ".shelf-card",
        room: ".exchange",
        f"{room}?tab=summary": ".overview p",
        f"{room}?tab=outline": ".outline li",
        f"{room}?tab=people": ".people-figure",
        f"{room}?tab=timeline": ".timeline-figure",
        f"#/documents/{original}?tab=original": ".sheet img",
        f"#/documents/{original}?tab=highlights": ".highlights li",
        "#/shelves/Barges": ".exchange",
        "#/search?q=Mira": ".results >> text=/ in 2 documents/",
        "#/answers": ".history li",
        "#/setup": "#provider, .setup .note",
        "#/filling": ".filling, .nothing",
        "#/trash": ".document",
        "#/server": ".requests td",
        f"{room}?upto=3": ".rest-hidden >> text=hidden",
    }


def settled(tab: Page, client: Client, route: str, last: str) -> None:
    """Open a view anew, and wait until all of it is there."""
    tab.goto(f"{client.address}{route}")
    tab.reload()  # another address after # loads nothing, so that there would be nothing to wait for
    tab.wait_for_selector(last, state="attached")


def test_nothing_is_wider_than_a_telephone(client: Client, open_tab: OpenTab) -> None:
    routes = views(client)
    tab = open_tab(client, width=360, height=740)
    tab.click("summary >> text=Filters")
    trash = "document.querySelector('.filters-list [href=\"#/trash\"]')"  # drawn anew with every change of the library
    tab.wait_for_function(f"{trash}?.checkVisibility() && {trash}.getBoundingClientRect().y < 740")
    assert all(tab.locator(f".links [data-view={view}]").is_visible() for view in ("library", "server"))
    for route, last in routes.items():
        settled(tab, client, route, last)
        for pane in ("text", "map", "talk") if "documents" in route else ("",):
            if pane:
                tab.click(f".pane-switch [data-pane={pane}]")
                assert tab.locator(f".pane-{pane}").is_visible()
            assert tab.evaluate("document.documentElement.scrollWidth") <= 360, (route, pane)
            wide = "[...document.querySelectorAll('.pane-text, .pane-body, .log')].filter(one => one.scrollWidth > one.clientWidth + 1).length"
            assert tab.evaluate(wide) == 0, (route, pane)
    tab.set_viewport_size({"width": 360, "height": 225})  # 1440 x 900 at 400 %
    settled(tab, client, list(routes)[1], ".tile .gist")
    tab.click(".pane-switch [data-pane=text]")
    tab.evaluate("document.querySelector('.pane-text').scrollTop = 300")
    until(tab, "document.querySelector('.pane-text').getBoundingClientRect().top <= 1")
    assert tab.evaluate("document.querySelector('.pane-text').clientHeight") > 150


def faults(tab: Page) -> list[tuple[str, str]]:
    """Return all that axe finds wrong."""
    from axe_playwright_python.sync_playwright import Axe

    return [(one["id"], one["nodes"][0]["html"][:200]) for one in Axe().run(tab).response["violations"]]


def test_axe_finds_no_fault(client: Client, open_tab: OpenTab) -> None:
    routes = views(client)
    tab = open_tab(client, width=1440, color_scheme="light", reduced_motion="reduce", bypass_csp=True)
    for route, last in routes.items():
        settled(tab, client, route, last)
        assert faults(tab) == [], route
    tab.evaluate("localStorage.clear()")  # the reading position hides the answer
    settled(tab, client, *list(routes.items())[1])
    tab.click("text=Why did it answer that?")
    tab.wait_for_selector("dialog .calls li")
    tab.evaluate("for (const call of document.querySelectorAll('dialog .calls details')) call.open = true")
    tab.wait_for_selector("dialog pre:visible")
    assert faults(tab) == []


@pytest.mark.release
def test_two_thousand_documents_need_little_time_and_no_more_memory(serve: Serve, open_tab: OpenTab) -> None:
    running = serve()
    for number in range(2000):
        text = f"Log {number}. The lamp burns. {STORY[number : number + 5000]}"
        running.library.add(Document.from_text(text, title=f"Log {number}"))
    tab = open_tab(running.client, "#/setup")
    used = tab.context.new_cdp_session(tab)
    used.send("Performance.enable")

    def measured(name: str) -> float:
        used.send("HeapProfiler.collectGarbage")
        return {one["name"]: one["value"] for one in used.send("Performance.getMetrics")["metrics"]}[name]

    before, server = measured("TaskDuration"), process_time()
    tab.goto(f"{running.client.address}#/")
    tab.wait_for_selector(".documents > :nth-child(50)")
    assert measured("TaskDuration") - before + process_time() - server < 1
    heaps = []
    for page in range(2, 32):
        tab.goto(f"{running.client.address}#/?page={page}")
        tab.wait_for_selector(f".pager >> text=/^{50 * page - 49:,}/")
        heaps.append(measured("JSHeapUsedSize"))
    assert max(heaps[-5:]) < min(heaps[:5]) + 500_000
    tab.goto(f"{running.client.address}#/search?q=lamp")
    tab.wait_for_selector("text=/in 2,000 documents$/")


@pytest.mark.release
def test_the_first_paint_needs_little_script(client: Client, open_tab: OpenTab) -> None:
    document = client.story()
    for route in ("#/", f"#/documents/{document}"):
        tab = open_tab(client, route)
        tab.wait_for_selector("h2 a, .tile")
        tab.reload()
        tab.wait_for_selector("h2 a, .tile")
        loaded = tab.evaluate("performance.getEntriesByType('resource').map(one => new URL(one.name).pathname)")
        scripts = [STATIC / Path(one).name for one in loaded if one.endswith(".js")]
        assert len(scripts) > 5
        assert sum(one.stat().st_size for one in scripts) < 90_000


def tab_to(tab: Page, selector: str, *, back: bool = False) -> None:
    """Press Tab until an element has the focus; it must be visible that it has."""
    for _ in range(80):
        tab.keyboard.press("Shift+Tab" if back else "Tab")
        if tab.evaluate(f"document.activeElement.matches({selector!r})"):
            outline = tab.evaluate("getComputedStyle(document.activeElement).outlineStyle")
            assert outline != "none"
            return
    raise AssertionError(f"{selector} was not reached")


def test_a_document_is_opened_asked_and_its_quote_followed(client: Client, open_tab: OpenTab) -> None:
    document = client.story()
    tab = open_tab(client)
    tab.wait_for_selector(".document h2")
    tab.keyboard.press("?")
    assert "next and previous page" in tab.inner_text("dialog")
    tab.keyboard.press("Escape")
    tab.wait_for_selector("dialog", state="detached")
    tab_to(tab, ".document .title")
    tab.keyboard.press("Enter")
    tab.wait_for_selector(".tile .gist")
    tab.keyboard.press("/")
    tab.keyboard.type("What was in the biscuit tin?/jk?")
    assert tab.input_value("#question") == "What was in the biscuit tin?/jk?"
    tab.keyboard.press("Enter")
    tab.wait_for_selector(".exchange:not(.live) .quote")
    (answer,) = client.get(f"/api/documents/{document}/answers")
    lit = tab.eval_on_selector_all(".tile.lit", "tiles => tiles.map(tile => Number(tile.dataset.page))")
    assert sorted(lit) == sorted(answer["pages"])
    tab.evaluate("document.querySelector('.pane-text').scrollTop = 1e7")
    tab_to(tab, ".quote", back=True)
    tab.keyboard.press("Enter")
    until(tab, "CSS.highlights.get('target')?.size > 0")
    assert "".join(highlighted(tab, "target")) == answer["quotes"][-1]["text"].replace("\n\n", "")
    assert in_view(tab, "target")


def test_pages_the_map_and_a_gist_have_keys(client: Client, open_tab: OpenTab) -> None:
    document = client.story()
    tab = open_tab(client, f"#/documents/{document}")
    tab.wait_for_selector(".tile[data-page='0'][aria-current]")
    tab.keyboard.press("j")
    tab.keyboard.press("j")
    tab.wait_for_selector(".tile[data-page='2'][aria-current]")
    tab.keyboard.press("k")
    tab.wait_for_selector(".tile[data-page='1'][aria-current]")
    tab.keyboard.press("g")
    assert tab.evaluate("document.activeElement.closest('.tile').dataset.page") == "1"
    tab.keyboard.press("ArrowDown")
    assert tab.evaluate("document.activeElement.closest('.tile').dataset.page") == "2"
    tab.keyboard.press("e")
    tab.wait_for_selector(".gist-form textarea:focus")
    tab.keyboard.press("Control+a")
    tab.keyboard.type("Edited <b>with</b> keys: jk/g?")
    tab.keyboard.press("Control+Enter")
    tab.wait_for_selector(".tile[data-page='2'].pinned")
    tab.reload()
    tab.wait_for_selector(".tile[data-page='2'].pinned >> text=Edited <b>with</b> keys: jk/g?")
    assert client.get(f"/api/documents/{document}/pages")[2]["pinned"]
    tab.click("text=Unpin")
    until(tab, "!document.querySelector('.tile.pinned')")
    assert not client.get(f"/api/documents/{document}/pages")[2]["pinned"]
