"""Pages that hang and browsers that crash: each ends the visit with one clear error, whatever is being done."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from pathlib import Path

import psutil
import pytest

from browse.live.conftest import RunVisit
from browse.live.scripted_visitor import ScriptedVisitor
from browse.live.site import site
from readagent.agent import AsyncReadAgent
from readagent.errors import BrowserError
from readagent_browse.live import Limits, browse

pytestmark = [pytest.mark.anyio, pytest.mark.browser]
SHORT = Limits(load=1, idle=1, act=1)
STUCK = """<title>Stuck</title><button onclick="setTimeout(() => { for (;;); })">Hang</button>"""
HANGS = {"Action: press Escape": "<p>Keys</p><script>onkeydown = () => { for (;;); }</script>", "Hang": STUCK}


class Killer(ScriptedVisitor):
    """Kills the page at its first turn, once its action has begun."""

    def answer(self, prompt: str) -> str:
        if len(self.prompts) == 1:
            asyncio.get_running_loop().call_soon(self._kill)
        return super().answer(prompt)

    def _kill(self) -> None:
        for process in psutil.Process().children(recursive=True):
            with suppress(psutil.Error):  # other processes may end meanwhile
                line = " ".join(process.cmdline())
                if "chrom" in process.name() and "--type=renderer" in line:
                    process.kill()


async def test_a_page_or_browser_that_is_killed_is_an_error(tmp_path: Path) -> None:
    killer = Killer(["Home"] * 3)
    gone = pytest.raises(BrowserError, match="the browser was closed, or its page crashed")
    with site({"/": f"{STUCK}<a href=/>Home</a>"}) as here, gone:
        await browse(here.url, "Die", AsyncReadAgent(killer, window=8000), folder=tmp_path / "t")
    trace = (tmp_path / "t" / "trace.jsonl").read_text("utf-8")
    assert '"event":"step"' in trace
    assert "the browser was closed, or its page crashed" in trace.splitlines()[-1]


@pytest.mark.parametrize("act", [pytest.param(act, marks=[] if act == "Hang" else pytest.mark.slow) for act in HANGS])
async def test_a_page_that_hangs_is_an_error(run_visit: RunVisit, act: str) -> None:
    with site({"/": HANGS[act]}) as here, pytest.raises(BrowserError, match="does not respond"):
        await run_visit(here, [act], limits=SHORT)


@pytest.mark.slow
async def test_a_server_that_does_not_answer_is_named(run_visit: RunVisit) -> None:
    silent = pytest.raises(BrowserError, match=r"127\.0\.0\.1:\d+ does not answer")
    with site({"/": "<title>Start</title><a href=/stalls>Next</a>"}) as here, silent:
        await run_visit(here, ["Next"], limits=SHORT)
