"""Recipes: comparisons that vary one thing, most of them from the paper, as methods and plans to run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from readagent.core.plan import Plan
from readagent.domains import domain
from readagent.errors import UsageError


@dataclass(frozen=True, slots=True)
class Variant:
    """One side of a comparison: changes to the plan, kept in a folder of this name.

    ``changes`` are fields of a plan. Among them ``page_words`` scales the plan to pages of that size, ``page_share``
    multiplies their size, and ``domain`` is a built-in domain, so that everybody compares the same one, or none.
    Without ``aim``, as with the presets of the paper, the prompt for gists names no length. ``methods`` are those of
    this variant; empty for those of the recipe.
    """

    name: str
    changes: Mapping[str, Any] = field(default_factory=dict)
    methods: tuple[str, ...] = ()

    def plan(self, plan: Plan) -> Plan:
        """Return the plan with the changes of this variant."""
        changes = {"aim": plan.mode != "paper", **self.changes}
        words = changes.pop("page_words", round(plan.page_words * changes.pop("page_share", 1)))
        if words != plan.page_words:
            plan = plan.scaled(words)
        if "domain" in changes:
            changes["instructions"] = domain(changes.pop("domain"))
        return replace(plan, **changes)


@dataclass(frozen=True, slots=True)
class Recipe:
    """A comparison: its methods, and its plans if they differ. ``by_dataset`` has methods for some data sets."""

    help: str
    methods: tuple[str, ...]
    variants: tuple[Variant, ...] = (Variant(""),)
    by_dataset: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def methods_for(self, dataset: str) -> tuple[str, ...]:
        """Return the methods for a data set."""
        return self.by_dataset.get(dataset, self.methods)

    @property
    def only_methods(self) -> bool:
        """Whether the recipe is nothing but methods, all of which others would replace."""
        return self.variants == (Variant(""),)

    def variants_named(self, names: Sequence[str] = ()) -> tuple[Variant, ...]:
        """Return the variants, or those with these names."""
        known = [one.name for one in self.variants]
        if unknown := [name for name in names if name not in known]:
            listed = ", ".join(filter(None, known))
            hint = f"variants: {listed}" if listed else "this recipe has no variants"
            raise UsageError(f"unknown variant {unknown[0]!r}", hint=hint)
        return tuple(one for one in self.variants if not names or one.name in names)


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

_FAST = {"mode": "fast", "aim": True}
_HALF_A_GIST = 45  # words: about half of what gists aim at, for pages of 600 words and more
_WORDS = (
    "readagent-p:1", "readagent-p:5", "readagent-direct:5",
    *(f"{kind}:{tokens}" for kind in ("dos-rag", "bm25-chunks") for tokens in (1000, 2000, 4000, 8000)), "full",
)  # fmt: skip

RECIPES: Mapping[str, Recipe] = {
    "paper": Recipe(
        "all methods in the paper's table for this data set, and DOS-RAG",
        _STORIES,
        by_dataset={"qmsum": _MEETINGS, "narrativeqa-books": _BOOKS, "narrativeqa-films": _BOOKS},
    ),
    "page-size": Recipe(
        "pages of at most 400, 600, 800 and 1,200 words",
        ("gistmem", "readagent-p:5"),
        tuple(Variant(f"{words}-words", {"page_words": words}) for words in (400, 600, 800, 1200)),
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
        (Variant("with-previous", {"show_previous": True}), Variant("without-previous", {"show_previous": False})),
    ),
    "domain": Recipe(
        "gists written with the instructions for meetings, and without",
        ("gistmem", "readagent-p:6"),
        (Variant("with-meetings", {"domain": "meetings"}), Variant("without-domain", {"domain": ""})),
    ),
    "direct": Recipe(
        "pages chosen before any answer, and only if the gists do not answer; read in one pass, short gists",
        ("readagent-p:5", "readagent-direct:5", "gistmem", "full"),
        (Variant("", _FAST),),
    ),
    "defaults": Recipe(
        "what our defaults are chosen by: one pass, gist length, page size",
        ("readagent-p:6",),
        (
            Variant("base", _FAST),
            Variant("two-steps", {"mode": "paper", "aim": True}),
            Variant("default-mode", {"mode": "auto", "aim": True}),
            Variant("long-gists", {"mode": "fast", "aim": False}),
            Variant("short-gists", {**_FAST, "gist_words": _HALF_A_GIST}),
            Variant("smaller-pages", {**_FAST, "page_share": 2 / 3}, ("readagent-p:9",)),
            Variant("larger-pages", {**_FAST, "page_share": 3 / 2}, ("readagent-p:4",)),
            Variant("gists-alone", _FAST, ("gistmem",)),
            Variant("direct", _FAST, ("readagent-direct:6",)),
        ),
    ),
    "words": Recipe(
        "ReadAgent, and DOS-RAG and BM25 with 1,000 to 8,000 tokens of text, and the full text",
        _WORDS,
        (Variant("", _FAST),),
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
