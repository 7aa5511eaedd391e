"""A real browser for the tests of this folder, started once for each file."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import pytest

from readagent.agent import AsyncReadAgent
from readagent.webnav.live.browser import launched
from readagent.webnav.live.gate import Gate
from readagent.webnav.live.loop import Journey
from readagent.webnav.live.secrets import Secrets
from readagent.webnav.live.tab import open_tab
from readagent.webnav.live.trace import TraceFolder
from readagent.webnav.live.visit import Limits, Visit, agree
from webnav.live.puppet import Act, Puppet
from webnav.live.site import Site

QUICK = Limits(steps=8, load=20, settle=3, act=5)
Go = Callable[..., Awaitable[Visit]]


@pytest.fixture(scope="module")
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(scope="module")
async def browser(anyio_backend: str) -> AsyncIterator[Any]:
    async with launched() as browser:
        yield browser


@pytest.fixture
async def go(browser: Any, tmp_path: Path) -> AsyncIterator[Go]:
    """Carries out a script on a site, in a tab of its own: ``await go(site, ["Sale", ("Search", "lamp")])``."""
    async with AsyncExitStack() as stack:

        async def go(
            here: Site, acts: list[Act] | Puppet, *, allow: tuple[str, ...] = (), path: str = "/", limits: Limits = QUICK,
            secrets: dict[str, str] | None = None, confirm: Any = agree, window: int = 8000, trace: str = "trace",
        ) -> Visit:  # fmt: skip
            model = acts if isinstance(acts, Puppet) else Puppet(acts)
            kept = Secrets(secrets)
            tab = await stack.enter_async_context(open_tab(browser, Gate(here.url, allow), limits))
            agent = await stack.enter_async_context(AsyncReadAgent(model, window=window))
            folder = TraceFolder(tmp_path / trace, kept)
            journey = Journey(tab, "Do as the script says.", agent, here.url, kept, confirm, limits, folder=folder)
            await tab.open(f"{here.url}{path}")
            return await journey.go()

        yield go
