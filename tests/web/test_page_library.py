"""The library in a browser: files are added, estimated, read with progress, and found."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from readagent.testing.loopback import LoopbackServer
from web.browsing import OpenTab, highlighted, in_view, texts, until
from web.running import STORY, Client, held

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = [pytest.mark.browser, pytest.mark.slow]


def test_a_file_is_added_estimated_and_read(client: Client, open_tab: OpenTab, tmp_path: Path) -> None:
    (tmp_path / "barge.txt").write_text(STORY, "utf-8")
    tab = open_tab(client)
    tab.wait_for_selector("text=Nothing here yet.")
    tab.set_input_files("[aria-label='Files to add']", tmp_path / "barge.txt")
    said = tab.wait_for_selector(".estimate-text").inner_text()
    assert re.search(r"\d+ pages, \d+ calls", said)
    assert "Nothing has been sent yet" in said
    assert client.get("/api/jobs") == []
    tab.click("text=Read it")
    tab.wait_for_selector(".read-state.yes")
    until(tab, r"/[\d,]+ words · \d+ pages/.test(document.querySelector('.document .facts').innerText)")
    tab.fill("#filter", "barge.txt")
    tab.set_input_files("[aria-label='Files to add']", tmp_path / "barge.txt")
    tab.wait_for_selector(".upload-head >> text=0 of 1 file added, 1 already in the library")
    assert texts(tab, ".document .file") == ["barge.txt"]


def test_files_are_dropped_on_the_page(client: Client, open_tab: OpenTab) -> None:
    tab = open_tab(client)
    tab.evaluate(
        """text => {
            const files = new DataTransfer();
            files.items.add(new File([text], 'one.txt'));
            files.items.add(new File([text + 'And more.'], 'two.txt'));
            for (const type of ['dragenter', 'dragover', 'drop'])
                document.body.dispatchEvent(new DragEvent(type, { dataTransfer: files, bubbles: true, cancelable: true }));
        }""",
        STORY,
    )
    tab.wait_for_selector(".offer-all .estimate-text")
    assert len(client.get("/api/documents")) == 2
    tab.click("text=Read 2 documents")
    until(tab, "document.querySelectorAll('.read-state.yes').length === 2")


def test_an_upload_shows_its_progress_and_is_cancelled(client: Client, open_tab: OpenTab, tmp_path: Path) -> None:
    names = [f"{number}.txt" for number in ("one", "two", "three")]
    for name in names:
        (tmp_path / name).write_text(f"{name} {STORY}", "utf-8")
    tab = open_tab(client)
    tab.route("**/api/uploads?name=one.txt", lambda route: None)  # it never arrives
    tab.set_input_files("[aria-label='Files to add']", [tmp_path / name for name in names])
    tab.wait_for_selector("progress[aria-label='one.txt']")
    tab.click(".links >> text=Server")
    tab.wait_for_selector("h1:has-text('Server')")
    tab.go_back()  # it went on
    tab.click("[aria-label='Cancel three.txt']")
    tab.click("[aria-label='Cancel one.txt']")
    tab.wait_for_selector(".upload-head >> text=1 of 3 files added")
    assert texts(tab, ".upload-state") == ["cancelled", "added", "cancelled"]
    assert [one["title"][:3] for one in client.get("/api/documents")] == ["two"]


def test_reading_is_paused_goes_on_is_stopped_and_fails(
    client: Client, open_tab: OpenTab, model: LoopbackServer
) -> None:
    document = client.post("/api/documents", {"text": STORY, "title": "Story"}, status=201)["id"]
    with held(model, ""):
        client.post(f"/api/documents/{document}/readings", status=202)
        tab = open_tab(client)
        tab.click("text=Pause")
        tab.wait_for_selector(".job-state.paused")
        tab.click("text=Go on")
        tab.wait_for_selector(".job-state.running")
        tab.click(".job button:has-text('Stop')")
        tab.wait_for_selector("text=Go on reading…")
        for number in range(9):
            text = {"text": f"{number} {STORY}", "title": f"Log {number}"}
            one = client.post("/api/documents", text, status=201)["id"]
            client.post(f"/api/documents/{one}/readings", status=202)
        tab.wait_for_selector(".view-head >> text=9 readings: ")
        tab.click(".view-head >> text=9 readings")
        until(tab, "document.querySelectorAll('.going li').length === 9")
        assert "Reading: Log 0" in texts(tab, ".going li")[0]
        tab.click("text=Stop all…")
        tab.click("dialog >> text=Stop 9 jobs")
        tab.wait_for_selector("text=Nothing is going on.")
        tab.go_back()
    model.models = ("another",)
    job = client.ended(client.post(f"/api/documents/{document}/readings", status=202), "failed")
    tab.wait_for_selector(".document .problem:has-text('another')")
    assert job["hint"] in tab.inner_text(".document .problem")


def test_a_hit_of_a_search_opens_the_text_at_its_place(client: Client, open_tab: OpenTab) -> None:
    client.story()
    tab = open_tab(client)
    tab.keyboard.press("/")
    tab.keyboard.type("biscuit tin")
    tab.keyboard.press("Enter")
    hit = tab.wait_for_selector(".result li a")
    assert "biscuit" in texts(tab, ".result mark")
    hit.click()
    until(tab, "CSS.highlights.get('target')?.size > 0")
    assert "biscuit tin" in " ".join(highlighted(tab, "target"))
    assert in_view(tab, "target")


def test_documents_are_renamed_and_removed_and_come_back_from_the_trash(client: Client, open_tab: OpenTab) -> None:
    for title in ("One", "Two", "Three"):
        client.post("/api/documents", {"text": f"{title} {STORY}", "title": title}, status=201)
    tab = open_tab(client)
    tab.click("[aria-label='Rename Two']")
    tab.fill("#new-title", "A <b>new</b> name")
    tab.press("#new-title", "Enter")
    tab.wait_for_selector(".document h2 >> text=A <b>new</b> name")
    for title in ("One", "Three"):
        tab.check(f"[aria-label='Choose {title}']")
    tab.click(".bulk >> text=Tag…")
    tab.fill("#new-tag", "to <i>read</i>")
    tab.press("#new-tag", "Enter")
    tab.click(".filters-list >> text=to <i>read</i>")
    until(tab, "document.querySelectorAll('.document').length === 2")
    tab.click("[aria-label='Tag Three']")
    tab.click("dialog >> [aria-label='Take off to <i>read</i>']")
    until(tab, "document.querySelectorAll('.document').length === 1")
    tab.click(".filters-list >> text=All documents")
    tab.click(".links >> text=Server")
    tab.wait_for_selector("h1:has-text('Server')")
    tab.go_back()
    tab.wait_for_selector(".bulk >> text=2 documents chosen")  # still
    tab.click(".bulk >> text=Put on a shelf…")
    tab.fill("#shelf-name", "Late")
    tab.click("text=Put it there")
    tab.wait_for_selector(".shelf-card >> text=Late")
    tab.click(".bulk >> text=Remove")
    until(tab, "document.querySelectorAll('.document').length === 1")
    tab.click(".undo button")
    until(tab, "document.querySelectorAll('.document').length === 3")
    tab.check("#choose-all")
    tab.click(".bulk >> text=Remove")
    tab.click(".undo >> text=Trash")  # also when the note is long gone
    until(tab, "document.querySelectorAll('.document').length === 3")
    assert " · kept until " in texts(tab, ".facts")[0]
    tab.click("[aria-label='Restore One']")
    until(tab, "document.querySelectorAll('.document').length === 2")
    assert [one["title"] for one in client.get("/api/documents")] == ["One"]
    tab.click("text=Empty the trash…")
    tab.click("dialog button.danger")
    tab.wait_for_selector("text=The trash is empty.")
    assert client.get("/api/trash") == []


def there_and_back(tab: Page, link: str) -> None:
    """Follow a link far down, and come back to where it is."""
    tab.locator(link).scroll_into_view_if_needed()
    place = tab.evaluate("scrollY")
    assert place > 500
    tab.click(link)
    tab.wait_for_selector(".pane-text")
    tab.go_back()
    until(tab, f"Math.abs(scrollY - {place}) < 3")


def test_a_long_list_has_pages_filters_and_an_order(client: Client, open_tab: OpenTab) -> None:
    for number in range(60):
        client.post(
            "/api/documents", {"text": f"Number {number}. The lamp burns.", "title": f"Log {number:02}"}, status=201
        )
    client.post("/api/documents", {"text": STORY, "title": "Story"}, status=201)
    asked: list[str] = []
    tab = open_tab(client)
    until(tab, "document.querySelectorAll('.document').length === 50")
    assert texts(tab, ".document h2")[0] == "Story"
    tab.click("text=Next →")
    until(tab, "document.querySelectorAll('.document').length === 11")
    assert texts(tab, ".pager span") == ["51–61 of 61"]
    tab.go_back()
    until(tab, "document.querySelectorAll('.document').length === 50")
    there_and_back(tab, ".document .title >> nth=45")
    tab.fill("#filter", "log 3")
    until(tab, "document.querySelectorAll('.document').length === 15")
    tab.select_option("[aria-label=Order]", "title")
    until(tab, "document.querySelector('.document h2').innerText === 'Log 03'")
    tab.on("request", lambda request: asked.append(request.url))
    client.post("/api/documents", {"text": "Another. The lamp burns.", "title": "Log 3a"}, status=201)
    until(tab, "document.querySelectorAll('.document').length === 16")  # nobody asked; the server told it
    assert [one for one in asked if "/api/documents" in one] == []
    tab.fill("#search-words", "burns")
    tab.press("#search-words", "Enter")
    tab.wait_for_selector("text=61 passages in 61 documents")
    assert tab.locator(".snippet").count() == 20
    tab.click("text=More")
    until(tab, "document.querySelectorAll('.snippet').length === 40")
    there_and_back(tab, ".snippet >> nth=39")
    assert tab.locator(".snippet").count() == 40
