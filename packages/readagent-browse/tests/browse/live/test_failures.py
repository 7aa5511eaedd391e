"""Pages that hang and browsers that crash: each ends the visit with one clear error, whatever is being done."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from pathlib import Path

import psutil
import pytest

from browse.live.conftest import RunVisit
from browse.live.scripted_visitor import Act, ScriptedVisitor
from browse.live.site import site
from readagent.agent import AsyncReadAgent
from readagent.errors import BrowserError
from readagent_browse.live import Limits, browse

pytestmark = [pytest.mark.anyio, pytest.mark.browser]
SHORT = Limits(load=1, idle=1, act=1)
STUCK = """<title>Stuck</title><button onclick="setTimeout(() => { for (;;); })">Hang</button>"""
HANGS = {"Action: press Escape": "<p>Keys</p><script>onkeydown = () => { for (;;); }</script>", "Hang": STUCK}


class Killer(ScriptedVisitor):
    """Kills the browser, or only its pages, at its first turn: at once, or a moment after its action has begun."""

    def __init__(self, acts: list[Act], *, renderers: bool, later: bool) -> None:
        super().__init__(acts)
        self._renderers = renderers
        self._later = later

    def answer(self, prompt: str) -> str:
        if len(self.prompts) == 1:
            asyncio.get_running_loop().call_later(1 if self._later else 0, self._kill)
        return super().answer(prompt)

    def _kill(self) -> None:
        for process in psutil.Process().children(recursive=True):
            with suppress(psutil.Error):  # other processes may end meanwhile
                line = " ".join(process.cmdline())
                wanted = "--type=renderer" in line if self._renderers else "--type=" not in line
                if "chrom" in process.name() and wanted:
                    process.kill()


@pytest.mark.parametrize("renderers", [True], ids=["renderer"])
@pytest.mark.parametrize("act", ["Home"])
async def test_a_page_or_browser_that_is_killed_is_an_error(tmp_path: Path, renderers: bool, act: str) -> None:
    killer = Killer([act, act, act], renderers=renderers, later=act == "Hang")
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
