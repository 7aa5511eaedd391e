"""`readagent browse`: carry out an instruction on a web site, in a real browser."""

from __future__ import annotations

import asyncio
import signal
import sys
from contextlib import suppress
from pathlib import Path
from textwrap import shorten
from typing import Any

import click

from readagent.agent import AsyncReadAgent
from readagent.cli.documents import library_of
from readagent.cli.offline import report_local
from readagent.cli.options import JSON, budget_options, model_options
from readagent.cli.output import counted, print_json, quote_line, report_fallbacks, support_lines
from readagent.cli.progress import Progress
from readagent.cli.screen import confirm, echo, style
from readagent.cli.start import settings_with_model
from readagent.errors import BrowserError
from readagent.records import plain
from readagent.records.answers import took
from readagent_browse.live.browsing import BrowseOptions, browse
from readagent_browse.live.network_guard import NetworkGuard
from readagent_browse.live.secrets import secrets_from_env
from readagent_browse.live.trace import answer_record, new_folder, step_record
from readagent_browse.live.visit import Confirm, Limits, Visit, VisitStep, few, refuse


@click.command(
    epilog="""\b
Examples:
  readagent browse https://example.org "Put two blue lamps into the basket"
  readagent browse docs.example.org "Which Python does it need?" --headed
  readagent browse example.org "Log in as mira with {PW}" --secret PW=MY_PW

If INSTRUCTION asks for an answer, it is printed at the end, with quotes from the pages.
It stays on the host of URL and asks before anything is sent, saved or permitted.
"""
)
@click.argument("url")
@click.argument("instruction")
@click.option(
    "--max-steps", type=click.IntRange(1), default=20, show_default=True, metavar="N", help="Maximum number of steps."
)
@click.option(
    "--allow",
    multiple=True,
    metavar="HOST",
    help="Also allow pages from this host, or from *.HOST; https, unless it is written http://HOST; repeatable.",
)
@click.option("--secret", "secrets", multiple=True, metavar="NAME=ENVVAR",
              help="Type the value of ENVVAR for {NAME} into password fields on the host of URL (NAME@HOST: on "
              "another, https unless it is this computer or written http://HOST; NAME:any: into any "
              "field). Prompts and traces hide it where it is recognised; repeatable.")  # fmt: skip
@click.option("--yes", "yes", multiple=True, metavar="HOST",
              help="Trust this host (https, unless it is written http://HOST): send to it without asking, also orders "
              "and deletions; repeatable.")  # fmt: skip
@click.option("--resources", is_flag=True, help="Load scripts, styles and pictures from other public hosts too.")
@click.option("--headed", is_flag=True, help="Show the browser window.")
@click.option("--trace", "folder", type=click.Path(path_type=Path), metavar="DIR",
              help="Write the trace to this folder (default: a new one in READAGENT_HOME/visits).")  # fmt: skip
@click.option("--page-timeout", type=click.FloatRange(1), default=30, show_default=True, metavar="SECONDS",
              help="Maximum time for a page to load.")  # fmt: skip
@click.option("--upload", multiple=True, type=click.Path(path_type=Path), metavar="DIR",
              help="Let it give files in this folder to pages; repeatable.")  # fmt: skip
@click.option("--profile", metavar="NAME", help="Keep logins and cookies in a browser profile.")
@click.option("--screenshots", is_flag=True,
              help="Also show the model a screenshot of each page, if it can see.")  # fmt: skip
@model_options
@budget_options
@JSON
def command(
    url: str, instruction: str, max_steps: int, allow: tuple[str, ...], secrets: tuple[str, ...], yes: tuple[str, ...],
    resources: bool, headed: bool, folder: Path | None, page_timeout: float, upload: tuple[Path, ...],
    profile: str | None, screenshots: bool, as_json: bool, **flags: Any,
) -> None:  # fmt: skip
    """Carry out INSTRUCTION on the web site at URL, step by step, in a real browser (Chromium)."""
    settings = settings_with_model(flags)
    values = secrets_from_env(secrets)
    printer = StepPrinter(quiet=as_json)
    folder = folder or new_folder(settings.home, NetworkGuard(url).start)
    options: BrowseOptions = {
        "allow": allow, "secrets": values, "confirm": _confirm(printer.progress), "yes": yes, "resources": resources,
        "limits": Limits(steps=max_steps, load=page_timeout), "headed": headed, "folder": folder,
        "on_step": printer.step, "listen": printer.progress, "upload": upload, "screenshots": screenshots,
    }  # fmt: skip
    if profile is not None:
        options["profile"] = profile

    async def run(agent: AsyncReadAgent) -> Visit:
        async with agent:
            visit = asyncio.ensure_future(browse(url, instruction, agent, **options))
            try:
                return await asyncio.shield(visit)
            except asyncio.CancelledError:
                visit.cancel()
                await agent.connection.end_calls()  # no other visit uses the replies
                await asyncio.wait([visit])
                raise

    with library_of(settings) as library, printer.progress:
        agent = AsyncReadAgent.from_settings(settings, library=library)
        try:
            visit = asyncio.run(run(agent))
        except (click.Abort, KeyboardInterrupt):
            raise KeyboardInterrupt(_stopped(folder)) from None
    if as_json:
        print_json(visit_record(visit))
    else:
        _show(visit, resources=resources)
    report_fallbacks(visit.trace.fallbacks, noun="part")
    if agent.is_local:
        report_local(settings, as_json=as_json)
    if not visit.done:
        asked = visit.ended == "unconfirmed" and _is_at_terminal()
        raise BrowserError(f"not done: {visit.reason}", hint="" if asked else _HINTS.get(visit.ended, ""))


