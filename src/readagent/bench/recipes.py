"""Recipes: the comparisons of the paper that hold one thing against another, as methods and plans to run them with."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from readagent.core.plan import Plan
from readagent.errors import UsageError


@dataclass(frozen=True, slots=True)
class Variant:
    """One side of a comparison: a plan that differs from the usual one, in a folder of this name."""

    name: str
    page_words: int | None = None
    show_previous: bool | None = None

    def plan(self, usual: Plan) -> Plan:
        """The usual plan, changed."""
        plan = usual if self.page_words is None else usual.scaled(self.page_words)
        return plan if self.show_previous is None else replace(plan, show_previous=self.show_previous)


@dataclass(frozen=True, slots=True)
class Recipe:
    """What is compared, with which methods, and with which plans; one plan where none is named."""

    help: str
    methods: tuple[str, ...]
    variants: tuple[Variant, ...] = (Variant(""),)


RECIPES: Mapping[str, Recipe] = {
    "paper": Recipe(
        "every method of the paper's table for this data set",
        (
            "bm25:1",
            "bm25:2",
            "bm25:3",
            "bm25:4",
            "neural:1",
            "neural:2",
            "neural:3",
            "neural:4",
            "full",
            "gistmem",
            "gistmem+neural:1",
            "readagent-p:1",
            "readagent-p:2",
            "readagent-p:3",
            "readagent-p:4",
            "readagent-p:5",
            "readagent-p:6",
            "readagent-s:6",
            "memwalker",
            "dos-rag:4000",
        ),
    ),
    "page-size": Recipe(
        "pages of at most 400, 600, 800 and 1,200 words",
        ("gistmem", "readagent-p:6"),
        tuple(Variant(f"{words}-words", page_words=words) for words in (400, 600, 800, 1200)),
    ),
    "pauses": Recipe("pages where the model pauses, and pages of equal length", ("readagent-p:6", "uniform-p:6")),
    "look-up": Recipe(
        "one page looked up by the model, and the one nearest by vectors",
        ("readagent-p:1", "gistmem+neural:1", "gistmem"),
    ),
    "conditional": Recipe("gists made for the question, and for none", ("readagent-p:1", "conditional-p:1")),
    "previous-page": Recipe(
        "the page before shown while pausing, and not shown",
        ("readagent-p:6",),
        (Variant("with-previous", show_previous=True), Variant("without-previous", show_previous=False)),
    ),
    "case-study": Recipe(
        "why ReadAgent answers what retrieval does not: up to 4 pages each", ("readagent-p:4", "neural:4", "bm25:4")
    ),
}


def recipe(name: str) -> Recipe:
    """The recipe of this name."""
    try:
        return RECIPES[name]
    except KeyError:
        raise UsageError(f"there is no recipe {name!r}", hint=f"recipes: {', '.join(RECIPES)}") from None
