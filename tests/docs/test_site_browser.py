"""The built site in a browser, from the disk: search, dark mode, versions, narrow screens, and no other host."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import readagent
from needs import built_site

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = [pytest.mark.browser, pytest.mark.slow]


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    from playwright.sync_api import sync_playwright

    from readagent_browse.live.browser import find_browser

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=str(find_browser()), args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture
def site() -> Path:
    return built_site(readagent.__version__)


def opened(browser: Browser, page: Path, *, width: int = 1200, dark: bool = False) -> Page:
    context = browser.new_context(viewport={"width": width, "height": 900}, color_scheme="dark" if dark else "light")
    tab = context.new_page()
    tab.goto(page.as_uri())
    return tab


def test_search_works_from_the_disk_and_asks_no_other_host(browser: Browser, site: Path) -> None:
    tab = opened(browser, site / "index.html")
    asked: list[str] = []
    tab.on("request", lambda request: asked.append(request.url))
    tab.fill("input[name=q]", "BudgetExceededError")
    tab.press("input[name=q]", "Enter")
    tab.wait_for_selector("ul.search li a")
    results = tab.eval_on_selector_all("ul.search li a", "links => links.map(link => link.href)")
    assert any("api/errors.html" in result for result in results)
    assert asked
    assert {address.partition(":")[0] for address in asked} <= {"file", "data"}


def test_the_menu_offers_the_versions_that_are_published(browser: Browser, site: Path, tmp_path: Path) -> None:
    shutil.copytree(site, tmp_path / site.name)
    (tmp_path / "0.1.0").mkdir()
    (tmp_path / "0.1.0" / "index.html").write_text("<title>the old version</title>", "utf-8")
    (tmp_path / "versions.js").write_text(f'window.READAGENT_VERSIONS = ["{site.name}", "0.1.0"];', "utf-8")
    tab = opened(browser, tmp_path / site.name / "api" / "errors.html")
    tab.wait_for_selector("#version option:nth-child(2)", state="attached")
    assert tab.input_value("#version") == site.name
    tab.select_option("#version", "0.1.0")
    tab.wait_for_url((tmp_path / "0.1.0" / "index.html").as_uri())


def test_no_page_is_wider_than_a_telephone(browser: Browser, site: Path) -> None:
    tab = opened(browser, site / "index.html", width=400)
    wide = []
    for page in sorted(site.rglob("*.html")):
        tab.goto(page.as_uri(), wait_until="domcontentloaded")
        if tab.evaluate("document.documentElement.scrollWidth") > 400:
            wide.append(page.relative_to(site).as_posix())
    assert wide == []
