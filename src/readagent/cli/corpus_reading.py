"""`readagent corpus read`: in this process, or on a Ray cluster."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

from readagent.agent import AsyncReadAgent
from readagent.cli.announce import Announcement
from readagent.cli.corpus_line import CorpusLine
from readagent.core.plan import Plan
from readagent.corpus import Corpus
from readagent.corpus.worker import Worker
from readagent.settings import Settings

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
