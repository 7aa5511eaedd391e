"""Finding pages: queries on meetings against the spans marked for them, and short answers on the pages of books."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby, product
from pathlib import Path
from statistics import fmean
from typing import Any

from common import Rows, Value
from embedded_desk import Desk, plan_for
from embedded_measures import AT, Array, PlainBm25, best_of, by_chance, fused, interval, order, records_of, stands_in

from readagent.core.memory import GistMemory
from readagent.core.question import Question
from readagent.embedded.find import Finder
from readagent.embedded.meaning import vectors_of
from readagent.retrieval.bm25 import Bm25
from readagent.retrieval.evidence import Evidence
from readagent.retrieval.passages import passages

PAGE, PIECE = 600, 100  # words
WAYS = ("bm25", "bm25_terms", "best_chunk", "fusion", "ours", "best_passage", "fusion_passages", "ours_passages")
RIVALS = {"ours": "fusion", "ours_passages": "fusion_passages"}

Orders = dict[str, list[int]]  # the pages, best first, by each way


@dataclass(frozen=True, slots=True)
class Asked:
    """A query, the pages that are marked for it, and in which order each way would open pages."""

    meeting: int
    truth: frozenset[int]
    orders: Orders

    def hit(self, way: str, opened: int) -> float:
        return float(bool(self.truth.intersection(self.orders[way][:opened])))

    def recall(self, way: str, opened: int) -> float:
        return len(self.truth.intersection(self.orders[way][:opened])) / len(self.truth)


async def meetings(file: Path, desk: Desk, quick: bool) -> tuple[dict[str, Rows], dict[str, Value]]:
    """QMSum's specific queries over uniform pages of 600 words."""
    asked, unmarked = [], 0
    for number, record in list(enumerate(records_of(file)))[-2 if quick else None : -1 if quick else None]:
        found = await _meeting(number, record, desk)
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
            told = {"points": mean, "from": low, "to": high}
            gains.append({"": f"{way} less {rival}", "measure": f"{measure.__name__} at {k}", **told})
            name = f"qmsum_odd_{way}_less_{rival}_{measure.__name__}_{k}"
            figures |= {name: mean, f"{name}_low": low, f"{name}_high": high}
    tables["Meetings: gain over the fusion on the odd half, with its 95 % interval"] = gains
    return tables, figures


def _gain(values: Sequence[tuple[int, float]]) -> tuple[float, float, float]:
    """The mean of what stands with meetings, in hundredths, and its interval over meetings."""
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


async def _meeting(number: int, record: Any, desk: Desk) -> list[Asked]:
    turns = [f"{turn['speaker']}: {turn['content']}".split() for turn in record["meeting_transcripts"]]
    flat = [(word, turn) for turn, words in enumerate(turns) for word in words]
    bounds = range(0, len(flat), PAGE)
    pages = [" ".join(word for word, _ in flat[a : a + PAGE]) for a in bounds]
    shown = [{turn for _, turn in flat[a : a + PAGE]} for a in bounds]
    pieces = [" ".join(page.split()[a : a + PIECE]) for page in pages for a in range(0, len(page.split()), PIECE)]
    owners = [number for number, page in enumerate(pages) for _ in range(0, len(page.split()), PIECE)]
    ways = await _ways(pages, pieces, owners, desk)
    found = []
    for query in record["specific_query_list"]:
        marked = {turn for a, b in query["relevant_text_span"] for turn in range(int(a), int(b) + 1)}
        truth = frozenset(page for page, turns_of in enumerate(shown) if marked & turns_of)
        found.append(Asked(number, truth, await ways(query["query"])))
    return found


async def _ways(
    pages: list[str], pieces: list[str], owners: list[int], desk: Desk
) -> Callable[[str], Awaitable[Orders]]:
    """For pages cut into pieces: a function from a query to the order of the pages by each way."""
    plain, ours = PlainBm25(pages), Bm25(pages)
    rows = await vectors_of(pieces, desk.embedder)
    of_page = [[piece for piece, owner in zip(pieces, owners, strict=True) if owner == n] for n in range(len(pages))]
    evidence = Evidence(pages, of_page, rows)
    cut = [passages(page) for page in pages]
    whole_owners = [number for number, page in enumerate(cut) for _ in page]
    whole_rows = await vectors_of([passage for page in cut for passage in page], desk.embedder)
    whole = Evidence(pages, cut, whole_rows)

    async def orders(query: str) -> Orders:
        vector = (await vectors_of([query], desk.embedder))[0]
        words, chunk = plain.scores(query), best_of(rows @ vector, owners, len(pages))
        passage = best_of(whole_rows @ vector, whole_owners, len(pages))
        scores: dict[str, Array] = {
            "bm25": words, "bm25_terms": ours.scores(query), "best_chunk": chunk, "fusion": fused(words, chunk),
            "ours": evidence.of_pages(query, vector), "best_passage": passage,
            "fusion_passages": fused(words, passage), "ours_passages": whole.of_pages(query, vector),
        }  # fmt: skip
        return {way: order(score) for way, score in scores.items()}

    return orders


BOOK_WAYS = ("bm25", "vectors", "fusion", "ours", "chance")


async def short_answers(
    memory: GistMemory, plan: str, questions: Sequence[tuple[str, Sequence[str]]], desk: Desk
) -> list[dict[str, Value]]:
    """For each question with a short key in the text: whether the key stands on a page opened, by each way."""
    pages = [memory.page_text(page.number) for page in memory.pages]
    cut = [passages(page) for page in pages]
    owners = [number for number, page in enumerate(cut) for _ in page]
    rows = await vectors_of([passage for page in cut for passage in page], desk.embedder)
    plain, finder = PlainBm25(pages), Finder(memory, desk.embedder)
    found = []
    for text, keys in questions:
        good = {n for n, page in enumerate(pages) for key in keys if len(key.split()) <= 3 and stands_in(key, page)}
        if not good:
            continue
        vector = (await vectors_of([text], desk.embedder))[0]
        words, likeness = plain.scores(text), best_of(rows @ vector, owners, len(pages))
        ours, _ = await finder.ranked(Question(text))
        both = fused(words, likeness)
        orders = {"bm25": order(words), "vectors": order(likeness), "fusion": order(both), "ours": ours}
        row: dict[str, Value] = {"preset": plan, "pages": len(pages), "good": len(good)}
        row |= {f"{way} {k}": float(bool(good & set(one[:k]))) for way, one in orders.items() for k in AT}
        row |= {f"chance {k}": by_chance(len(good), len(pages), k) for k in AT}
        found.append(row)
    return found


def short_answer_figures(found: Sequence[Mapping[str, Value]]) -> tuple[Rows, dict[str, Value]]:
    """The shares over all questions, as a table and as figures."""
    rows: list[dict[str, Value]] = []
    figures: dict[str, Value] = {"narrativeqa_short_answers": len(found)}
    for way in BOOK_WAYS:
        shares = {k: 100 * fmean(float(one[f"{way} {k}"]) for one in found) for k in AT}
        rows.append({"way": way, "questions": len(found), **{f"at {k}": share for k, share in shares.items()}})
        figures |= {f"narrativeqa_{way}_{k}": share for k, share in shares.items()}
    return rows, figures


def books(file: Path) -> list[tuple[str, str, str, list[tuple[str, list[str]]]]]:
    """NarrativeQA's sample: title, text, preset, and questions with their keys."""
    found = []
    for record in records_of(file):
        text = "\n\n".join(record["paragraphs"])
        asked = [(one["question"], one["answers"]) for one in record["questions"]]
        found.append((record["title"], text, plan_for(text), asked))
    return found
