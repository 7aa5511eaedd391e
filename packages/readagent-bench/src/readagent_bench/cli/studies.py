"""The options that say what to run, shared by `bench run` and `bench estimate`, and the studies that they describe."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import click

from readagent.cli.options import combined, plan_of, settings_of
from readagent.cli.screen import echo
from readagent.core.plan import Plan
from readagent.settings import Settings
from readagent_bench.answering import QuestionAnswering
from readagent_bench.cli.conduct import listed
from readagent_bench.datasets import dataset, load_cases
from readagent_bench.datasets.dataset import sample
from readagent_bench.datasets.files import data_folder
from readagent_bench.folder import RunFolder
from readagent_bench.methods import method
from readagent_bench.plugins import fingerprint
from readagent_bench.recipes import RECIPES, Variant, recipe
from readagent_bench.study import Study
from readagent_bench.web.data import split_of
from readagent_bench.web.methods import PAPER
from readagent_bench.web.methods import method as navigator
from readagent_bench.web.mindact import ranker_of
from readagent_bench.web.navigation import MIND2WEB, Navigation
from readagent_browse.snippets import WORDS
from readagent_browse.step import WEB

study_options = combined((
    click.argument("name", metavar="DATASET"),
    click.option("--data", type=click.Path(path_type=Path), help="Folder with the files of the data set."),
    click.option("--split", default="", help="Part of the data set; the default depends on the data set."),
    click.option("--methods", default="", metavar="A,B:N",
                 help="Methods to compare; see `bench list`. With --recipe: in its variants, instead of its own."),
    click.option("--method", multiple=True, metavar="FILE.py:CLASS", help="Also this method (repeatable)."),
    click.option("--recipe", type=click.Choice(list(RECIPES)), metavar="NAME", help="A comparison of `bench list`."),
    click.option("--variants", default="", metavar="A,B", help="Run only these variants of a recipe."),
    click.option("--runs", type=click.IntRange(1), default=1, show_default=True, help="Number of repetitions."),
    click.option("--limit", type=click.IntRange(1), metavar="N", help="Maximum number of documents."),
    click.option("--questions", type=click.IntRange(1), metavar="N", help="Maximum number of questions per document."),
    click.option("--seed", type=int, default=0, show_default=True, help="Seed for choosing documents and questions."),
    click.option("--embedder", default="", metavar="URL#MODEL",
                 help="Embedder for neural methods [default: embedded]."),
    click.option("--ranker", default="", metavar="NAME|FILE",
                 help="Ranker of MindAct: lexical, scores (of the data), or a JSON file of scores [default: lexical]."),
))  # fmt: skip


_OF_TEXTS = ("method", "questions", "variants", "preset", "memory_words", "min_page_words", "uniform", "previous",
             "mode", "domain", "gist_language", "task")  # fmt: skip


@dataclass(frozen=True, slots=True)
class Part:
    """A variant of a recipe, with its plan and its study; a run without a recipe is a part without a name."""

    variant: Variant
    plan: Plan
    study: Study

    def folder(self, out: Path) -> RunFolder:
        """Return the folder of this part of a run in ``out``."""
        return RunFolder(out / self.variant.name if self.variant.name else out)


def chosen_parts(flags: dict[str, Any]) -> tuple[list[Part], Settings]:
    """Return what the options describe: a part for each variant of a recipe."""
    if flags["name"].lower() == MIND2WEB:
        return _on_web_pages(flags)
    if flags["ranker"]:
        raise click.UsageError(f"--ranker is for {MIND2WEB}.")
    known = dataset(flags["name"])
    chosen = recipe(flags["recipe"]) if flags["recipe"] else None
    methods, named = listed(flags["methods"]), listed(flags["variants"])
    if named and not chosen:
        raise click.UsageError("--variants requires --recipe.")
    if methods and chosen and chosen.only_methods:
        raise click.UsageError(
            f"The recipe {flags['recipe']} is a list of methods, which --methods would replace: give one of the two."
        )
    if not (methods or chosen or flags["method"]):
        raise click.UsageError("Give the methods to compare with --methods or --recipe.")
    variants = chosen.variants_named(named) if chosen else (Variant(""),)
    usual = chosen.methods_for(known.name) if chosen else ()
    used = [[*(methods or variant.methods or usual), *flags["method"]] for variant in variants]
    found = [{one.name: one for one in map(method, names)} for names in used]  # each once
    settings = settings_of({**flags, "preset": flags.get("preset") or known.preset})
    data, split = data_folder(flags["data"], settings.home), known.split(flags["split"])
    loaded = load_cases(flags["name"], data, split)
    missing = known.missing(data, split) if known.missing is not None else None
    if missing is not None:
        echo(f"note: {missing}" + (f"; {missing.hint}" if missing.hint else ""), err=True)
    cases = sample(loaded, documents=flags["limit"], questions=flags["questions"], seed=flags["seed"])
    parts = []
    for variant, some in zip(variants, found, strict=True):
        task = QuestionAnswering(
            known.name, split, list(some.values()), cases, source=fingerprint(flags["name"]), missing=missing
        )
        plan = variant.plan(plan_of(flags, settings))
        parts.append(Part(variant, plan, Study(task, flags["runs"], flags["seed"])))
    return parts, settings


def _on_web_pages(flags: dict[str, Any]) -> tuple[list[Part], Settings]:
    """Return the study of a split of Mind2Web. --page-words are those of a snippet."""
    if given := next((name for name in _OF_TEXTS if flags.get(name) not in (None, "", ())), ""):
        raise click.UsageError(f"--{given.replace('_', '-')} is for texts, not for {MIND2WEB}.")
    if flags["recipe"] not in (None, "paper"):
        raise click.UsageError(f"The only recipe for {MIND2WEB} is paper.")
    settings = settings_of(flags)
    methods = [navigator(one) for one in listed(flags["methods"]) or PAPER]
    split = split_of(
        data_folder(flags["data"], settings.home), flags["split"], limit=flags["limit"], seed=flags["seed"]
    )
    plan = replace(WEB.scaled(flags["page_words"] or WORDS), max_pages=WEB.max_pages)
    study = Study(
        Navigation(MIND2WEB, split.name, methods, split, ranker_of(flags["ranker"])), flags["runs"], flags["seed"]
    )
    return [Part(Variant(""), plan, study)], settings
