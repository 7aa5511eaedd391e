"""`readagent corpus read`: in this process, or on a Ray cluster."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from time import monotonic

from readagent.agent import AsyncReadAgent
from readagent.cli.agents import Announcement
from readagent.cli.output import counted
from readagent.cli.progress import Drawn, Pace, fitted, short
from readagent.cli.screen import echo
from readagent.core.plan import Plan
from readagent.corpus import Corpus, Progress, Spending
from readagent.corpus.worker import Worker
from readagent.settings import Settings

_SHARE = 0.1  # of the time is spent on looking how far a corpus is; at ten million documents a look takes a while


class CorpusLine(Drawn):
    """Shows how far a corpus is. ``look`` asks the library, which it does more rarely the longer that takes."""

    def __init__(self, look: Callable[[], Progress]) -> None:
        super().__init__()
        self._look = look
        self._before: Progress | None = None
        self._now = Progress({}, 0, Spending())
        self._next_look = 0.0
        self._pace = Pace()

    def __call__(self) -> None:
        """Show how far the corpus is now, if it is time to."""
        began = monotonic()
        if began < self._next_look:
            return
        self._now = self._look()
        self._next_look = monotonic() + (monotonic() - began) / _SHARE
        self._before = self._before or self._now
        ended, left = self._before.left - self._now.left, self._before.left
        self._pace.note(ended / left if left else 0.0, paid=True)
        self._tick()

    def lines(self, width: int, rows: int) -> list[str]:
        """Return the only line."""
        progress = self._now
        spent = progress.spent
        return [fitted(width, [
            f"{progress.done:,}/{progress.total:,} documents",
            self._pace.left(),
            f"{progress.states.get('reading', 0):,} being read",
            f"{progress.set_aside:,} set aside" if progress.set_aside else "",
            f"${spent.cost:.2f}" if spent.cost else "",
            f"{short(spent.tokens)} tokens" if spent.tokens else "",
            f"{progress.pages:,} pages",
        ])]  # fmt: skip


def report(name: str, progress: Progress) -> None:
    """Print how far a corpus is, on standard output."""
    spent = progress.spent
    echo(f"{name}: {progress.done:,} of {counted(progress.total, 'document')} read, {counted(progress.pages, 'page')}")
    for state in ("waiting", "reading", "failed", "set aside"):
        if number := progress.states.get(state, 0):
            echo(f"  {number:,} {state}{_why(progress.failures) if state == 'set aside' else ''}")
    echo(f"  spent: {counted(spent.calls, 'call')}, {spent.tokens:,} tokens{_cost(spent)}")


def _cost(spent: Spending) -> str:
    """Return the cost, if there is any, and how many calls it does not count."""
    known = f", ${spent.cost:.2f}" if spent.cost else ""
    if not spent.unpriced:
        return known
    return f"{known}, price unknown" + (f" of {counted(spent.unpriced, 'call')}" if known else "")


def _why(failures: Mapping[str, int]) -> str:
    most = sorted(failures.items(), key=lambda pair: -pair[1])[:3]
    return f" ({', '.join(f'{number:,} {kind}' for kind, number in most)})" if most else ""


_LOOK = 0.5  # seconds between two looks at how far it is


@dataclass(frozen=True, slots=True)
class Effort:
    """How many documents are read at once, how often a document is tried, and where that is done."""

    at_once: int | None
    tries: int
    ray: str = ""
    workers: int | None = None
    all_parallel: int | None = None


def read_corpus(corpus: Corpus, settings: Settings, plan: Plan, effort: Effort) -> None:
    """Read what is left of a corpus, and show how far it is."""
    line = CorpusLine(corpus.progress)
    try:
        if effort.ray:
            _on_ray(corpus, settings, plan, effort, line)
        else:
            asyncio.run(_here(corpus, settings, plan, effort, line))
    finally:
        line.clear()


def _on_ray(corpus: Corpus, settings: Settings, plan: Plan, effort: Effort, line: CorpusLine) -> None:
    from readagent.corpus.cluster import Job, read_on_ray  # needs an extra

    announce = Announcement(settings)

    def look() -> None:
        announce()
        line()

    job = Job(settings, plan, corpus.name, effort.at_once, effort.tries, effort.all_parallel)
    read_on_ray(job, corpus.library, effort.ray, workers=effort.workers, on_look=look)


async def _here(corpus: Corpus, settings: Settings, plan: Plan, effort: Effort, line: CorpusLine) -> None:
    async with AsyncReadAgent.from_settings(settings, library=corpus.library, plan=plan) as agent:
        agent.connection.on_send = Announcement(settings)
        worker = Worker(agent, corpus.row, at_once=effort.at_once, tries=effort.tries)
        work = asyncio.create_task(worker.run())
        try:
            while not work.done():
                await asyncio.wait({work}, timeout=_LOOK)
                line()
        finally:
            work.cancel()
            await asyncio.wait({work})
        work.result()
