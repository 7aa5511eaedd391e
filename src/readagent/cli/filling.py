"""`readagent shelf add` with many documents: in this process, in several, or on a Ray cluster."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Sequence
from math import ceil
from os import cpu_count
from shlex import quote
from time import monotonic
from typing import Any

from readagent.agent import AsyncReadAgent
from readagent.cli.agents import Announcement
from readagent.cli.documents import existing_library, library_of
from readagent.cli.options import plan_of
from readagent.cli.output import counted, print_json
from readagent.cli.progress import Drawn, Pace, duration, fitted, short
from readagent.cli.screen import echo
from readagent.cli.skipped import SkippedFiles
from readagent.cli.start import settings_with_model
from readagent.errors import UsageError
from readagent.filling import Filling, Progress, Spending
from readagent.filling.archives import TWICE
from readagent.filling.filling import GONE
from readagent.filling.team import Job
from readagent.library.corpora import TRIES
from readagent.records.filling import FailureKind, FillingRecord, WorkerRecord, filling_record

_SHARE = 0.1  # of the time is spent on looking how far a shelf is; at ten million documents a look takes a while
_LOOK = 0.5  # seconds between two looks at how far it is
_HARMLESS = "UnsupportedFormatError"  # a folder may have pictures in it


def fill_shelf(
    name: str, sources: Sequence[str], flags: dict[str, Any], effort: dict[str, Any], *, kind: str, as_json: bool
) -> int:
    """Add sources to the list of a shelf, read what is left of it, and return the exit code."""
    effort = _checked({**effort, "tries": effort["tries"] or TRIES})
    settings = settings_with_model(flags)
    with library_of(settings) if sources else existing_library(settings) as library:
        filling = Filling(library, name if sources else library.corpora.find(name).name)
        if sources:
            skipped = SkippedFiles(read={TWICE, GONE})
            added = filling.add(*sources, include=flags["include"], exclude=flags["exclude"], on_skip=skipped)
            echo(f"{counted(added, 'new or changed document')} for the shelf {filling.row.name}", err=True)
            skipped.report()
        how = {"format": flags["as_format"] or "", "ocr": flags["ocr"] or ""}
        how |= {one: flags[one] for one in ("whole", "allow_private")}
        workers, ray = effort.pop("workers"), effort.pop("ray")
        job = Job(settings, plan_of(flags, settings), filling.name, kind=kind, how=how, **effort)
        _read(filling, job, workers, ray)
        record = filling_record(filling)
    if as_json:
        print_json(record)
    else:
        report(record)
    if record.states.set_aside:
        command = f"readagent shelf {{}} {quote(filling.name)}"
        echo(f"to see them: {command.format('status')} --set-aside; again: {command.format('retry')}", err=True)
    harmful = any(one.set_aside and one.kind != _HARMLESS for one in record.failures)
    return int(harmful or record.documents > record.states.done + record.states.set_aside)


def _checked(effort: dict[str, Any]) -> dict[str, Any]:
    """Return the options with a number of workers for this machine, or None; a cluster has its own."""
    if effort["ray"] == "local":  # of a release that had no workers but those of Ray
        effort = {**effort, "ray": None, "workers": effort["workers"] or cpu_count() or 1}
    if effort["all_parallel"] and not effort["ray"] and not effort["workers"]:
        raise UsageError("--all-parallel is for several workers", hint="add --workers N, or use --parallel")
    return effort


def _read(filling: Filling, job: Job, workers: int | None, ray: str | None) -> None:
    """Read what is left, and show how far that is."""
    line, announce = FillingLine(filling.progress), Announcement(job.settings)
    several = bool(ray) or (workers or 1) > 1
    if several and filling.library.corpora.has_left(filling.row):
        announce()
    try:
        if ray:
            from readagent.filling.cluster import read_on_ray  # needs an extra

            read_on_ray(job, filling.library, ray, workers=workers, on_look=line)
        elif workers and several:
            from readagent.filling.processes import read_with_processes

            read_with_processes(job, filling.library, workers, line)
        else:
            asyncio.run(_here(filling, job, announce, line))
    finally:
        line.clear()


async def _here(filling: Filling, job: Job, announce: Announcement, line: Callable[[], None]) -> None:
    async with AsyncReadAgent.from_settings(job.settings, library=filling.library, plan=job.plan) as agent:
        agent.connection.on_send = announce
        work = asyncio.create_task(job.worker(agent, filling.library).run())
        try:
            while not work.done():
                await asyncio.wait({work}, timeout=_LOOK)
                line()
        finally:
            work.cancel()
            await asyncio.wait({work})
        work.result()


class FillingLine(Drawn):
    """Shows how far a shelf is. ``look`` asks the library, which it does more rarely the longer that takes."""

    def __init__(self, look: Callable[[], Progress]) -> None:
        super().__init__()
        self._look = look
        self._before: Progress | None = None
        self._now = Progress({}, 0, Spending())
        self._next_look = 0.0
        self._pace = Pace()

    def __call__(self) -> None:
        """Show how far the shelf is now, if it is time to."""
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


def report(record: FillingRecord) -> None:
    """Print how far a shelf is, on standard output: documents by state, the workers, and each kind of failure."""
    states, total = record.states, counted(record.documents, "document")
    shelved = f"; {record.on_shelf:,} on the shelf" if record.on_shelf != states.done else ""
    echo(f"{record.shelf}: {states.done:,} of {total} read, {counted(record.pages, 'page')}{shelved}")
    for line in _workers(record.workers):
        echo(f"  {line}")
    left = sum(one.documents for one in record.workers if not one.alive)  # they are among those that wait
    if (waiting := states.waiting - left) > 0:
        echo(f"  {waiting:,} waiting")
    again = [(one.documents - one.set_aside, one) for one in record.failures]
    _failures(states.failed, "to be tried again", again)
    _failures(states.set_aside, "set aside", [(one.set_aside, one) for one in record.failures])
    echo(f"  spent: {counted(record.calls, 'call')}, {record.tokens:,} tokens{_cost(record)}")


def _failures(number: int, what: str, kinds: Sequence[tuple[int, FailureKind]]) -> None:
    if number:
        echo(f"  {number:,} {what}")
    for count, one in kinds:
        if count:
            echo(f"    {count:,} {one.kind}, such as {failure_line(one.source, one.reason)}")


def _workers(workers: Sequence[WorkerRecord]) -> Iterator[str]:
    """Yield what workers read, when they last gave a sign of life, and what those that are gone have left."""
    living, gone = [one for one in workers if one.alive], [one for one in workers if not one.alive]
    if living:
        seconds = ceil(max(one.seconds or 0.0 for one in living)) or 1
        by = f"{counted(len(living), 'worker')}, each seen in the last {duration(seconds)}"
        yield f"{sum(one.documents for one in living):,} being read by {by}"
    if gone:
        left, by = sum(one.documents for one in gone), counted(len(gone), "worker")
        yield f"{left:,} left by {by} that ended; the next worker reads them"


def failure_line(source: str, reason: str) -> str:
    """Return which document failed, and why."""
    return reason if source in reason else f"{source}: {reason}"


def _cost(record: FillingRecord) -> str:
    """Return the cost, if there is any, and how many calls it does not count."""
    known = f", ${record.cost:.2f}" if record.cost else ""
    return known + (f", price of {counted(record.unpriced, 'call')} unknown" if record.unpriced else "")
