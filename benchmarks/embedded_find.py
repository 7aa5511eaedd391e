"""Finding pages: queries on meetings with marked spans, and short answers on the pages of books."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby, product
from pathlib import Path
from statistics import fmean
from typing import Any

import numpy as np
from common import Rows, Value
from embedded_measures import AT, Array, PlainBm25, best_of, by_chance, fused, interval, order, records_of, stands_in
from embedded_setup import Setup, plan_for

from readagent.core.gists.shorten import LEAD_SHARE
from readagent.core.memory import GistMemory
from readagent.core.question import Question
from readagent.core.words import count_words
from readagent.embedded.shorten import embed_sentences, extract_gist
from readagent.retrieval.bm25 import Bm25, passages
from readagent.retrieval.evidence import Evidence, HybridHinter
from readagent.retrieval.vectors import sentence_means, vectors_of

PAGE = 600  # maximum words, in whole turns
PIECE, STEP = 150, 120  # words of a chunk, and between the starts of two
WAYS = ("bm25", "bm25_terms", "best_chunk", "fusion", "ours", "best_passage", "fusion_passages", "ours_passages",
        "ours_gists", "in_turn")  # fmt: skip
RIVALS = {"ours": "fusion", "ours_gists": "fusion", "in_turn": "ours_gists"}

Orders = dict[str, list[int]]  # the pages, best first, by each method


@dataclass(frozen=True, slots=True)
class Asked:
    """A query, the pages marked for it, and the order in which each method opens pages."""

    meeting: int
    truth: frozenset[int]
    orders: Orders

    def hit(self, way: str, opened: int) -> float:
        return float(bool(self.truth.intersection(self.orders[way][:opened])))

    def recall(self, way: str, opened: int) -> float:
        return len(self.truth.intersection(self.orders[way][:opened])) / len(self.truth)


async def meetings(file: Path, setup: Setup, quick: bool) -> tuple[dict[str, Rows], dict[str, Value]]:
    """Measure the specific queries of QMSum on pages of at most 600 words."""
    asked, unmarked = [], 0
    for number, record in list(enumerate(records_of(file)))[-2 if quick else None : -1 if quick else None]:
        found = await _meeting(number, record, setup)
        asked += [one for one in found if one.truth]
        unmarked += sum(not one.truth for one in found)
    odd = [one for one in asked if one.meeting % 2] or asked
    figures: dict[str, Value] = {"qmsum_queries": len(asked), "qmsum_queries_without_a_page": unmarked}
    tables: dict[str, Rows] = {"Meetings (QMSum): all queries": _hits(asked), "Meetings: the odd half": _hits(odd)}
    for way in WAYS:
        figures |= {f"qmsum_{way}_hit_{k}": 100 * fmean(one.hit(way, k) for one in asked) for k in AT}
        figures |= {f"qmsum_{way}_recall_{k}": 100 * fmean(one.recall(way, k) for one in asked) for k in AT}
    gains: list[dict[str, Value]] = []
    for way, rival in RIVALS.items():
        for measure, k in product((Asked.hit, Asked.recall), AT):
            values = [(one.meeting, measure(one, way, k) - measure(one, rival, k)) for one in odd]
            mean, low, high = _gain(values)
            gain = {"points": mean, "from": low, "to": high}
            gains.append({"": f"{way} less {rival}", "measure": f"{measure.__name__} at {k}", **gain})
            name = f"qmsum_odd_{way}_less_{rival}_{measure.__name__}_{k}"
            figures |= {name: mean, f"{name}_low": low, f"{name}_high": high}
    tables["Meetings: gains on the odd half, with their 95 % intervals"] = gains
    return tables, figures


def _gain(values: Sequence[tuple[int, float]]) -> tuple[float, float, float]:
    """Return the mean in points, and its interval over meetings."""
    groups = [[value for _, value in some] for _, some in groupby(values, lambda one: one[0])]
    low, high = interval([sum(group) for group in groups], [len(group) for group in groups])
    return 100 * fmean(value for group in groups for value in group), 100 * low, 100 * high


def _hits(asked: Sequence[Asked]) -> Rows:
    rows = []
    for way in WAYS:
        row: dict[str, Value] = {"way": way, "queries": len(asked)}
        row |= {f"hit at {k}": 100 * fmean(one.hit(way, k) for one in asked) for k in AT}
        row |= {f"recall at {k}": 100 * fmean(one.recall(way, k) for one in asked) for k in AT}
        rows.append(row)
    return rows


def pages_of_turns(turns: Sequence[Sequence[str]], words: int = PAGE) -> list[range]:
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


def chunks(words: Sequence[str]) -> list[str]:
    """Return overlapping pieces of a page."""
    starts = range(0, max(1, len(words) - (PIECE - STEP)), STEP)
    return [" ".join(words[start : start + PIECE]) for start in starts]


async def _meeting(number: int, record: Any, setup: Setup) -> list[Asked]:
    turns = [f"{turn['speaker']}: {turn['content']}".split() for turn in record["meeting_transcripts"]]
    shown = pages_of_turns(turns)
    pages = [" ".join(word for turn in page for word in turns[turn]) for page in shown]
    ways = await _ways(pages, setup)
    found = []
    for query in record["specific_query_list"]:
        marked = {turn for a, b in query["relevant_text_span"] for turn in range(int(a), int(b) + 1)}
        truth = frozenset(page for page, turns_of in enumerate(shown) if marked.intersection(turns_of))
        found.append(Asked(number, truth, await ways(query["query"])))
    return found


async def _ways(pages: list[str], setup: Setup) -> Callable[[str], Awaitable[Orders]]:
    """Return a function from a query to the order of the pages by each method."""
    plain, ours = PlainBm25(pages), Bm25(pages)
    pieces = [chunks(page.split()) for page in pages]
    evidence, rows, owners = await _evidence(pages, pieces, setup)
    whole, whole_rows, whole_owners = await _evidence(pages, [passages(page) for page in pages], setup)
    gists = [await _gist(page, setup) for page in pages]
    gist_rows = await sentence_means(gists, setup.embedder)
    full = Evidence(pages, [passages(page) for page in pages], whole_rows, gists, gist_rows)

    async def orders(query: str) -> Orders:
        vector = (await vectors_of([query], setup.embedder))[0]
        words, chunk = plain.scores(query), best_of(rows @ vector, owners, len(pages))
        passage = best_of(whole_rows @ vector, whole_owners, len(pages))
        scores: dict[str, Array] = {
            "bm25": words, "bm25_terms": np.asarray(ours.scores(query), np.float32),
            "best_chunk": chunk, "fusion": fused(words, chunk),
            "ours": evidence.page_scores(query, vector), "best_passage": passage,
            "fusion_passages": fused(words, passage), "ours_passages": whole.page_scores(query, vector),
            "ours_gists": full.page_scores(query, vector),
        }  # fmt: skip
        return {way: order(score) for way, score in scores.items()} | {"in_turn": _in_turn(full, query, vector)}

    return orders


async def _evidence(pages: list[str], cut: list[list[str]], setup: Setup) -> tuple[Evidence, Array, list[int]]:
    """Return the evidence of pages, the vectors of their pieces, and the page of each piece."""
    rows = await vectors_of([piece for page in cut for piece in page], setup.embedder)
    return Evidence(pages, cut, rows), rows, [number for number, page in enumerate(cut) for _ in page]


async def _gist(page: str, setup: Setup) -> str:
    return extract_gist(await embed_sentences(page, setup.embedder), max(25, int(LEAD_SHARE * count_words(page))))


def _in_turn(evidence: Evidence, query: str, vector: Array) -> list[int]:
    """Return the pages in the order in which sequential look-up opens them, if it never stops."""
    opened = order(evidence.page_scores(query, vector))[:1]
    for _ in range(AT[-1] - 1):
        left = order(evidence.page_scores(query, vector, opened))
        opened += [number for number in left if number not in opened][:1]
    return opened


BOOK_WAYS = ("bm25", "vectors", "fusion", "ours", "chance")


async def short_answers(
    memory: GistMemory, plan: str, questions: Sequence[tuple[str, Sequence[str]]], setup: Setup
) -> list[dict[str, Value]]:
    """Return for each question with a short key in the text whether each method opens a page with the key."""
    pages = [memory.page_text(page.number) for page in memory.pages]
    cut = [passages(page) for page in pages]
    owners = [number for number, page in enumerate(cut) for _ in page]
    rows = await vectors_of([passage for page in cut for passage in page], setup.embedder)
    plain, hinter = PlainBm25(pages), HybridHinter(setup.embedder)
    found = []
    for text, keys in questions:
        good = {n for n, page in enumerate(pages) for key in keys if len(key.split()) <= 3 and stands_in(key, page)}
        if not good:
            continue
        vector = (await vectors_of([text], setup.embedder))[0]
        words, likeness = plain.scores(text), best_of(rows @ vector, owners, len(pages))
        ours = [hint.page for hint in await hinter.hints(memory, Question(text))]
        both = fused(words, likeness)
        orders = {"bm25": order(words), "vectors": order(likeness), "fusion": order(both), "ours": ours}
        row: dict[str, Value] = {"preset": plan, "pages": len(pages), "good": len(good)}
        row |= {f"{way} {k}": float(bool(good & set(one[:k]))) for way, one in orders.items() for k in AT}
        row |= {f"chance {k}": by_chance(len(good), len(pages), k) for k in AT}
        found.append(row)
    return found


def short_answer_figures(found: Sequence[Mapping[str, Value]]) -> tuple[Rows, dict[str, Value]]:
    """Return the shares over all questions, as a table and as figures."""
    rows: list[dict[str, Value]] = []
    figures: dict[str, Value] = {"narrativeqa_short_answers": len(found)}
    for way in BOOK_WAYS:
        shares = {k: 100 * fmean(float(one[f"{way} {k}"]) for one in found) for k in AT}
        rows.append({"way": way, "questions": len(found), **{f"at {k}": share for k, share in shares.items()}})
        figures |= {f"narrativeqa_{way}_{k}": share for k, share in shares.items()}
    return rows, figures


def books(file: Path) -> list[tuple[str, str, str, list[tuple[str, list[str]]]]]:
    """Return the sample of NarrativeQA: title, text, preset, and questions with their keys."""
    found = []
    for record in records_of(file):
        text = "\n\n".join(record["paragraphs"])
        asked = [(one["question"], one["answers"]) for one in record["questions"]]
        found.append((record["title"], text, plan_for(text), asked))
    return found
