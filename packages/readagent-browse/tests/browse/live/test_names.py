"""What elements are called: as the browser's accessibility tree calls them, and without what stands in secret fields."""

from __future__ import annotations

from typing import Any

import pytest

from browse.live.conftest import QUICK
from browse.live.site import site
from readagent_browse.live.browser_tab import open_tab
from readagent_browse.live.network_guard import NetworkGuard
from readagent_browse.live.observe import observe
from readagent_browse.live.secrets import Secrets
from readagent_browse.render import render

pytestmark = [pytest.mark.anyio, pytest.mark.browser]

PAGE = """<title>Names</title><p id=metal>Metal</p><button aria-labelledby=metal>x</button>
<label>Your name <input name=n17></label><label><input type=checkbox value=on> Wrap it</label>
<a href=/cart><svg width=9 height=9><title>Cart</title></svg></a>
<a href=/day title="Choose a day"><i class=date-icon style="display:inline-block;width:9px;height:9px"></i></a>
<label hidden for=seen>Find lamps</label><input id=seen name=q>
<input type=password id=pw value=lantern42 aria-label=PIN><button aria-labelledby=pw>Show it</button>
<label>Code <input autocomplete=one-time-code value=778899 name=otc> again</label><button aria-label="Delete Tom">Delete</button>"""


async def test_elements_are_called_as_their_labels_and_references_say(browser: Any) -> None:
    with site({"/": PAGE}) as here:
        async with open_tab(browser, NetworkGuard(here.url), QUICK) as tab:
            await tab.open(here.url)
            snapshot = (await observe(tab, Secrets())).snapshot
            page: Any = tab.tabs.shown.page
            theirs = [
                await page.locator(f'[data-readagent-id="{one.id}"]').aria_snapshot() for one in snapshot.elements[:6]
            ]
    ours = [element.label for element in snapshot.elements]
    assert ours == [
        "Metal", "Your name", "Wrap it", "Cart", "Choose a day", "Find lamps", "PIN", "Show it", "Code again", "Delete Tom",
    ]  # fmt: skip
    for name, line in zip(ours, theirs, strict=False):
        assert f'"{name}"' in line, "Playwright calls it so, too"
    shown = render(snapshot.root)
    assert "<button id=1 aria-label=Metal>x</button>" in shown
    assert '<input id=6 name=q aria-label="Find lamps">' in shown, "nothing else says it"
    assert "<input id=2 name=n17>" in shown, "the label stands beside it already"
    assert "lantern42" not in shown
    assert "778899" not in shown


@pytest.mark.release
@pytest.mark.slow
async def test_thousands_of_buttons_are_named_in_time(browser: Any) -> None:
    buttons = "".join(f"<p><button>Add {n}</button></p>" for n in range(8000))
    with site({"/": f"<title>Many</title><label>Search <input></label>{buttons}"}) as here:
        async with open_tab(browser, NetworkGuard(here.url), QUICK) as tab:
            await tab.open(here.url)
            snapshot = (await observe(tab, Secrets())).snapshot
    assert len(snapshot.elements) == 8001
    assert snapshot.elements[0].label == "Search"
