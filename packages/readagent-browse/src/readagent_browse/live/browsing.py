"""browse(): carry out an instruction on a web site, in a browser started for it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TypedDict, Unpack

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


class BrowseOptions(TypedDict, total=False):
    """The options of a visit. By default, nothing is allowed besides looking at pages of the start address."""

    allow: Iterable[str]  # other hosts whose pages may be loaded
    secrets: Mapping[str, str | Secret]  # typed where the model writes {NAME}; see Secret for where that is
    confirm: Confirm  # called with a question before anything is sent, saved or permitted, or a WebSocket is opened
    yes: Iterable[str]  # hosts that are allowed, and that nothing is asked about
    resources: bool  # also load scripts, styles, pictures and the like from other public hosts
    limits: Limits
    plan: Plan
    headed: bool
    folder: Path  # for the trace, instead of a new folder in the home folder
    on_step: OnStep  # called after each step
    listen: Listener  # called with the events of reading a page
    upload: Iterable[Path]  # folders whose files may be given to pages
    profile: str  # the name of a browser profile that keeps logins for later visits
    screenshots: bool  # a model that can see also gets a picture of the visible part of each page, without secrets


async def browse(url: str, instruction: str, agent: AsyncReadAgent, **options: Unpack[BrowseOptions]) -> Visit:
    """Carry out an instruction on a web site in a real browser and return the visit.

    Each visit is decided anew; gists of parts that have not changed since an earlier one are used again.
    """
    yes, limits = tuple(options.get("yes", ())), options.get("limits", DEFAULT_LIMITS)
    guard = NetworkGuard(url, (*options.get("allow", ()), *yes), resources=options.get("resources", False))
    hidden = Secrets(options.get("secrets"), guard.home)
    goal, consent = Goal(instruction), Consent(options.get("confirm", refuse), yes, hidden)
    uploads, profile, home = Uploads(options.get("upload", ())), options.get("profile"), agent.settings.home
    kept = profile_folder(home, profile) if profile is not None else None
    trace = TraceFolder(options.get("folder") or new_folder(home, guard.start), hidden)
    trace.start(url=guard.start, instruction=instruction, allowed=[str(origin) for origin in guard.allowed])
    try:
        async with (
            launch(headed=options.get("headed", False), profile=kept) as browser,
            open_tab(browser, guard, limits, consent) as tab,
        ):
            tab.monitor.downloads, consent.folder = trace.downloads, trace.path
            runner = VisitRunner(
                tab, goal.instruction, agent, guard.start, hidden, limits, options.get("plan", WEB), trace,
                options.get("on_step"), options.get("listen", ignore), uploads, options.get("screenshots", False),
            )  # fmt: skip
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


def browse_and_wait(url: str, instruction: str, agent: AsyncReadAgent, **options: Unpack[BrowseOptions]) -> Visit:
    """Run ``browse`` from synchronous code and return the visit."""
    loop = PrivateLoop(agent.aclose)
    try:
        return loop.wait(browse(url, instruction, agent, **options))
    finally:
        loop.end()
