"""Filling shelves on the page: how far they are, what failed, and what a worker does meanwhile."""

from __future__ import annotations

import pytest

from readagent.library import Library
from readagent.library.corpus_rows import Entry, Spending
from web.browsing import OpenTab, texts, until
from web.fixtures import Serve
from web.test_filling import document, filled

pytestmark = [pytest.mark.browser, pytest.mark.slow]
MARKUP = "<img src=x onerror='window.stolen = 1'>"
HOSTILE = f"{MARKUP} \u202egnorts \x1b[31m"


def failed(library: Library, name: str, number: int, reason: str = "damaged", source: str = "letters") -> None:
    """Make the list of a shelf of which so many documents were set aside."""
    corpora = library.corpora
    corpus = corpora.open(name)
    corpora.add(corpus, [Entry(f"{source}/{n}", {}, "1") for n in range(number)])
    worker = corpora.enlist()
    for row in corpora.claim(corpus, worker, number):
        corpora.fail(worker, row.id, OSError(reason), again=False, spent=Spending())


def figures(shown: str) -> dict[str, str]:
    """Return the figures of a shelf by their labels."""
    lines = [line for line in shown.splitlines() if line]
    return dict(zip(lines[::2], lines[1::2], strict=True))


def test_a_shelf_is_shown_and_follows_its_workers(serve: Serve, open_tab: OpenTab) -> None:
    running = serve()
    corpus, worker = filled(running.library)
    tab = open_tab(running.client, "#/filling")
    tab.wait_for_selector(".filling dd")
    assert texts(tab, ".filling .job-state") == ["Reading"]
    assert tab.inner_text(".filling .job-facts").startswith("3 of 8 documents read \u00b7 1 worker")
    assert figures(tab.inner_text(".filling dl.facts")) == {
        "Read": "3", "Being read": "1", "Waiting": "1", "To be tried again": "1", "Set aside": "2",
        "Pages": "12", "Calls": "7", "Tokens": "1,000", "Cost": "$0.75",
    }  # fmt: skip
    assert tab.evaluate("document.querySelector('.filling progress').position") == 3 / 8
    tab.click("text=OSError")
    tab.wait_for_selector(".failure-list li")
    corpora = running.library.corpora
    (reading,) = corpora.sources(corpus, state="reading")
    corpora.finish(worker, reading.id, document(running.library), pages=4, spent=Spending())
    corpora.dismiss(corpus, worker)
    until(tab, "document.querySelector('.filling .job-state').textContent === 'Not running'")
    assert tab.inner_text(".filling .job-facts") == "4 of 8 documents read"
    assert texts(tab, ".filling code") == ["readagent shelf add letters"]
    assert tab.locator(".failure-list li").count() == 2  # what was open still is
    tab.click(".filling h2 a")
    tab.wait_for_selector(".shelf-view")


def test_failures_are_shown_some_at_a_time_and_tried_again(serve: Serve, open_tab: OpenTab) -> None:
    running = serve()
    failed(running.library, "letters", 120)
    tab = open_tab(running.client, "#/filling")
    tab.wait_for_selector(".failure-kinds summary")
    assert tab.locator(".failure-list li").count() == 0
    assert "120 documents" in tab.inner_text(".failure-kinds summary")
    tab.click(".failure-kinds summary")
    for number in (50, 100, 120):
        until(tab, f"document.querySelectorAll('.failure-list li').length === {number}")
        if number < 120:
            tab.click("text=Show more")
    assert not tab.locator("text=Show more").is_visible()
    sources = texts(tab, ".failure-source")
    assert sources == [f"letters/{n}" for n in range(120)]
    tab.click("text=Try these again")
    tab.wait_for_selector("text=120 documents will be tried again.")
    until(tab, "document.querySelector('.failures').hidden")
    assert figures(tab.inner_text(".filling dl.facts"))["Waiting"] == "120"
    assert running.library.corpora.progress(running.library.corpora.find("letters")).states == {"waiting": 120}


def test_names_and_reasons_stay_text(serve: Serve, open_tab: OpenTab) -> None:
    running = serve()
    failed(running.library, MARKUP, 1, f"{HOSTILE} {'very long ' * 500}", HOSTILE)
    tab = open_tab(running.client, "#/filling", width=400, height=800)
    tab.on("dialog", lambda box: pytest.fail(box.message))
    tab.click(".failure-kinds summary")
    tab.wait_for_selector(".failure-list li")
    shown = tab.inner_text("main")
    assert shown.count(MARKUP) >= 3
    assert "\u202e" not in shown
    assert figures(tab.inner_text(".filling dl.facts"))["Cost"] == "nothing yet"
    assert "\u241b[31m" in shown
    assert len(shown) < 3000
    assert tab.evaluate("window.stolen") is None
    assert tab.locator("main img").count() == 0
    assert tab.evaluate("document.documentElement.scrollWidth") <= 400
