"""Visits to a small site in a real browser: what is seen, what is done, how they end, and what is kept of them."""

from __future__ import annotations

import json
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from readagent.agent import AsyncReadAgent
from readagent.errors import BrowserError, UsageError
from readagent.webnav.live import Limits, Taken, browse, browse_and_wait
from readagent.webnav.live.gate import Gate
from readagent.webnav.live.observe import observe
from readagent.webnav.live.secrets import Secrets
from readagent.webnav.live.tab import open_tab
from readagent.webnav.show import shown
from webnav.live.conftest import QUICK, Go
from webnav.live.puppet import Puppet
from webnav.live.site import site

pytestmark = [pytest.mark.anyio, pytest.mark.browser]
SHOP = """<title>Shop</title><h1>Shop</h1><form action=/find><input name=q placeholder=Find type=search>
<select name=kind><option>Lamps<option>Chairs</select><button>Go</button></form>"""
FOUND = "<title>Found</title><ul><li><a href=/brass>Brass lamp</a><li><a href=/steel>Steel lamp</a></ul>"


async def looked(browser: Any, html: str) -> tuple[str, Any]:
    """What is seen of a page, and the observation itself."""
    with site({"/": html, "/inside": "<p>In the frame <button>Inner</button></p>"}) as here:
        async with open_tab(browser, Gate(here.url), QUICK) as tab:
            await tab.open(here.url)
            seen = await observe(tab, Secrets())
    return shown(seen.snapshot.root), seen


async def test_a_page_is_seen_as_a_person_sees_it(browser: Any) -> None:
    html = """<title>Odds and ends</title><p style="display:none">hidden text</p><p style="visibility:hidden">unseen</p>
    <div style="height:0;overflow:hidden"><a href=/x>collapsed</a></div><details><summary>More</summary><a href=/y>inside
    details</a></details><input id=t value=stale placeholder=Field><input type=checkbox id=c><select id=s><option>One<option>Two
    </select><textarea id=a>before</textarea><button disabled>Not now</button><span id=l>listens</span><span
    style="cursor:pointer">points</span><p>plain</p><img src=/none alt=vegan><i class="icon-trash" onclick="1"></i><my-box></my-box><iframe
    src=/inside></iframe><script>t.value = 'new'; c.checked = true; s.selectedIndex = 1; a.value = 'after';
    l.addEventListener('click', () => 1); document.querySelector('my-box').attachShadow({mode: 'open'}).innerHTML =
    '<button>In the shadow</button>';</script>"""
    text, seen = await looked(browser, html)
    for unseen in ("hidden text", "unseen", "collapsed", "inside details", "before", "stale"):
        assert unseen not in text
    labels = [element.label for element in seen.snapshot.elements]
    assert labels == ["More", "Field", "c", "Two", "after", "listens", "points", "icon-trash", "In the shadow", "Inner"]
    assert "value=new" in text
    assert "checked" in text
    assert "value=Two" in text
    assert "plain" in text
    assert "alt=vegan" in text, "also before it has loaded"
    assert seen.title == "Odds and ends"


async def test_ids_stay_with_their_elements_and_are_never_given_twice(browser: Any) -> None:
    html = "<div id=box><button>One</button><button>Two</button></div>"
    with site({"/": html}) as here:
        async with open_tab(browser, Gate(here.url), QUICK) as tab:
            await tab.open(here.url)
            first = await observe(tab, Secrets())
            await tab.evaluate("box.prepend(box.lastChild.cloneNode(true)); box.lastChild.textContent = 'Last'; 1")
            second = await observe(tab, Secrets())
    assert [(one.id, one.label) for one in first.snapshot.elements] == [("1", "One"), ("2", "Two")]
    labels = {element.id: element.label for element in second.snapshot.elements}
    assert labels["1"] == "One"
    assert sorted(labels.values()) == ["Last", "One", "Two"]


async def test_a_task_is_carried_out_and_told(tmp_path: Path) -> None:
    told: list[Taken] = []
    acts = [("Find", "lamp"), ("Lamps | Chairs", "Chairs"), "Go", "Brass lamp"]
    with site({"/": SHOP, "/find": FOUND, "/brass": "<title>Brass lamp</title><a href=/>Home</a>"}) as here:
        async with AsyncReadAgent(Puppet(acts), window=8000) as agent:
            visit = await browse(here.url, "Find a brass lamp", agent, folder=tmp_path / "t", tell=told.append)
        assert [one.partition("/")[2] for one in here.asked if "favicon" not in one] == [
            "",
            "find?q=lamp&kind=Chairs",
            "brass",
        ]
    assert visit.done
    assert tuple(told) == visit.steps
    assert [step.words for step in visit.steps] == [
        'type "lamp" into "Find" [1]', 'select "Chairs" in "kind" [2]', 'click "Go" [3]', 'click "Brass lamp" [1]',
        "nothing is left to be done",
    ]  # fmt: skip
    assert visit.steps[3].near.count("lamp") == 2
    lines = [json.loads(line) for line in (tmp_path / "t" / "trace.jsonl").read_text("utf-8").splitlines()]
    assert [line["event"] for line in lines] == ["began", *["step"] * 5, "ended"]
    assert lines[0]["instruction"] == "Find a brass lamp"
    assert lines[3]["words"] == 'click "Go" [3]'
    assert lines[-1]["ended"] == "done"
    for number in range(1, 6):
        assert (tmp_path / "t" / f"step-0{number}.png").read_bytes().startswith(b"\x89PNG")
        assert "lamp" in (tmp_path / "t" / f"step-0{number}.calls.jsonl").read_text("utf-8")
        assert (tmp_path / "t" / f"step-0{number}.snippets.jsonl").exists()


