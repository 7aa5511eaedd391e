"""Fixtures for the tests of this folder: a real browser, started once per file, and visits in it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from browse.live.scripted_visitor import Act, ScriptedVisitor
from browse.live.site import Site
from readagent.agent import AsyncReadAgent
from readagent_browse.live.browser import launch
from readagent_browse.live.browser_tab import open_tab
from readagent_browse.live.consent import Consent
from readagent_browse.live.network_guard import NetworkGuard
from readagent_browse.live.secrets import Secrets
from readagent_browse.live.trace import TraceFolder
from readagent_browse.live.visit import Limits, Visit, agree
from readagent_browse.live.visit_runner import VisitRunner

QUICK = Limits(steps=8, load=20, idle=3, act=5)
RunVisit = Callable[..., Awaitable[Visit]]


@pytest.fixture(scope="module")
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(scope="module")
async def browser(anyio_backend: str) -> AsyncIterator[Any]:
    async with launch() as browser:
        yield browser


@pytest.fixture
async def run_visit(browser: Any, tmp_path: Path) -> RunVisit:
    """Returns a function that carries out a script on a site, in a new tab: ``await run_visit(site, ["Sale", ("Search", "lamp")])``."""

    async def run_visit(
        here: Site, acts: list[Act] | ScriptedVisitor, *, allow: tuple[str, ...] = (), path: str = "/", limits: Limits = QUICK,
        secrets: Any = None, confirm: Any = agree, yes: tuple[str, ...] = (), resources: bool = False,
        window: int = 8000, trace: str = "trace",
    ) -> Visit:  # fmt: skip
        model = acts if isinstance(acts, ScriptedVisitor) else ScriptedVisitor(acts)
        guard = NetworkGuard(here.url, (*allow, *yes), resources=resources)
        hidden = Secrets(secrets, guard.home)
        consent = Consent(confirm, yes, hidden)
        async with open_tab(browser, guard, limits, consent) as tab, AsyncReadAgent(model, window=window) as agent:
            folder = TraceFolder(tmp_path / trace, hidden)
            tab.monitor.downloads = folder.downloads
            consent.folder = folder.path
            runner = VisitRunner(tab, "Do as the script says.", agent, here.url, hidden, limits, folder=folder)
            await tab.open(f"{here.url}{path}")
            return await runner.run()

    return run_visit
