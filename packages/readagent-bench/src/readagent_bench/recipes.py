"""Recipes: comparisons that vary one thing, most of them from the paper, as methods and plans to run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from readagent.core.plan import Mode, Plan
from readagent.domains import domain
from readagent.errors import UsageError


@dataclass(frozen=True, slots=True)
class Variant:
    """One side of a comparison: changes to the plan, kept in a folder of this name.

    ``domain`` is a built-in domain, so that everybody compares the same one; empty for none, None for the user's.
    Without ``aim`` the prompt for gists names no length, as in the paper. ``page_share`` multiplies the page size of
    the plan. ``methods`` are those of this variant; empty for those of the recipe.
    """

    name: str
    page_words: int | None = None
    show_previous: bool | None = None
    domain: str | None = None
    recent: int | None = None
    mode: Mode | None = None
    memory_words: int | None = None
    aim: bool = False
    gist_words: int | None = None
    page_share: float = 1
    methods: tuple[str, ...] = ()

    def plan(self, plan: Plan) -> Plan:
        """Return the plan with the changes of this variant."""
        plan = replace(plan, aim=self.aim)
        plan = plan if self.page_words is None else plan.scaled(self.page_words)
        plan = plan if self.page_share == 1 else plan.scaled(round(plan.page_words * self.page_share))
        plan = plan if self.gist_words is None else replace(plan, gist_words=self.gist_words)
        plan = plan if self.show_previous is None else replace(plan, show_previous=self.show_previous)
        plan = plan if self.recent is None else replace(plan, recent=self.recent)
        plan = plan if self.mode is None else replace(plan, mode=self.mode)
        if self.memory_words is not None:
            plan = replace(plan, memory_words=self.memory_words, scale=True)
        return plan if self.domain is None else replace(plan, instructions=domain(self.domain))


@dataclass(frozen=True, slots=True)
class Recipe:
    """A comparison: its methods, and its plans if they differ.

    ``by_dataset`` has methods for some data sets, and ``variants_by_dataset`` variants. With ``group``, only questions
    of that group are asked.
    """

    help: str
    methods: tuple[str, ...]
    variants: tuple[Variant, ...] = (Variant(""),)
    by_dataset: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    group: str = ""
    variants_by_dataset: Mapping[str, tuple[Variant, ...]] = field(default_factory=dict)

    def methods_for(self, dataset: str) -> tuple[str, ...]:
        """Return the methods for a data set."""
        return self.by_dataset.get(dataset, self.methods)

    def only_methods(self, dataset: str) -> bool:
        """Return whether the recipe is nothing but methods for a data set, all of which others would replace."""
        return self.variants_for(dataset) == (Variant(""),) and not self.group

    def variants_for(self, dataset: str, names: Sequence[str] = ()) -> tuple[Variant, ...]:
        """Return the variants for a data set, or those with these names."""
        variants = self.variants_by_dataset.get(dataset, self.variants)
        known = [one.name for one in variants]
        if unknown := [name for name in names if name not in known]:
            listed = ", ".join(filter(None, known))
            hint = f"variants: {listed}" if listed else "this recipe has no variants"
            raise UsageError(f"unknown variant {unknown[0]!r}", hint=hint)
        return tuple(one for one in variants if not names or one.name in names)


def _several(kind: str, most: int) -> tuple[str, ...]:
    return tuple(f"{kind}:{number}" for number in range(1, most + 1))


_STORIES = (
    *_several("bm25", 4), *_several("neural", 4), "full", "gistmem", "gistmem+neural:1", *_several("readagent-p", 6),
    "readagent-s:6", "memwalker", "dos-rag:4000", "dos-rag:8000",
)  # fmt: skip
_MEETINGS = (
    *_several("bm25", 6), *_several("neural", 6), "first:6000", "last:6000", "gistmem", *_several("readagent-p", 6),
    "readagent-s:6", "dos-rag:4000",
)  # fmt: skip
_BOOKS = (
    *_several("bm25", 4), *_several("neural-gist", 4), "gistmem", *_several("readagent-p", 3), "readagent-s:2",
    "readagent-s:3", "dos-rag:4000",
)  # fmt: skip

_HALF_A_GIST = 45  # words: about half of what gists aim at, for pages of 600 words and more
_MORE = 1.5  # the factor between page sizes


def _defaults(pages: int) -> tuple[Variant, ...]:
    """Return variants that differ from ``base`` in one thing, but for the last, a preset.

    With other page sizes, about as many words are opened.
    """

    def fast(name: str, method: str, aim: bool = True, **changes: Any) -> Variant:
        return Variant(name, mode="fast", aim=aim, methods=(method,), **changes)

    usual = f"readagent-p:{pages}"
    return (
        fast("base", usual),
        Variant("two-steps", mode="paper", aim=True, methods=(usual,)),
        Variant("default-mode", mode="auto", aim=True, methods=(usual,)),
        fast("long-gists", usual, aim=False),
        fast("short-gists", usual, gist_words=_HALF_A_GIST),
        fast("smaller-pages", f"readagent-p:{round(pages * _MORE)}", page_share=1 / _MORE),
        fast("larger-pages", f"readagent-p:{round(pages / _MORE)}", page_share=_MORE),
        fast("gists-alone", "gistmem"),
        fast("direct", f"readagent-direct:{pages}"),
    )


_MEETING_SETS = ("qmsum", "locomo", "longmemeval")
_BOOK_SETS = ("narrativeqa-books", "narrativeqa-films", "nocha", "infinitebench-mc", "infinitebench-qa")
_TOKENS = (1000, 2000, 4000, 8000)

RECIPES: Mapping[str, Recipe] = {
    "paper": Recipe(
        "all methods in the paper's table for this data set, and DOS-RAG",
        _STORIES,
        by_dataset={"qmsum": _MEETINGS, "narrativeqa-books": _BOOKS, "narrativeqa-films": _BOOKS},
    ),
    "page-size": Recipe(
        "pages of at most 400, 600, 800 and 1,200 words",
        ("gistmem", "readagent-p:5"),
        tuple(Variant(f"{words}-words", page_words=words) for words in (400, 600, 800, 1200)),
    ),
    "budget": Recipe(
        "memories of at most 400, 800 and 1,600 words; page sizes are derived from that",
        ("gistmem", "readagent-p:5"),
        tuple(Variant(f"{words}-words-in-all", memory_words=words) for words in (400, 800, 1600)),
    ),
    "pauses": Recipe(
        "pages that end where the model pauses, and pages of equal length", ("readagent-p:5", "uniform-p:5")
    ),
    "look-up": Recipe(
        "one page chosen by the model, and the nearest one by vectors",
        ("readagent-p:1", "gistmem+neural:1", "gistmem"),
    ),
    "conditional": Recipe("gists written for the question, and general ones", ("readagent-p:1", "conditional-p:1")),
    "previous-page": Recipe(
        "pausing with and without the previous page shown",
        ("readagent-p:6",),
        (Variant("with-previous", show_previous=True), Variant("without-previous", show_previous=False)),
    ),
    "domain": Recipe(
        "gists written with the instructions for meetings, and without",
        ("gistmem", "readagent-p:6"),
        (Variant("with-meetings", domain="meetings"), Variant("without-domain", domain="")),
    ),
    "ageing": Recipe(
        "gists shortened except on the newest 16, 8 or 4 pages, and none shortened",
        ("gistmem", "readagent-p:6"),
        tuple(Variant(f"recent-{pages}" if pages else "whole", recent=pages) for pages in (0, 16, 8, 4)),
    ),
    "growing": Recipe(
        "conversations read at once, and part by part with older gists shortened",
        ("readagent-p:6", "conversation:6", "gistmem"),
    ),
    "modes": Recipe(
        "reading in two steps, as in the paper, and in one pass",
        ("gistmem", "readagent-p:6"),
        (Variant("paper", mode="paper"), Variant("fast", mode="fast")),
    ),
    "aim": Recipe(
        "gists with a length to aim at, as the presets ask for, and without, as in the paper",
        ("gistmem", "readagent-p:6"),
        (Variant("with-aim", aim=True), Variant("without-aim")),
    ),
    "direct": Recipe(
        "pages chosen before any answer, and only if the gists do not answer; read in one pass, short gists",
        ("readagent-p:5", "readagent-direct:5", "gistmem", "full"),
        (Variant("", mode="fast", aim=True),),
    ),
    "defaults": Recipe(
        "what our defaults are chosen by: one pass, gist length, page size",
        (),
        _defaults(5),
        variants_by_dataset={**dict.fromkeys(_MEETING_SETS, _defaults(6)), **dict.fromkeys(_BOOK_SETS, _defaults(3))},
    ),
    "words": Recipe(
        "ReadAgent, DOS-RAG and BM25 with 1,000 to 8,000 tokens of text, and the full text; for `bench plot`",
        (*(f"{kind}:{tokens}" for kind in ("readagent-fit", "dos-rag", "bm25-chunks") for tokens in _TOKENS), "full"),
        (Variant("", mode="fast", aim=True),),
    ),
    "summaries": Recipe(
        "summaries of whole meetings (QMSum's general questions): over all gists, by look-up, and baselines",
        ("summary:100", "gistmem", "readagent-p:6", "first:6000", "lead:100"),
        group="general",
    ),
    "case-study": Recipe(
        "ReadAgent and retrieval with up to 4 pages each, to read the answers",
        ("readagent-p:4", "neural:4", "bm25:4", "gistmem"),
    ),
}


def recipe(name: str) -> Recipe:
    """Return the recipe with this name."""
    try:
        return RECIPES[name]
    except KeyError:
        raise UsageError(f"unknown recipe {name!r}", hint=f"recipes: {', '.join(RECIPES)}") from None