def test_it_can_be_waited_for(own_home: Path) -> None:
    with site({"/": SHOP}) as here:
        visit = browse_and_wait(here.url, "Look around", AsyncReadAgent(Puppet(["Go"]), window=8000))
    assert visit.done
    assert visit.folder is not None
    assert visit.folder.parent == own_home / "visits"


async def test_it_ends_when_the_steps_are_used_up(go: Go) -> None:
    with site({"/": SHOP, "/find": SHOP}) as here:
        visit = await go(here, ["Go"] * 9, limits=Limits(steps=2))
    assert (visit.ended, len(visit.steps), visit.reason) == ("steps", 2, "not done after 2 steps")


async def test_what_cannot_be_done_is_told_to_the_model_and_it_goes_on(go: Go) -> None:
    html = """<button id=a>Covered</button><div id=d style="position:fixed;inset:0;background:#fff8"><p>Cookies</p>
    <button onclick="d.remove()">Fine</button></div>"""
    puppet = Puppet(["Covered", "Fine", "Covered"])
    with site({"/": html}) as here:
        visit = await go(here, puppet, limits=Limits(act=1))
    assert visit.done
    assert visit.steps[0].failed.startswith("it cannot be clicked: it took too long; in the way: <p>Cookies</p>")
    assert [step.failed for step in visit.steps[1:]] == ["", "", ""]
    assert "(failed: it cannot be clicked" in puppet.prompts[1]


async def test_a_page_with_nothing_to_act_on_ends_it(go: Go) -> None:
    with site({"/": "<p>Nothing here.</p>"}) as here:
        visit = await go(here, [])
    assert visit.ended == "failed"
    assert "nothing to act on" in visit.reason


async def test_a_page_that_never_comes_is_one_clear_line_and_the_trace_says_so(tmp_path: Path) -> None:
    with site({}) as here:
        agent = AsyncReadAgent(Puppet([]))
        with pytest.raises(BrowserError, match="/stalls cannot be opened: it took too long"):
            await browse(f"{here.url}/stalls", "Wait", agent, limits=Limits(load=1), folder=tmp_path / "t")
    assert '"ended":"failed"' in (tmp_path / "t" / "trace.jsonl").read_text("utf-8")


async def test_a_start_that_leads_elsewhere_says_where(go: Go) -> None:
    with site({"/": "-> http://localhost:PORT/there", "/there": SHOP}) as here:
        with pytest.raises(BrowserError, match=r"blocked: http://localhost.*not an allowed host") as caught:
            await go(here, [])
        assert "--allow" in caught.value.hint
        assert (await go(here, ["Go"], allow=(f"localhost:{here.port}",), trace="again")).done


async def test_a_page_that_is_stuck_in_a_script_is_one_clear_line(go: Go) -> None:
    page = "<button onclick='setTimeout(() => { for (;;); })'>Hang</button>"
    with site({"/": page}) as here, pytest.raises(BrowserError, match="does not answer"):
        await go(here, ["Hang"], limits=Limits(load=1, settle=1, act=1))


async def test_a_killed_browser_is_one_clear_line(tmp_path: Path) -> None:
    import psutil

    class Murderer(Puppet):
        def answer(self, prompt: str) -> str:
            for process in psutil.Process().children(recursive=True):
                with suppress(psutil.Error):  # others come and go meanwhile
                    if "type=" not in " ".join(process.cmdline()) and "chrom" in process.name():
                        process.kill()
            return super().answer(prompt)

    with site({"/": SHOP}) as here:
        agent = AsyncReadAgent(Murderer(["Go"]))
        with pytest.raises(BrowserError, match="the browser was closed"):
            await browse(here.url, "Die", agent, folder=tmp_path / "t")
    assert '"event":"step"' in (tmp_path / "t" / "trace.jsonl").read_text("utf-8")


async def test_bad_addresses_and_hosts_are_refused_before_a_browser_starts() -> None:
    agent = AsyncReadAgent(Puppet([]))
    with pytest.raises(UsageError, match="not the address of a web page"):
        await browse("file:///etc/passwd", "Read", agent)
    with pytest.raises(UsageError, match="is not a host"):
        await browse("https://example.org", "Read", agent, allow=["example.org/path"])
