"""A shelf filled by 1, 2 and 4 workers, the cost and memory of each, and asking among 20,000 cards.

The model is scripted, takes 0.25 seconds for a reply and answers 64 calls at once; a worker makes 4 calls at once. The
library is on a real PostgreSQL server. Every worker is a process of its own, as an actor on Ray is: Ray itself is
not measured, it only starts them. Four workers with 16 calls each would use all that the model's server offers, but on
two cores the processors are the limit before that: they are shared with both servers.
"""

from __future__ import annotations

import asyncio
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from common import ROOT, Value, arguments, environment, generated, manifest, print_figures, workplace, write_results
from corpus_parts import Run, SeededVectors, fill_shelf, read_by

from readagent import AsyncReadAgent, Library
from readagent.filling import Entry, Filling
from readagent.shelf import AsyncShelf
from readagent.testing import LoopbackServer, Pace, Skimmer

sys.path.insert(0, str(ROOT / "tests"))
from postgres_server import Server

LATENCY, SLOTS, PARALLEL = 0.25, 64, 4
WORDS = 900  # of a document


@dataclass(frozen=True, slots=True)
class Size:
    """Documents for the workers, and cards to ask."""

    documents: int
    cards: int


FULL = Size(documents=1000, cards=20_000)
QUICK = Size(documents=8, cards=120)


def main() -> None:
    given = arguments(__doc__)
    size = QUICK if given.quick else FULL
    rows: list[dict[str, Value]] = []
    with workplace() as folder, _database() as server:
        texts = _texts(folder / "texts", size.documents)
        for workers in (1, 2, 4):
            url = server.new_database()
            _add(url, texts)
            pace = Pace(LATENCY, 0.0, 0.0, SLOTS)
            with LoopbackServer(pace=pace, keep_requests=False).in_thread() as model:
                rows.append(_row(workers, read_by(workers, url, model.base_url, PARALLEL, environment(folder))))
        asked = asyncio.run(_asked(server.new_database(), size.cards))
    rate = {int(row["workers"]): float(row["documents a second"]) for row in rows}
    figures: dict[str, Value] = {
        "unfinished": sum(int(row["unfinished"]) for row in rows),
        "of_linear_2_workers": rate[2] / rate[1] / 2,
        "of_linear_4_workers": rate[4] / rate[1] / 4,
        "cpu_ms_per_document": rows[0]["CPU ms a document"],
        **asked,
    }
    if not given.quick:
        parts = {"Workers": rows, f"Asking among {size.cards:,} cards": [asked]}
        seen = manifest(latency=LATENCY, slots=SLOTS, parallel=PARALLEL)
        write_results("corpus", "A shelf, filled by several workers", parts, seen)
    print_figures(figures)


@contextmanager
def _database() -> Iterator[Server]:
    server = Server(max_connections="100")
    try:
        yield server.start()
    finally:
        server.stop()


def _texts(folder: Path, count: int) -> list[Path]:
    folder.mkdir()
    files = [folder / f"{number}.txt" for number in range(count)]
    for number, file in enumerate(files):
        file.write_text(generated(WORDS, seed=number))
    return files


def _add(url: str, files: list[Path]) -> None:
    with Library(url) as library:
        Filling(library, "books").add_entries(Entry(str(file)) for file in files)


def _row(workers: int, run: Run) -> dict[str, Value]:
    return {
        "workers": workers,
        "documents": run.documents,
        "documents a second": round(run.documents / run.seconds, 2),
        "CPU ms a document": round(1000 * run.cpu / run.documents, 1),
        "MB": round(run.memory / 1e6),
        "unfinished": run.unfinished,
    }


async def _asked(url: str, cards: int) -> dict[str, Value]:
    """Return the time that choosing among many cards takes, without the model's, and the longest prompt."""
    with Library(url) as library:
        embedder = SeededVectors()
        shelf = await fill_shelf(library, cards, embedder)
        async with AsyncReadAgent(Skimmer(), library=library, window=8192) as agent:
            times, longest = [], 0
            for number in range(5):
                began = time.perf_counter()
                answer = await AsyncShelf(agent, shelf, embedder=embedder).ask(
                    f"What does the contract number {number * 7} say of rent?"
                )
                times.append(time.perf_counter() - began)
                longest = max([longest, *(call.usage.prompt_tokens for call in answer.trace.calls)])
    return {"ask_seconds": round(sorted(times)[2], 3), "ask_longest_prompt_tokens": longest}


if __name__ == "__main__":
    main()
