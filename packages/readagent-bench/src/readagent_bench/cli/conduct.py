"""Run a study from the command line: with the user's model, library and limits, and a counter of predictions."""

from __future__ import annotations

import asyncio
import os
import re
import shutil
import sys
from collections import Counter
from collections.abc import Iterable, Sequence
from contextlib import nullcontext
from typing import Any, Protocol

from readagent.agent import AsyncReadAgent
from readagent.cli.documents import library_of
from readagent.cli.screen import echo, redraws
from readagent.core.plan import Plan
from readagent.core.trace import Event, Waiting
from readagent.models.ledger import Budget, Ledger
from readagent.settings import Settings
from readagent_bench.context import embedder_of
from readagent_bench.folder import RunFolder
from readagent_bench.spending import paying, recording
from readagent_bench.study import Study
from readagent_bench.task import Predicted


class PredictionsLine(Protocol):
    """What is counted. ``error`` is empty unless it failed."""

    @property
    def error(self) -> str: ...


class PredictionCounter:
    """Counts up to ``total``, starting at the number of predictions that are ``done`` already.

    ``what`` names what is counted.
    """

    def __init__(self, total: int, done: int = 0, what: str = "predictions") -> None:
        self._total = total
        self._what = what
        self._done = done
        self._failed = 0
        self._shown = redraws(sys.stderr)

    def __call__(self, prediction: PredictionsLine) -> None:
        self._failed += bool(prediction.error)
        self.count()

    def count(self, *_: object) -> None:
        """Count one more that has not failed."""
        self._done += 1
        self._draw()

    def listen(self, event: Event) -> None:
        """Show a wait until the next prediction."""
        if isinstance(event, Waiting):
            self._draw(f"; waiting {event.seconds:.0f} s: {event.reason}")

    def _draw(self, more: str = "") -> None:
        if self._shown:
            failed = f", {self._failed} failed" if self._failed else ""
            sys.stderr.write(f"\r\x1b[K{self._done} of {self._total} {self._what}{failed}{more}")
            sys.stderr.flush()

    def __enter__(self) -> PredictionCounter:
        return self

    def __exit__(self, *_: object) -> None:
        if self._shown:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()


_NUMBER = re.compile(r"\d+(?:,\d{3})*(?:\.\d+)?")


def conduct(
    study: Study[Any, Any, Any],
    folder: RunFolder,
    plan: Plan,
    settings: Settings,
    embedder: str,
    ledger: Ledger | None = None,
) -> None:
    """Make the predictions of a study that its folder does not have yet. ``embedder`` is named as in --embedder.

    Studies that are given the same ``ledger`` share the user's budget; the caller has locked their folders.
    """

    async def work() -> None:
        async with embedder_of(embedder, settings.home, library) as vectors:
            with PredictionCounter(study.predictions, len(study.done(folder))) as count:
                await study.conduct(folder.path, agent_of, vectors, count, count.listen)

    def agent_of(number: int) -> AsyncReadAgent:
        return AsyncReadAgent.from_settings(settings, library=library, plan=plan, run=number, ledger=used)

    shared = nullcontext(ledger) if ledger else paying(budget_of(settings), folder.path)
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


def terminal_width() -> int | None:
    """Return the columns of the terminal; None if standard output is not a terminal.

    A narrow table leaves columns out, which a file or a program should get, whatever the variable COLUMNS says.
    """
    if sys.stdout is None or not sys.stdout.isatty():
        return None
    return shutil.get_terminal_size().columns


def text_width() -> int | None:
    """Return the width for text that may be wrapped: that of the terminal, or else of COLUMNS; None without either."""
    given = os.environ.get("COLUMNS", "")
    return terminal_width() or (int(given) if given.isdecimal() and int(given) else None)