def _show(visit: Visit, *, resources: bool) -> None:
    """Print the answer, what was blocked, and where the trace is."""
    for line in answer_lines(visit):
        echo(line)
    if visit.blocked_hosts:
        hosts = shorten(", ".join(visit.blocked_hosts), 100)
        allowing = "--allow HOST" if resources else "--allow HOST, or --resources"
        echo(style(f"nothing was loaded from {hosts}; to allow it: {allowing}", dim=True))
    echo(style(f"trace: {visit.folder}", dim=True))


def _stopped(folder: Path) -> str:
    """Return what is said after Ctrl-C: unlike a reading, a visit cannot be continued."""
    trace = f"; the trace so far is in {folder}" if folder.exists() else ""
    return f"stopped{trace}; the same command starts from the beginning"


_HINTS = {
    "steps": "allow more with --max-steps, or divide the task into smaller ones",
    "stuck": "say in the instruction what to do differently, or use another model",
    "unconfirmed": "run it in a terminal to be asked, or trust the host with --yes HOST "
    "(with http:// and port as above)",
}


def _confirm(progress: Progress) -> Confirm:
    """Return how a person is asked: at the terminal, without a line of progress there, or not at all without one."""

    def ask(question: str) -> bool:
        """Ask. Meanwhile Ctrl-C raises KeyboardInterrupt, which asyncio's handler would defer."""
        before = signal.signal(signal.SIGINT, signal.default_int_handler)
        try:
            with progress.aside():
                _discard_typed()
                return confirm(f"{question}\nAllow it?", err=True)
        finally:
            signal.signal(signal.SIGINT, before)

    return ask if _is_at_terminal() else refuse


def _discard_typed() -> None:
    """Forget what was typed before a question was shown, which cannot be an answer to it."""
    if sys.platform == "win32":
        import msvcrt

        while msvcrt.kbhit():
            msvcrt.getwch()
        return
    import termios

    with suppress(termios.error, OSError, ValueError):  # no terminal
        termios.tcflush(sys.stdin, termios.TCIFLUSH)


def _is_at_terminal() -> bool:
    return sys.stdin is not None and sys.stdin.isatty()


class StepPrinter:
    """Prints each step: the action, the page, and how much of the page the model saw."""

    def __init__(self, *, quiet: bool) -> None:
        self.progress = Progress()
        self._quiet = quiet

    def step(self, taken: VisitStep) -> None:
        """Print a step."""
        self.progress.clear()
        if self._quiet:
            return
        echo(f"{taken.number}. {style(taken.description, bold=True)}")
        page = f"{shorten(taken.title or taken.url, 50)}: {counted(taken.page_words, 'word')}"
        opened = ", ".join(str(index + 1) for index in taken.opened) or "none"
        parts = (
            f", {taken.compression:.0%} of them not shown; parts opened: {opened}"
            if taken.page_words and taken.compression
            else ""
        )
        echo(style(f"   {page}{parts}", dim=True))
        if taken.context:
            echo(style(f"   {shorten(taken.context, 100)}", dim=True))
        for line in (*few(taken.events), *([f"failed: {taken.error}"] if taken.error else [])):
            echo(style(f"   {line}", fg="yellow"))


def answer_lines(visit: Visit) -> list[str]:
    """Return the answer of a visit as it is printed: the text, its quotes with their pages, and what they support."""
    answer = visit.answer
    if answer is None:
        return []
    found = ["nearest passages, found for this answer:"] if answer.quotes and answer.quotes[0].by_us else []
    quotes = [f'  "{quote_line(quote)}" {style(f"({quote.place})", dim=True)}' for quote in answer.quotes]
    checked = support_lines(answer.support, answer.quotes, answer.false_quotes, "the pages")
    return ["", answer.text, *(style(line, dim=True) for line in found), *quotes, *checked]


def visit_record(visit: Visit) -> dict[str, Any]:
    """Return a visit as `browse --json` prints it."""
    return {
        "url": visit.url, "instruction": visit.instruction, "ended": visit.ended, "reason": visit.reason,
        "answer": visit.answer and answer_record(visit.answer), "blocked_hosts": list(visit.blocked_hosts),
        "steps": [step_record(taken) for taken in visit.steps], "folder": str(visit.folder or ""),
        **plain(took(visit.trace)),
    }  # fmt: skip
