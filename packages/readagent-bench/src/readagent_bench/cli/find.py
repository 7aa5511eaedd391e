"""`readagent bench find`: how often a search finds the pages that matter for a question, where a data set marks them.

No model is asked: pages have equal length.
"""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import pairwise
from pathlib import Path

import click

from readagent.cli.documents import library_of
from readagent.cli.options import JSON, settings_of
from readagent.cli.output import counted, print_json
from readagent.cli.screen import echo
from readagent.core.memory import Gist, GistMemory, Page
from readagent.core.model import Embedder, Hint, Hinter
from readagent.core.pages.breaks import PageBreaks
from readagent.core.plan import Plan
from readagent.core.question import Question
from readagent.core.words import count_words
from readagent.errors import UsageError
from readagent.retrieval.bm25 import Bm25
from readagent.retrieval.hints import MemoryCache, WordHinter
from readagent_bench.cli.conduct import terminal_width
from readagent_bench.context import embedder_of
from readagent_bench.datasets import dataset, load_cases
from readagent_bench.datasets.dataset import sample
from readagent_bench.datasets.files import data_folder
from readagent_bench.records import Case, relevant
from readagent_bench.report.tables import Line, markdown, shown, signed
from readagent_bench.statistics import Estimate, Scores, difference, estimate

BM25, WORDS, MEANING = "BM25 over pages", "words", "words and meaning"
TOPS = (1, 3, 6)
_WIDE = 110  # columns of the table with intervals


class PlainHinter:
    """Ranks pages by BM25 alone."""

    def __init__(self) -> None:
        self._indices = MemoryCache(_index)

    async def hints(self, memory: GistMemory, question: Question) -> list[Hint]:
        """Return all pages, best first."""
        scores = (await self._indices.get(memory)).scores(question.shown())
        return [Hint(page, scores[page]) for page in sorted(range(len(scores)), key=lambda page: -scores[page])]


@dataclass(frozen=True, slots=True)
class Found:
    """How well a search finds pages, in per cent, and how much better than BM25."""

    search: str
    measures: Mapping[str, Estimate]
    gains: Mapping[str, Estimate]


@click.command(
    epilog="""\b
Examples:
  readagent bench find qmsum --data ~/datasets
  readagent bench find mine.py:STORIES --data ~/stories --page-words 300 --json
"""
)
@click.argument("name", metavar="DATASET")
@click.option("--data", type=click.Path(path_type=Path), help="Folder with the files of the data set.")
@click.option("--split", default="", help="Part of the data set; the default depends on the data set.")
@click.option("--limit", type=click.IntRange(1), metavar="N", help="Maximum number of documents.")
@click.option("--seed", type=int, default=0, show_default=True, help="Seed for choosing documents.")
@click.option("--page-words", type=click.IntRange(1), default=600, show_default=True, help="Words of a page.")
@click.option("--turns", is_flag=True, help="End pages between paragraphs only, such as the turns of a meeting.")
@click.option("--embedder", default="", metavar="URL#MODEL", help="Embedder for meaning [default: embedded].")
@JSON
def find(
    name: str, data: Path | None, split: str, limit: int | None, seed: int, page_words: int, turns: bool, embedder: str,
    as_json: bool,
) -> None:  # fmt: skip
    """Measure how often a relevant page is found, by BM25 and by the search of `ask`. No model is asked.

    The data set has to mark what is relevant, as qmsum does. Meaning needs the weights of `model pull`, or an embedder.
    """
    settings = settings_of({})
    cases = sample(load_cases(name, data_folder(data, settings.home), split), documents=limit, seed=seed)
    with library_of(settings) as library:

        async def work() -> list[Found]:
            async with embedder_of(embedder, settings.home, library) as vectors:
                return await found_in(cases, page_words, turns=turns, embedder=vectors)

        found = asyncio.run(work())
    if as_json:
        about = {"dataset": dataset(name).name, "split": dataset(name).split(split), "page_words": page_words}
        print_json({**about, "turns": turns, "rows": [asdict(one) for one in found]})
        return
    if all(one.search != MEANING for one in found):
        echo("note: without an embedder, by words only; readagent model pull", err=True)
    echo(f"{counted(found[0].measures['first'].count, 'question')} with relevant pages, in per cent")
    echo(markdown(lines_of(found, wide=(terminal_width() or _WIDE) >= _WIDE)))


async def found_in(cases: Sequence[Case], page_words: int, *, turns: bool, embedder: Embedder | None) -> list[Found]:
    """Return what each search finds in pages of equal length."""
    searches: dict[str, Hinter] = {BM25: PlainHinter(), WORDS: WordHinter()}
    if embedder is not None:
        from readagent.retrieval.meaning import MeaningHinter  # the help does without numpy

        searches[MEANING] = MeaningHinter(embedder)
    scores: dict[str, dict[str, dict[tuple[int, str], dict[str, float]]]]
    scores = {search: defaultdict(lambda: defaultdict(dict)) for search in searches}
    for case in cases:
        plan = Plan(page_words=page_words)
        pages = _turn_pages(case, page_words) if turns else PageBreaks(case.document, plan).uniform()
        memory = GistMemory(case.document, tuple(pages), tuple(Gist("", 0) for _ in pages), plan)
        for example in case.examples:
            if not (wanted := set(relevant(example, pages) or ())):
                continue
            for search, hinter in searches.items():
                order = [hint.page for hint in await hinter.hints(memory, example.question)]
                for measure, value in _measured(order, wanted).items():
                    scores[search][measure][0, case.id][example.id] = value
    if not scores[BM25]:
        raise UsageError("this data set does not mark the relevant parts of its texts", hint="try qmsum")
    return [
        Found(search, _estimates(own), _gains(own, scores[BM25]) if search != BM25 else {})
        for search, own in scores.items()
    ]


def lines_of(found: Sequence[Found], *, wide: bool = True) -> list[Line]:
    """Return a line of a table for each search; one that is not ``wide`` has intervals of the gain alone."""
    return [
        {
            "search": one.search,
            **{name: shown(value, spread="interval" if wide else "none") for name, value in one.measures.items()},
            "first, more than BM25": signed(one.gains["first"], "") if one.gains else "",
        }
        for one in found
    ]


async def _index(memory: GistMemory) -> Bm25:
    return Bm25(memory.page_text(page.number) for page in memory.pages)


def _measured(order: Sequence[int], wanted: set[int]) -> dict[str, float]:
    hits = {("first" if top == 1 else f"among {top}"): 100.0 * bool(wanted.intersection(order[:top])) for top in TOPS}
    return {**hits, f"recall of {TOPS[-1]}": 100 * len(wanted.intersection(order[: TOPS[-1]])) / len(wanted)}


def _estimates(scores: Mapping[str, Scores]) -> dict[str, Estimate]:
    return {name: one for name, own in scores.items() if (one := estimate(own)) is not None}


def _gains(scores: Mapping[str, Scores], plain: Mapping[str, Scores]) -> dict[str, Estimate]:
    return {name: one for name, own in scores.items() if (one := difference(own, plain[name])) is not None}


def _turn_pages(case: Case, words: int) -> list[Page]:
    """Return pages of whole paragraphs; one that is longer than a page is a page."""
    text, ends, room = case.document.text, list[int](), words
    for paragraph in case.document.paragraphs:
        size = count_words(text[paragraph.start : paragraph.end])
        if size > room and room < words:
            ends.append(paragraph.start)
            room = words
        room -= size
    cuts = [0, *ends, len(text)]
    return [Page(at, a, b, count_words(text[a:b])) for at, (a, b) in enumerate(pairwise(cuts))]
