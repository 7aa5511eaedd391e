"""Finding pages without a model: how many of the pages that matter for a question each finder ranks high.

The right pages are those that overlap the parts of the document that the data set marks as relevant.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from readagent.core.memory import Page
from readagent.core.model import Embedder
from readagent.errors import UsageError
from readagent.retrieval.bm25 import Bm25, passages, subject
from readagent.retrieval.evidence import Evidence
from readagent.retrieval.hints import WordIndex
from readagent.retrieval.vectors import Array, unit, vectors_of
from readagent_bench.example import Case
from readagent_bench.records import relevant
from readagent_bench.statistics import Estimate, Scores, estimate

PagesOf = Callable[[Case], Awaitable[Sequence[Page]]]
_RANK_OFFSET = 60  # the usual constant of reciprocal rank fusion


@dataclass(frozen=True, slots=True)
class Texts:
    """The pages of a document, their passages, and a vector for each passage if there is an embedder."""

    pages: Sequence[str]
    passages: Sequence[Sequence[str]]
    rows: Array | None

    def page_scores(self, scores: Array, of: Callable[[Array], float]) -> Array:
        """Return a score for each page, computed from the scores of its passages."""
        ends = np.cumsum([len(page) for page in self.passages])
        parts = zip(self.passages, ends, strict=True)
        return np.asarray([of(scores[end - len(page) : end]) if page else 0.0 for page, end in parts], np.float32)


def by_words(texts: Texts, question: str, asked: Array | None) -> Array:
    """Score pages by BM25."""
    return np.asarray(Bm25(texts.pages).scores(question), np.float32)


def by_view(texts: Texts, question: str, asked: Array | None) -> Array:
    """Score pages as the view of a question does, but without gists."""
    return np.asarray(WordIndex(texts.pages, [""] * len(texts.pages)).scores(subject(question)), np.float32)


def by_page(texts: Texts, question: str, asked: Array | None) -> Array:
    """Score pages by their vectors, the means of those of their passages."""
    rows = _rows(texts)
    ends = np.cumsum([len(page) for page in texts.passages])
    parts = zip(texts.passages, ends, strict=True)
    means = [rows[end - len(page) : end].mean(axis=0) if page else rows[:0].sum(axis=0) for page, end in parts]
    return np.asarray(unit(np.stack(means)) @ _asked(asked), np.float32)


def by_passage(texts: Texts, question: str, asked: Array | None) -> Array:
    """Score pages by their nearest passage."""
    return texts.page_scores(_rows(texts) @ _asked(asked), lambda scores: float(scores.max()))


def by_ranks(texts: Texts, question: str, asked: Array | None) -> Array:
    """Score pages by the sum of reciprocal ranks of BM25 and of the nearest passage."""
    both = (by_words(texts, question, asked), by_passage(texts, question, asked))
    ranks = [np.argsort(np.argsort(-scores, kind="stable"), kind="stable") for scores in both]
    return np.asarray(sum(1 / (_RANK_OFFSET + 1 + rank) for rank in ranks), np.float32)


def by_evidence(texts: Texts, question: str, asked: Array | None) -> Array:
    """Score pages as the offline reader does."""
    return Evidence(texts.pages, texts.passages, texts.rows).page_scores(question, asked)


Finder = Callable[[Texts, str, "Array | None"], Array]
FINDERS: Mapping[str, Finder] = {
    "bm25": by_words,
    "view": by_view,
    "neural": by_page,
    "neural-passage": by_passage,
    "fusion": by_ranks,
    "hybrid": by_evidence,
}
BY_MEANING = ("neural", "neural-passage", "fusion")  # finders that need vectors; the hybrid does without if it must
WITH_VECTORS = (*BY_MEANING, "hybrid")  # finders that use vectors if there is an embedder


@dataclass(frozen=True, slots=True)
class Found:
    """The measures of a finder with the ``top`` pages, and the single scores they come from."""

    finder: str
    top: int
    measures: dict[str, Estimate]
    scores: dict[str, Scores]


async def find_pages(
    cases: Sequence[Case],
    pages_of: PagesOf,
    finders: Sequence[str],
    tops: Sequence[int],
    embedder: Embedder | None,
    on_case: Callable[[Case], None] = lambda _: None,
) -> list[Found]:
    """Return hit, recall and precision of each finder at each number of pages, as percentages.

    Nothing is embedded if no finder uses vectors. ``on_case`` is called with each case that is finished.
    """
    if unknown := [name for name in finders if name not in FINDERS]:
        raise UsageError(f"unknown finder {unknown[0]!r}", hint=f"finders: {', '.join(FINDERS)}")
    if embedder is None and (blind := [name for name in finders if name in BY_MEANING]):
        raise UsageError(f"{blind[0]} needs an embedder", hint="readagent model pull, or give --embedder URL#MODEL")
    if not set(finders) & set(WITH_VECTORS):
        embedder = None
    scores: dict[tuple[str, int, str], dict[tuple[int, str], dict[str, float]]] = defaultdict(lambda: defaultdict(dict))
    for case in cases:
        examples = [example for example in case.examples if example.spans]
        if not examples:
            on_case(case)
            continue
        pages = await pages_of(case)
        texts = await _texts(case, pages, embedder)
        asked = [example.question.shown() for example in examples]
        vectors = await vectors_of(asked, embedder) if embedder is not None else [None] * len(asked)
        for example, question, vector in zip(examples, asked, vectors, strict=True):
            wanted = set(relevant(example, pages) or ())
            for name in finders:
                order = [int(n) for n in np.argsort(-FINDERS[name](texts, question, vector), kind="stable")]
                for top in tops:
                    for measure, value in _measured(wanted, order[:top]).items():
                        scores[name, top, measure][0, case.id][example.id] = value
        on_case(case)
    if not scores:
        raise UsageError("this data set does not mark the relevant parts of its texts", hint="try qmsum")
    return [_found(name, top, scores) for name in finders for top in tops]


def _measured(wanted: set[int], shown: Sequence[int]) -> dict[str, float]:
    hits = len(wanted.intersection(shown))
    return {"hit": 100.0 * (hits > 0), "recall": 100 * hits / len(wanted), "precision": 100 * hits / len(shown)}


def _found(name: str, top: int, scores: Mapping[tuple[str, int, str], Scores]) -> Found:
    own = {measure: scores[name, top, measure] for measure in ("hit", "recall", "precision")}
    known = {measure: value for measure, values in own.items() if (value := estimate(values)) is not None}
    return Found(name, top, known, dict(own))


async def _texts(case: Case, pages: Sequence[Page], embedder: Embedder | None) -> Texts:
    raw = [case.document.text[page.start : page.end] for page in pages]
    cut = [passages(page) for page in raw]
    flat = [passage for page in cut for passage in page]
    return Texts(raw, cut, await vectors_of(flat, embedder) if embedder is not None else None)


def _rows(texts: Texts) -> Array:
    assert texts.rows is not None
    return texts.rows


def _asked(vector: Array | None) -> Array:
    assert vector is not None
    return vector
