"""Run a study from the command line: with the user's model, library and limits, and a counter of predictions."""

from __future__ import annotations

import asyncio
import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from contextlib import nullcontext
from typing import Any

from readagent.agent import AsyncReadAgent
from readagent.cli.documents import library_of
from readagent.cli.screen import echo
from readagent.core.model import Embedder
from readagent.core.plan import Plan
from readagent.models.purse import Budget, Purse
from readagent.settings import Settings
from readagent_bench.cli.counter import PredictionCounter
from readagent_bench.embedders import embedder_of
from readagent_bench.folder import RunFolder
from readagent_bench.spending import paying, recording
from readagent_bench.study import Study
from readagent_bench.task import Predicted

_NUMBER = re.compile(r"\d+(?:,\d{3})*(?:\.\d+)?")
StudyOf = Callable[[Embedder | None], Study[Any, Any, Any]]


def conduct(
    study_of: StudyOf, folder: RunFolder, plan: Plan, settings: Settings, embedder: str, purse: Purse | None = None
) -> None:
    """Make the predictions of a study that its folder does not have yet. ``embedder`` is named as in --embedder.

    Studies that are given the same ``purse`` share the user's budget; the caller has locked their folders.
    """

    async def work() -> None:
        async with embedder_of(embedder, settings.home, library) as vectors:
            study = study_of(vectors)
            with PredictionCounter(study.predictions, len(study.done(folder))) as count:
                await study.conduct(folder.path, agent_of, vectors, count, count.listen)

    def agent_of(number: int) -> AsyncReadAgent:
        return AsyncReadAgent.from_settings(settings, library=library, plan=plan, run=number, purse=used)

    shared = nullcontext(purse) if purse else paying(budget_of(settings), folder.path)
    with shared as used, library_of(settings) as library, recording(folder.path, used):
        asyncio.run(work())


def budget_of(settings: Settings) -> Budget:
    """Return the user's limits."""
    return Budget(settings.max_tokens, settings.max_cost)


def failures(predictions: Iterable[Predicted]) -> Counter[str]:
    """Return how many predictions failed for each reason. Reasons that differ only in numbers are one, with a range."""
    alike: dict[str, list[str]] = {}
    for one in predictions:
        if one.error:
            alike.setdefault(_NUMBER.sub("0", one.error), []).append(one.error)
    return Counter({_in_one(errors): len(errors) for errors in alike.values()})


def _in_one(errors: Sequence[str]) -> str:
    """Return errors that differ only in numbers as one: "a text of 5,000 to 7,000 words"."""
    columns = iter(zip(*map(_NUMBER.findall, errors), strict=True))

    def ranged(_: re.Match[str]) -> str:
        numbers = sorted(set(next(columns)), key=lambda number: float(number.replace(",", "")))
        return numbers[0] if len(numbers) == 1 else f"{numbers[0]} to {numbers[-1]}"

    return _NUMBER.sub(ranged, errors[0])


def note_failures(failed: Counter[str]) -> None:
    """Print on standard error how many predictions failed and why, if any did."""
    if not failed:
        return
    (reason, _), more = failed.most_common(1)[0], len(failed) - 1
    others = f"; {more} other reasons" if more else ""
    echo(
        f"note: {failed.total()} predictions failed and count as wrong ({reason}{others}); "
        "run the same command again to retry them",
        err=True,
    )
