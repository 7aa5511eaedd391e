"""The options that say what to run, shared by `bench run` and `bench estimate`, and the study that they describe."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import click

from readagent.cli.options import plan_of, settings_of
from readagent.cli.screen import echo
from readagent.core.plan import Plan
from readagent.settings import Settings
from readagent_bench.answering import QuestionAnswering
from readagent_bench.datasets import data_folder, dataset, load_cases, of_group, sample, source_of
from readagent_bench.example import Case
from readagent_bench.folder import RunFolder
from readagent_bench.methods import Method, method
from readagent_bench.recipes import RECIPES, Variant, recipe
from readagent_bench.study import Study

F = TypeVar("F", bound=Callable[..., Any])

_OPTIONS = (
    click.argument("name", metavar="DATASET"),
    click.option("--data", type=click.Path(path_type=Path), help="Folder with the files of the data set."),
    click.option("--split", default="", help="Part of the data set; the default depends on the data set."),
    click.option(
        "--methods",
        default="",
        metavar="A,B:N",
        help="Methods to compare; see `bench list`. With --recipe: in its variants, instead of its own.",
    ),
    click.option(
        "--method", "own", multiple=True, metavar="FILE.py:CLASS", help="Also this method of yours (repeatable)."
    ),
    click.option("--recipe", type=click.Choice(list(RECIPES)), help="A predefined comparison."),
    click.option("--variants", default="", metavar="A,B", help="Run only these variants of a recipe."),
    click.option("--runs", type=click.IntRange(1), default=1, show_default=True, help="Number of repetitions."),
    click.option("--limit", type=click.IntRange(1), metavar="N", help="Maximum number of documents."),
    click.option("--questions", type=click.IntRange(1), metavar="N", help="Maximum number of questions per document."),
    click.option("--seed", type=int, default=0, show_default=True, help="Seed for choosing documents and questions."),
    click.option(
        "--embedder", default="", metavar="URL#MODEL", help="Embedder for neural methods [default: embedded]."
    ),
)


def study_options(command: F) -> F:
    """Add the options."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


@dataclass(frozen=True, slots=True)
class Part:
    """A variant of a recipe, with its plan and its task."""

    variant: Variant
    plan: Plan
    task: QuestionAnswering
    study: Study[Any, Any, Any]

    def folder(self, out: Path) -> RunFolder:
        """Return the folder of this part of a run in ``out``."""
        return RunFolder(out / self.variant.name if self.variant.name else out)


@dataclass(frozen=True, slots=True)
class Chosen:
    """What the options describe: a part for each variant of a recipe; one without a name if there is no recipe."""

    cases: list[Case]
    parts: tuple[Part, ...]
    settings: Settings


def chosen_study(flags: dict[str, Any]) -> Chosen:
    """Return the study that the options describe."""
    known = dataset(flags["name"])
    chosen = recipe(flags["recipe"]) if flags["recipe"] else None
    listed, named = _listed(flags["methods"]), _listed(flags["variants"])
    if named and not chosen:
        raise click.UsageError("--variants requires --recipe.")
    if listed and chosen and chosen.only_methods(known.name):
        raise click.UsageError(
            f"The recipe {flags['recipe']} is a list of methods, which --methods would replace: give one of the two."
        )
    variants = chosen.variants_for(known.name, named) if chosen else (Variant(""),)
    usual = chosen.methods_for(known.name) if chosen else ()
    own = flags["own"]
    used = [_methods([*(listed or variant.methods or usual), *own]) for variant in variants]
    settings = settings_of({**flags, "preset": flags.get("preset") or known.preset})
    data = data_folder(flags["data"], settings.home)
    loaded = load_cases(flags["name"], data, flags["split"])
    split = known.split(flags["split"])
    missing = known.missing(data, split) if known.missing is not None else None
    if missing is not None:
        echo(f"note: {missing}" + (f"; {missing.hint}" if missing.hint else ""), err=True)
    loaded = of_group(loaded, chosen.group) if chosen and chosen.group else loaded
    cases = sample(loaded, documents=flags["limit"], questions=flags["questions"], seed=flags["seed"])
    parts = []
    for variant, methods in zip(variants, used, strict=True):
        task = QuestionAnswering(
            known.name, split, cases, methods, note=known.note, source=source_of(flags["name"]), missing=missing
        )
        plan = variant.plan(plan_of(flags, settings))
        parts.append(Part(variant, plan, task, Study(task, flags["runs"], flags["seed"])))
    return Chosen(cases, tuple(parts), settings)


def _listed(text: str) -> list[str]:
    return [part.strip() for part in text.split(",") if part.strip()]


def _methods(names: Sequence[str]) -> list[Method]:
    """Return the methods with these names, each once."""
    if not names:
        raise click.UsageError("Give the methods to compare with --methods or --recipe.")
    return list({one.name: one for one in map(method, names)}.values())
