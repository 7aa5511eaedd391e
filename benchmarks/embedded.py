"""The offline reader: does it find the right pages, and what does it take? ``offline.py`` judges its answers.

- **Meetings** (QMSum, validation set, specific queries): pages of whole turns ("speaker: content") up to 600 words. A
  page is right if it has a turn of a span marked as relevant. ``bm25`` is ours over pages, ``words and vectors`` the
  hybrid search of the offline reader, whose words were chosen on these meetings.
- **Speed**: through the command line with an empty library; seconds depend on the load of the machine.

The weights are looked for in READAGENT_TEST_WEIGHTS, the home folder (``readagent model pull``) and ``.weights``.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from typing import Any

import numpy as np
from common import (
    SEED,
    Rows,
    Value,
    arguments,
    book,
    dataset,
    manifest,
    print_figures,
    run,
    workplace,
    write_results,
)
from embedded_setup import Setup, weights

from readagent.core.document import Document
from readagent.core.gists.shorten import LEAD_SHARE
from readagent.core.memory import Gist, GistMemory, Page
from readagent.core.plan import preset
from readagent.core.question import Question
from readagent.core.words import count_words
from readagent.embedded.shorten import embed_sentences, extract_gist
from readagent.library import Library
from readagent.retrieval.bm25 import Bm25
from readagent.retrieval.evidence import HybridHinter

AT = (1, 3, 6)
WAYS = ("bm25", "words and vectors")
_PAGE = 600  # words at most, in whole turns
_RESAMPLES = 10_000
_ASKED = ("Who is Anna Pavlovna Scherer?", "Where does the regiment march to?")

Result = tuple[dict[str, Rows | str], dict[str, Value]]


def records_of(file: Path) -> list[Any]:
    """Return the records of a file with one JSON object per line."""
    return [json.loads(line) for line in file.read_text("utf-8").splitlines()]


# Meetings


@dataclass(frozen=True, slots=True)
class Asked:
    """A query about a meeting, the pages marked for it, and the order in which each way finds pages."""

    meeting: int
    truth: frozenset[int]
    orders: dict[str, list[int]]

    def hit(self, way: str, opened: int) -> float:
        return float(bool(self.truth.intersection(self.orders[way][:opened])))


async def meetings(file: Path, setup: Setup) -> Result:
    """Measure the specific queries of QMSum."""
    asked: list[Asked] = []
    for number, record in enumerate(records_of(file)):
        turns = [f"{turn['speaker']}: {turn['content']}".split() for turn in record["meeting_transcripts"]]
        shown = pages_of_turns(turns)
        memory = await _memory([" ".join(word for turn in page for word in turns[turn]) for page in shown], setup)
        pages = Bm25([memory.page_text(page.number) for page in memory.pages])
        hinter = HybridHinter(setup.embedder)
        for query in record["specific_query_list"]:
            marked = {turn for a, b in query["relevant_text_span"] for turn in range(int(a), int(b) + 1)}
            truth = frozenset(page for page, turns_of in enumerate(shown) if marked.intersection(turns_of))
            scores = np.asarray(pages.scores(query["query"]), np.float32)
            orders = {"bm25": [int(page) for page in np.argsort(-scores, kind="stable")]}
            orders[WAYS[1]] = [hint.page for hint in await hinter.hints(memory, Question(query["query"]))]
            asked += [Asked(number, truth, orders)] if truth else []
        print(f"meeting {number}", file=sys.stderr, flush=True)
    found = {way: {k: 100 * fmean(one.hit(way, k) for one in asked) for k in AT} for way in WAYS}
    rows = [{"way": way, "queries": len(asked)} | {f"hit at {k}": hits[k] for k in AT} for way, hits in found.items()]
    gains = [_gain(asked, k) for k in AT]
    figures: dict[str, Value] = {"qmsum_queries": len(asked)}
    figures |= {f"qmsum_{way.replace(' ', '_')}_hit_{k}": hits[k] for way, hits in found.items() for k in AT}
    title = "Words and vectors less bm25, in points, with 95 % intervals over meetings"
    return {"Meetings (QMSum): the right page is found": rows, title: gains}, figures


def pages_of_turns(turns: Sequence[Sequence[str]], words: int = _PAGE) -> list[range]:
    """Return the turns of each page: as many as fit; a turn longer than a page is a page of its own."""
    pages: list[range] = []
    size = words + 1
    for number, turn in enumerate(turns):
        if not turn:
            continue
        if size + len(turn) > words:
            pages.append(range(number, number + 1))
            size = len(turn)
        else:
            pages[-1] = range(pages[-1].start, number + 1)
            size += len(turn)
    return pages


async def _memory(pages: Sequence[str], setup: Setup) -> GistMemory:
    """Return a memory of these pages with gists of the offline reader."""
    at, made, gists = 0, [], []
    for number, text in enumerate(pages):
        made.append(Page(number, at, at + len(text) + 2, count_words(text)))
        at += len(text) + 2
        most = max(25, int(LEAD_SHARE * count_words(text)))
        gist = extract_gist(await embed_sentences(text, setup.embedder), most)
        gists.append(Gist(gist, count_words(gist)))
    text = "".join(f"{page}\n\n" for page in pages)
    return GistMemory(Document.from_text(text), tuple(made), tuple(gists), preset("meetings"))


def _gain(asked: Sequence[Asked], k: int) -> dict[str, Value]:
    """Return how much more is found than by BM25, with an interval from drawing meetings again and again."""
    groups: dict[int, list[float]] = {}
    for one in asked:
        groups.setdefault(one.meeting, []).append(one.hit(WAYS[1], k) - one.hit(WAYS[0], k))
    sums, counts = (np.asarray([each(some) for some in groups.values()], float) for each in (sum, len))
    drawn = np.random.default_rng(SEED).integers(0, len(sums), (_RESAMPLES, len(sums)))
    low, high = np.percentile(sums[drawn].sum(axis=1) / counts[drawn].sum(axis=1), [2.5, 97.5])
    points = 100 * float(sums.sum() / counts.sum())
    return {"measure": f"hit at {k}", "points": points, "from": 100 * float(low), "to": 100 * float(high)}


# Speed


def speed(folder: Path, data: Path | None, words: int) -> Result:
    """Measure one reading and two questions through the command line, with an empty library."""
    text, title = book("war-and-peace", words, data, otherwise=words)
    size = len(text.split())
    rows: list[dict[str, Value]] = []
    with workplace() as home:
        (home / "models").symlink_to(folder, target_is_directory=True)
        (home / "book.txt").write_text(text, "utf-8")
        for name, more in (("read", ()), ("ask", _ASKED[:1]), ("ask again", _ASKED[1:])):
            verb = name.partition(" ")[0]
            flags = ("--preset", "books", "--model", "local")
            ran = run([sys.executable, "-m", "readagent", verb, "book.txt", *more, *flags], home)
            if ran.code:
                raise SystemExit(f"a command failed: {ran.err}")
            rows.append({"command": name, "text": title, "words": size, "seconds": ran.seconds,
                         "CPU seconds": ran.cpu_seconds, "largest process MB": ran.peak_mb})  # fmt: skip
    taken = float(rows[0]["CPU seconds"])
    return {"Speed and memory": rows}, {"speed_words": size, "speed_words_a_cpu_second": size / taken,
                                        "speed_ask_cpu_seconds": rows[1]["CPU seconds"]}  # fmt: skip


async def measure(options: argparse.Namespace, folder: Path, cache: Path) -> None:
    """Measure all parts, write the results of a full run, and print the figures."""
    tables: dict[str, Rows | str] = {}
    figures: dict[str, Value] = {}
    file = dataset(options.data, "qmsum/val.jsonl")
    with Library(cache) as library:
        setup = Setup.open(folder, library)
        found = [speed(folder, options.data, 300 if options.quick else 70_000)]
        if file is None or options.quick:
            print("meetings are skipped: they take an hour, and qmsum/val.jsonl of the data sets", file=sys.stderr)
        else:
            found.insert(0, await meetings(file, setup))
        await setup.model.aclose()
    for some, more in found:
        tables |= some
        figures |= more
    if file is not None and not options.quick:
        write_results("embedded", "The offline reader", tables, manifest(model=setup.model.name))
    print_figures(figures)


def main() -> None:
    options = arguments(__doc__)
    folder = weights()
    if folder is None:
        print("nothing is measured: get the weights with: readagent model pull", file=sys.stderr)
        print_figures({"measured": 0})
        return
    with tempfile.TemporaryDirectory(prefix="readagent-benchmark-") as place:
        asyncio.run(measure(options, folder, options.cache or Path(place) / "cache.db"))


if __name__ == "__main__":
    main()
