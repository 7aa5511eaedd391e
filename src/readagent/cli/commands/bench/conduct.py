"""Run a study from the command line: with the user's model, library and limits, and a counter of predictions."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

import click

from readagent.agent import AsyncReadAgent
from readagent.bench.embedders import embedder_of
from readagent.bench.folder import RunFolder
from readagent.bench.spending import Spending
from readagent.bench.study import Study
from readagent.bench.task import Predicted
from readagent.cli.commands.bench.counter import PredictionCounter
from readagent.cli.documents import library_of
from readagent.core.model import Embedder
from readagent.core.plan import Plan
from readagent.models.budget import Budget
from readagent.settings import Settings

StudyOf = Callable[[Embedder | None], Study[Any, Any, Any]]


def conduct(study_of: StudyOf, folder: RunFolder, plan: Plan, settings: Settings, embedder: str) -> None:
    """Make the predictions of a study that its folder does not have yet. ``embedder`` is named as in --embedder."""

    async def work() -> None:
        async with embedder_of(embedder, settings.home, library) as vectors:
            study = study_of(vectors)
            with PredictionCounter(study.predictions, len(study.done(folder))) as count:
                await study.conduct(folder.path, agent_of, vectors, count)

    def agent_of(number: int, spending: Spending) -> AsyncReadAgent:
        left = spending.remaining(Budget(settings.max_tokens, settings.max_cost))
        limited = replace(settings, max_tokens=left.tokens, max_cost=left.cost)
        return AsyncReadAgent.from_settings(limited, library=library, plan=plan, run=number)

    with folder.lock(), library_of(settings) as library:
        asyncio.run(work())


def failures(predictions: Iterable[Predicted]) -> Counter[str]:
    """Return how many predictions failed for each reason."""
    return Counter(one.error for one in predictions if one.error)


def note_failures(failed: Counter[str]) -> None:
    """Print on standard error how many predictions failed and why, if any did."""
    if not failed:
        return
    (reason, _), more = failed.most_common(1)[0], len(failed) - 1
    others = f"; {more} other reasons" if more else ""
    click.echo(
        f"note: {failed.total()} predictions failed and count as wrong ({reason}{others}); "
        "run the same command again to retry them",
        err=True,
    )
