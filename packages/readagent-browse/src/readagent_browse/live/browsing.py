"""browse(): carry out an instruction on a web site, in a browser started for it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from readagent.agent import AsyncReadAgent
from readagent.core.plan import Plan
from readagent.core.trace import Listener, ignore
from readagent.errors import UsageError
from readagent.private import make_folder
from readagent.private_loop import PrivateLoop
from readagent_browse.goal import Goal
from readagent_browse.live.browser import launch
from readagent_browse.live.browser_tab import open_tab
from readagent_browse.live.consent import Consent
from readagent_browse.live.network_guard import NetworkGuard
from readagent_browse.live.secrets import Secret, Secrets
from readagent_browse.live.trace import TraceFolder, new_folder
from readagent_browse.live.visit import DEFAULT_LIMITS, Confirm, Limits, OnStep, Uploads, Visit, refuse
from readagent_browse.live.visit_runner import VisitRunner
from readagent_browse.step import WEB


async def browse(
    url: str,
    instruction: str,
    agent: AsyncReadAgent,
    *,
    allow: Iterable[str] = (),
    secrets: Mapping[str, str | Secret] | None = None,
    confirm: Confirm = refuse,
    yes: Iterable[str] = (),
    resources: bool = False,
    limits: Limits = DEFAULT_LIMITS,
    plan: Plan = WEB,
    headed: bool = False,
    folder: Path | None = None,
    on_step: OnStep | None = None,
    listen: Listener = ignore,
    cached: bool = False,
    upload: Iterable[Path] = (),
    profile: str | None = None,
    screenshots: bool = False,
) -> Visit:
    """Carry out an instruction on a web site in a real browser and return the visit.

    Pages are loaded only from the host of ``url`` and from the hosts in ``allow``. ``secrets`` are typed where the
    model writes ``{NAME}``, on the host of ``url`` into fields for secrets (see ``Secret`` for others); prompts and
    files contain the name instead, wherever the secret is recognised. ``confirm`` is called with a question before
    anything is sent (every request but GET), a WebSocket is opened, a file is saved or a permission is given; by
    default all of that is refused. Hosts in ``yes`` are allowed, and nothing is asked about them. With ``resources``,
    scripts, styles, pictures and the like are also loaded from other public hosts. The files in the folders
    ``upload`` may be given to pages. ``profile`` names a browser profile that keeps logins for later visits. With
    ``screenshots`` a model that can see also gets a picture of the visible part of each page, without the secrets.

    Each visit is decided anew; with ``cached``, decisions of an earlier visit are used again where the page and the
    history are the same. Gists of parts that have not changed are always used again. The trace is written to
    ``folder``, or to a new folder in the home folder. ``on_step`` is called after each step, ``listen`` with the events
    of reading a page.
    """
    trusted = tuple(yes)
    guard = NetworkGuard(url, (*allow, *trusted), resources=resources)
    hidden = Secrets(secrets, guard.home)
    goal, consent, uploads = Goal(instruction), Consent(confirm, trusted, hidden), Uploads(upload)
    kept = profile_folder(agent.settings.home, profile) if profile is not None else None
    trace = TraceFolder(folder or new_folder(agent.settings.home, guard.start), hidden)
    trace.start(url=guard.start, instruction=instruction, allowed=[str(origin) for origin in guard.allowed])
    try:
        async with launch(headed=headed, profile=kept) as browser, open_tab(browser, guard, limits, consent) as tab:
            tab.monitor.downloads = trace.downloads
            consent.folder = trace.path
            runner = VisitRunner(
                tab, goal.instruction, agent, guard.start, hidden, limits, plan, trace, on_step, listen, cached,
                uploads, screenshots,
            )  # fmt: skip
            if not cached:
                (await agent.connection.model()).forget_discarded()
            await tab.open(guard.start)
            visit = await runner.run()
    except BaseException as error:
        trace.end("failed", str(error) or "stopped")
        raise
    trace.end(visit.ended, visit.reason, visit.answer, blocked_hosts=list(guard.blocked_hosts))
    return replace(visit, blocked_hosts=tuple(dict.fromkeys(map(hidden.redact, guard.blocked_hosts))))


def profile_folder(home: Path, name: str) -> Path:
    """Return the folder of a browser profile, which only its user can read."""
    if not re.fullmatch(r"[\w][\w.-]{0,60}", name):
        raise UsageError(f"{name!r} is not a name for a profile", hint="use letters, digits, dots and hyphens")
    folder = home / "profiles" / name
    make_folder(folder)
    return folder


def browse_and_wait(url: str, instruction: str, agent: AsyncReadAgent, **options: Any) -> Visit:
    """Run ``browse`` from synchronous code and return the visit; ``options`` are its keyword arguments."""
    loop = PrivateLoop(agent.aclose)
    try:
        return loop.wait(browse(url, instruction, agent, **options))
    finally:
        loop.end()
