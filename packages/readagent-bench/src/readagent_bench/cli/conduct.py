"""Run a study from the command line: with the user's model, library and limits, and a counter of predictions."""

from __future__ import annotations

import asyncio
import re
import shutil
import sys
from collections import Counter
from collections.abc import Iterable, Sequence
from contextlib import nullcontext

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
from readagent_bench.study import Predicted, Study

_NUMBER = re.compile(r"\d+(?:,\d{3})*(?:\.\d+)?")


class PredictionCounter:
    """Counts predictions up to ``total`` on a terminal, from the number of those that are ``done`` already."""

    def __init__(self, total: int, done: int) -> None:
        self._total, self._done, self._failed = total, done, 0

    def __call__(self, prediction: Predicted) -> None:
        self._done += 1
        self._failed += bool(prediction.error)
        self._draw()

    def listen(self, event: Event) -> None:
        """Show a wait until the next prediction."""
        if isinstance(event, Waiting):
            self._draw(f"; waiting {event.seconds:.0f} s: {event.reason}")

    def _draw(self, more: str = "") -> None:
        failed = f", {self._failed} failed" if self._failed else ""
        self.write(f"{self._done} of {self._total} predictions{failed}{more}")

    def write(self, text: str) -> None:
        """Replace the line by this text."""
        if redraws(sys.stderr):
            sys.stderr.write(f"\r\x1b[K{text}")
            sys.stderr.flush()


def conduct(
    study: Study,
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
            count = PredictionCounter(study.predictions, len(study.done(folder)))
            try:
                await study.conduct(folder.path, agent_of, vectors, count, count.listen)
            finally:
                count.write("")

    def agent_of(number: int) -> AsyncReadAgent:
        return AsyncReadAgent.from_settings(settings, library=library, plan=plan, run=number, ledger=used)

    shared = nullcontext(ledger) if ledger else paying(budget_of(settings), folder.path)
    with shared as used, library_of(settings) as library, recording(folder.path, used):
        asyncio.run(work())


def budget_of(settings: Settings) -> Budget:
    """Return the user's limits."""
    return Budget(settings.max_tokens, settings.max_cost)


def failures(predictions: Iterable[Predicted]) -> Counter[str]:
    """Return how many predictions failed for each reason. Of reasons that differ only in numbers, one is named."""
    alike: dict[str, str] = {}
    errors = [one.error for one in predictions if one.error]
    return Counter(alike.setdefault(_NUMBER.sub("0", error), error) for error in errors)


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
    """Return the columns of the terminal; None if standard output is not a terminal."""
    if sys.stdout is None or not sys.stdout.isatty():
        return None
    return shutil.get_terminal_size().columns


def listed(text: str) -> Sequence[str]:
    """Return the parts of an option that is a list, such as ``A,B``."""
    return [part.strip() for part in text.split(",") if part.strip()]
