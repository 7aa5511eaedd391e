"""`readagent browse`: carry out an instruction on a web site, in a real browser."""

from __future__ import annotations

import asyncio
import signal
import sys
from pathlib import Path
from textwrap import shorten
from typing import Any

import click

from readagent.agent import AsyncReadAgent
from readagent.cli.documents import library_of
from readagent.cli.options import JSON, budget_options, model_options, settings_of
from readagent.cli.output import counted, print_json, report_fallbacks, report_local, trace_record
from readagent.cli.progress import Progress
from readagent.errors import BrowserError
from readagent.webnav.live.loop import browse
from readagent.webnav.live.secrets import named_secrets
from readagent.webnav.live.trace import step_record
from readagent.webnav.live.visit import Confirm, Limits, Taken, Visit, agree, refuse


@click.command(
    epilog="""\b
Examples:
  readagent browse https://example.org "Put two blue lamps into the basket"
  readagent browse localhost:8000 "Find the newest post" --headed
  readagent browse example.org "Log in as mira with {PW}" --secret PW=MY_PW

The visit stays on the host it starts on, and asks before anything that may be irreversible.
"""
)
@click.argument("url")
@click.argument("instruction")
@click.option("--max-steps", type=click.IntRange(1), default=20, show_default=True, metavar="N", help="Steps, at most.")
@click.option("--allow", multiple=True, metavar="HOST", help="Another host it may go to, or *.HOST; repeatable.")
@click.option("--secret", "secrets", multiple=True, metavar="NAME=ENVVAR",
              help="Type {NAME} from this environment variable; no prompt and no file has it; repeatable.")  # fmt: skip
@click.option("--yes", is_flag=True, help="Do not ask before buying, deleting, sending and the like.")
@click.option("--headed", is_flag=True, help="Show the browser's window.")
@click.option("--trace", "folder", type=click.Path(path_type=Path), metavar="DIR",
              help="Where the trace is kept (a new folder in READAGENT_HOME/visits).")  # fmt: skip
@click.option("--page-timeout", type=click.FloatRange(1), default=30, show_default=True, metavar="SECONDS",
              help="How long to wait for a page.")  # fmt: skip
@model_options
@budget_options
@JSON
def command(
    url: str, instruction: str, max_steps: int, allow: tuple[str, ...], secrets: tuple[str, ...], yes: bool,
    headed: bool, folder: Path | None, page_timeout: float, as_json: bool, **flags: Any,
) -> None:  # fmt: skip
    """Carry out INSTRUCTION on the web site at URL, step by step, in a real browser (Chromium)."""
    settings = settings_of(flags)
    address = url if "://" in url else f"{'http' if url.startswith(('localhost', '127.')) else 'https'}://{url}"
    known = named_secrets(secrets)
    shown = Shown(quiet=as_json)

    async def visit(agent: AsyncReadAgent) -> Visit:
        async with agent:
            return await browse(
                address, instruction, agent, allow=allow, secrets=known, confirm=_confirm(yes),
                limits=Limits(steps=max_steps, load=page_timeout), headed=headed, folder=folder, tell=shown.step,
                listen=shown.progress,
            )  # fmt: skip

    with library_of(settings) as library, shown.progress:
        agent = AsyncReadAgent.from_settings(settings, library=library)
        came = asyncio.run(visit(agent))
    if as_json:
        print_json(visit_record(came))
    else:
        click.echo(click.style(f"trace: {came.folder}", dim=True))
    report_fallbacks(came.trace.fallbacks)
    if agent.is_local:
        report_local()
    if not came.done:
        raise BrowserError(f"not done: {came.reason}", hint=_HINTS.get(came.ended, ""))


_HINTS = {
    "steps": "allow more with --max-steps, or say it in smaller parts",
    "unconfirmed": "run it in a terminal to be asked, or with --yes to agree to everything",
}


def _confirm(yes: bool) -> Confirm:
    """Who agrees: everybody with --yes; a person at a terminal; otherwise nobody."""
    if yes:
        return agree
    return _asked if sys.stdin is not None and sys.stdin.isatty() else refuse


def _asked(question: str) -> bool:
    """A person's answer. Meanwhile Ctrl-C ends the program as it does elsewhere."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        return click.confirm(f"{question}. Do it?", err=True)
    finally:
        signal.signal(signal.SIGINT, before)


class Shown:
    """Each step, as it is taken: the page, the part of it that was looked at, and what was done."""

    def __init__(self, *, quiet: bool) -> None:
        self.progress = Progress()
        self._quiet = quiet

    def step(self, taken: Taken) -> None:
        self.progress.clear()
        if self._quiet:
            return
        click.echo(f"{taken.number}. {click.style(taken.words, bold=True)}")
        page = f"{shorten(taken.title or taken.url, 50)}: {counted(taken.page_words, 'word')}"
        opened = ", ".join(map(str, taken.opened)) or "none"
        parts = f", {taken.compression:.0%} of them not shown; parts opened: {opened}" if taken.compression else ""
        click.echo(click.style(f"   {page}{parts}", dim=True))
        if taken.near:
            click.echo(click.style(f"   {shorten(taken.near, 100)}", dim=True))
        for line in (*taken.told, *([f"failed: {taken.failed}"] if taken.failed else [])):
            click.echo(click.style(f"   {line}", fg="yellow"))


def visit_record(visit: Visit) -> dict[str, Any]:
    """A visit, as `browse --json` prints it."""
    return {
        "url": visit.url, "instruction": visit.instruction, "ended": visit.ended, "reason": visit.reason,
        "steps": [step_record(taken) for taken in visit.steps], "folder": str(visit.folder or ""),
        **trace_record(visit.trace),
    }  # fmt: skip
