"""Finding pages of meetings by hints alone: the rank of the marked pages, and which are shown as hints."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from itertools import groupby, product
from pathlib import Path
from statistics import fmean
from typing import Any

import numpy as np
from common import Rows, Value
from embedded_find import pages_of_turns
from embedded_measures import AT, Array, best_of, fused, interval, order, records_of

from readagent.core.asking.lookup import pages_to_show
from readagent.core.document import Document
from readagent.core.gists.shorten import LEAD_SHARE
from readagent.core.memory import Gist, GistMemory, Page
from readagent.core.model import Embedder, Hint
from readagent.core.plan import preset
from readagent.core.question import Question
from readagent.core.words import count_words
from readagent.embedded.shorten import embed_sentences, extract_gist
from readagent.retrieval.bm25 import Bm25, passages
from readagent.retrieval.evidence import HybridHinter, Relevance
from readagent.retrieval.hints import WordHinter
from readagent.retrieval.vectors import unit, vectors_of

WAYS = ("bm25", "vectors_page", "vectors_passage", "fusion", "hints_words", "hints_hybrid", "hints_read")
RIVALS = tuple(product(("hints_hybrid", "hints_read"), ("bm25", "fusion")))
SHARES = (0.0, 0.1, 0.2, 0.3, 0.5)
MOST = 6  # maximum pages shown as hints


@dataclass(frozen=True, slots=True)
class Asked:
    """A query, the pages marked for it, the order of each method, and the hints of each hinter."""

    meeting: int
    truth: frozenset[int]
    orders: dict[str, list[int]]
    hints: dict[str, Sequence[Hint]]

    def hit(self, way: str, opened: int) -> float:
        return float(bool(self.truth.intersection(self.orders[way][:opened])))

    def recall(self, way: str, opened: int) -> float:
        return len(self.truth.intersection(self.orders[way][:opened])) / len(self.truth)


async def meetings(
    file: Path, embedder: Embedder, relevance: Relevance, quick: bool
) -> tuple[dict[str, Rows], dict[str, Value]]:
    """Measure the specific queries of QMSum: all meetings, both halves, and differences on all and on the odd half."""
    records = list(enumerate(records_of(file)))
    found = [await _meeting(n, record, embedder, relevance) for n, record in (records[-2:] if quick else records)]
    asked = [one for some in found for one in some if one.truth]
    even, odd = ([one for one in asked if one.meeting % 2 == half] for half in (0, 1))
    tables: dict[str, Rows] = {
        f"All meetings ({len(asked)} queries)": _found(asked),
        f"Meetings, the even half ({len(even)} queries)": _found(even),
        f"Meetings, the odd half ({len(odd)} queries)": _found(odd),
        "Differences on all meetings, with their 95 % intervals over meetings": _gains(asked),
        "Differences on the odd half": _gains(odd),
        "Pages shown as hints, the even half": _shown_as_hints(even, SHARES),
        "Pages shown as hints, the odd half, as chosen": _shown_as_hints(odd, (0.2,)),
    }
    figures: dict[str, Value] = {"qmsum_queries": len(asked)}
    for way, measure, k in product(WAYS, ("hit", "recall"), AT):
        figures[f"qmsum_{way}_{measure}_{k}"] = 100 * fmean(getattr(one, measure)(way, k) for one in asked)
        figures[f"qmsum_odd_{way}_{measure}_{k}"] = 100 * fmean(getattr(one, measure)(way, k) for one in odd)
    return tables, figures


async def _meeting(number: int, record: Any, embedder: Embedder, relevance: Relevance) -> list[Asked]:
    turns = [f"{turn['speaker']}: {turn['content']}".split() for turn in record["meeting_transcripts"]]
    shown = pages_of_turns(turns)
    memory = await _memory([" ".join(word for turn in page for word in turns[turn]) for page in shown], embedder)
    ways = await _ways(memory, embedder, relevance)
    asked = []
    for query in record["specific_query_list"]:
        marked = {turn for a, b in query["relevant_text_span"] for turn in range(int(a), int(b) + 1)}
        truth = frozenset(page for page, turns_of in enumerate(shown) if marked.intersection(turns_of))
        asked.append(Asked(number, truth, *await ways(query["query"])))
    return asked


async def _memory(pages: Sequence[str], embedder: Embedder) -> GistMemory:
    """Return a memory of these pages with gists of the offline reader."""
    at, made, gists = 0, [], []
    for number, text in enumerate(pages):
        made.append(Page(number, at, at + len(text) + 2, count_words(text)))
        at += len(text) + 2
        gist = extract_gist(await embed_sentences(text, embedder), max(25, int(LEAD_SHARE * count_words(text))))
        gists.append(Gist(gist, count_words(gist)))
    text = "".join(f"{page}\n\n" for page in pages)
    return GistMemory(Document.from_text(text), tuple(made), tuple(gists), preset("meetings"))


async def _ways(
    memory: GistMemory, embedder: Embedder, relevance: Relevance
) -> Callable[[str], Awaitable[tuple[dict[str, list[int]], dict[str, Sequence[Hint]]]]]:
    pages = [memory.page_text(page.number) for page in memory.pages]
    cut = [passages(page) for page in pages]
    rows = await vectors_of([passage for page in cut for passage in page], embedder)
    owners = np.repeat(np.arange(len(pages)), [len(page) for page in cut])
    whole = unit(np.stack([rows[owners == number].mean(axis=0) for number in range(len(pages))]))
    words, by_words, hybrid = Bm25(pages), WordHinter(), HybridHinter(embedder)
    reading = HybridHinter(embedder, relevance)

    async def found(query: str) -> tuple[dict[str, list[int]], dict[str, Sequence[Hint]]]:
        vector = (await vectors_of([query], embedder))[0]
        likeness: Array = best_of(rows @ vector, owners.tolist(), len(pages))
        scores = {
            "bm25": np.asarray(words.scores(query), np.float32),
            "vectors_page": whole @ vector,
            "vectors_passage": likeness,
        }
        scores["fusion"] = fused(scores["bm25"], likeness)
        hints: dict[str, Sequence[Hint]] = {
            "hints_words": await by_words.hints(memory, Question(query)),
            "hints_hybrid": await hybrid.hints(memory, Question(query)),
            "hints_read": await reading.hints(memory, Question(query)),
        }
        orders = {way: order(score) for way, score in scores.items()}
        return orders | {way: [hint.page for hint in some] for way, some in hints.items()}, hints

    return found


def _found(asked: Sequence[Asked]) -> Rows:
    return [
        {"way": way}
        | {f"{measure} at {k}": 100 * fmean(getattr(one, measure)(way, k) for one in asked)
           for measure, k in product(("hit", "recall"), AT)}
        for way in WAYS
    ]  # fmt: skip


def _gains(asked: Sequence[Asked]) -> Rows:
    return [_gain(asked, *pair, measure, k) for pair in RIVALS for measure, k in product(("hit", "recall"), AT)]


def _gain(asked: Sequence[Asked], way: str, rival: str, measure: str, k: int) -> dict[str, Value]:
    """Return how much more one method finds than another on the same queries, in points, over meetings."""
    differences = [(one.meeting, getattr(one, measure)(way, k) - getattr(one, measure)(rival, k)) for one in asked]
    groups = [[value for _, value in some] for _, some in groupby(differences, lambda one: one[0])]
    low, high = interval([sum(group) for group in groups], [len(group) for group in groups])
    mean = fmean(value for _, value in differences)
    gain: dict[str, Value] = {"": f"{way} less {rival}", "measure": f"{measure} at {k}", "points": 100 * mean}
    return gain | {"from": 100 * low, "to": 100 * high}


def _shown_as_hints(asked: Sequence[Asked], shares: Sequence[float]) -> Rows:
    """Measure the pages shown as hints if each needs some share of the score of the best page."""
    rows = []
    for way, share in product(("hints_words", "hints_hybrid", "hints_read"), shares):
        shown = [pages_to_show(one.hints[way], MOST, share=share) for one in asked]
        right = [len(one.truth.intersection(pages)) for one, pages in zip(asked, shown, strict=True)]
        row: dict[str, Value] = {"way": way, "share": share, "pages shown": fmean(map(len, shown))}
        row["hit"] = 100 * fmean(map(bool, right))
        row["recall"] = 100 * fmean(n / len(one.truth) for n, one in zip(right, asked, strict=True))
        row["precision"] = 100 * sum(right) / max(1, sum(map(len, shown)))
        rows.append(row)
    return rows
