"""The requests of other programs to /v1, as the page lists them."""

from __future__ import annotations

from collections.abc import Iterator

import httpx2
import pytest

from doors.proxying import CHAT, WINDOW, prose, said
from readagent.testing.loopback import LoopbackServer
from web.browsing import OpenTab, texts
from web.running import TOKEN, Client

pytestmark = [pytest.mark.browser, pytest.mark.slow]


@pytest.fixture
def model() -> Iterator[LoopbackServer]:
    with LoopbackServer(window=WINDOW).in_thread() as server:
        yield server


@pytest.mark.release
def test_the_page_of_the_server_lists_the_requests(client: Client, open_tab: OpenTab) -> None:
    for text in ("Hello", f"Who painted the door?\n\n{prose(12_000)}"):
        body = {"model": "skimmer", "messages": [said("user", text)]}
        address = f"{client.address.rstrip('/')}{CHAT}"
        httpx2.post(address, json=body, headers={"authorization": f"Bearer {TOKEN}"}, timeout=60).raise_for_status()
    tab = open_tab(client, width=360, height=740)
    tab.click("#help")
    tab.click("dialog a[href='#/server']")
    tab.wait_for_selector(".requests td")
    assert tab.locator("dialog").count() == 0
    assert f"{client.address}v1" in tab.inner_text(".server-part:last-child")
    assert tab.evaluate("document.documentElement.scrollWidth") <= 360
    listed = client.get("/api/proxy")
    rows = [texts(tab, f".requests tbody tr:nth-child({number}) td") for number in (1, 2)]
    assert [row[-1] for row in rows] == ["200 \u00b7 made to fit", "200 \u00b7 passed on"]
    assert rows[0][2:7] == [
        f"{listed[0][name]:,}" for name in ("original_tokens", "sent_tokens", "pages", "pages_opened", "calls")
    ]
