"""Where the search has the relevant pages: BM25, words, and words and meaning, on meetings and on other texts.

``--data`` has the folder ``qmsum``; ``--own`` names folders of data sets of one's own (docs/own-benchmark.md), which
must have evidence. Meaning needs the weights of the built-in embedder; vectors are kept in the file of ``--cache``.
"""

from __future__ import annotations

import asyncio
from argparse import Namespace
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from time import process_time
from typing import Any

from common import ROOT, Rows, Value, book, manifest, parser, print_figures, workplace, write_results
from embedded_setup import weights

from readagent.core.document import Document
from readagent.core.memory import Gist, GistMemory
from readagent.core.model import Embedder
from readagent.core.pages.breaks import PageBreaks
from readagent.core.plan import Plan
from readagent.core.question import Question
from readagent.core.words import sentences
from readagent.library import Library
from readagent.models.embeddings import CachedEmbedder
from readagent.retrieval.hints import WordHinter
from readagent.retrieval.meaning import MeaningHinter
from readagent_bench.cli.find import MEANING, WORDS, Found, found_in, lines_of
from readagent_bench.datasets import load_cases
from readagent_bench.records import Case

PAGE = 600
_LONG = 100_000  # words of the text whose questions are timed
_ABOUT = (
    "Per cent of questions with a relevant page first, among three and among six, and of relevant pages among six; "
    "brackets are 95 % intervals over documents. BM25 has our stems and stop words. Words and meaning was tuned on "
    "QMSum's train split; passages joined are texts made of passages of other data sets, in which the page with the "
    "answer counts."
)


@contextmanager
def embedder(cache: Path | None) -> Iterator[Embedder | None]:
    """Open the built-in embedder with a cache of vectors; None where its weights are not installed."""
    place = weights()
    if place is None:
        yield None
        return
    from readagent.embedded.networks import MiniLMEmbedder

    with workplace() as folder, Library(cache or folder / "vectors.db") as library:
        yield CachedEmbedder(MiniLMEmbedder(place / "minilm"), library)


def measured(cases: Sequence[Case], vectors: Embedder | None, *, turns: bool = False) -> list[Found]:
    """Return what each search finds; data sets without relevant parts are refused."""
    return asyncio.run(found_in(cases, PAGE, turns=turns, embedder=vectors))


def cost(data: Path | None, vectors: Embedder | None) -> Rows:
    """Return the CPU seconds of questions on a long text, whose first has to index it."""
    text, _ = book("war-and-peace", _LONG, data, otherwise=_LONG)
    document = Document.from_text(text)
    pages = tuple(PageBreaks(document, Plan(page_words=PAGE)).uniform())
    memory = GistMemory(document, pages, tuple(Gist("", 0) for _ in pages), Plan(page_words=PAGE))
    asked = [Question(sentence) for sentence in sentences(text)[100::400] if 5 < len(sentence.split()) < 30][:5]
    hinters = {WORDS: WordHinter()} if vectors is None else {WORDS: WordHinter(), MEANING: MeaningHinter(vectors)}
    rows = []

    async def timed(hinter: WordHinter, question: Question) -> float:
        before = process_time()
        await hinter.hints(memory, question)
        return process_time() - before

    for name, hinter in hinters.items():
        first = asyncio.run(timed(hinter, asked[0]))
        new = [asyncio.run(timed(hinter, question)) for question in asked[1:]]
        again = [asyncio.run(timed(hinter, question)) for question in asked[1:]]
        rows.append({"search": name, "first question, s": first, "new vectors, s": sum(new) / len(new),
                     "vectors known, s": sum(again) / len(again)})  # fmt: skip
    return rows


def run(options: Namespace) -> None:
    """Measure the data sets that are at hand, and write the result."""
    qmsum = options.data / "qmsum" if options.data is not None else None
    with embedder(options.cache) as vectors:
        parts: dict[str, Any] = {"What is measured": _ABOUT}
        figures: dict[str, Value] = {}
        if options.quick or qmsum is None or not qmsum.is_dir():
            found = measured(load_cases("own", ROOT / "examples"), None)
            print_figures(
                {one.search.replace(" ", "_").lower() + "_first": one.measures["first"].mean for one in found}
            )
            return
        sets = [(f"QMSum, {split}, {how}", load_cases("qmsum", qmsum, split), how == "whole turns")
                for split in options.splits.split(",") for how in options.cut.split(",")]  # fmt: skip
        sets += [(f"Passages joined: {folder.name}", load_cases("own", folder), False) for folder in options.own]
        for title, cases, turns in sets:
            found = measured(cases, vectors, turns=turns)
            count = found[0].measures["first"].count
            parts[f"{title}: {len(cases)} documents, {count} questions"] = lines_of(found)
            for one in found:
                name = f"{title} {one.search}".lower().replace(":", "").replace(",", "").replace(" ", "_")
                figures[f"{name}_first"] = one.measures["first"].mean
        parts["Cost of a question on 100,000 words, CPU"] = cost(options.data, vectors)
    made = manifest(page_words=PAGE, encoder="minilm-l6-v2" if vectors is not None else "none")
    write_results("find", "Pages that the search finds", parts, made)
    print_figures(figures)


if __name__ == "__main__":
    line = parser(__doc__)
    line.add_argument("--own", type=Path, nargs="*", default=[], help="folders of data sets of your own")
    line.add_argument("--splits", default="val", help="splits of QMSum; the search was tuned on train")
    line.add_argument("--cut", default="sentence ends,whole turns", help="where the pages of meetings end")
    run(line.parse_args())
