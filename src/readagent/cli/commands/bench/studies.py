"""The options that say what to run, shared by `bench run` and `bench estimate`, and the study that they describe."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import click

from readagent.bench.answering import QuestionAnswering
from readagent.bench.datasets import data_folder, dataset, load_cases, of_group, sample
from readagent.bench.methods import method
from readagent.bench.recipes import RECIPES, Variant, recipe
from readagent.bench.study import Study
from readagent.cli.options import plan_of, settings_of
from readagent.cli.screen import echo
from readagent.core.plan import Plan
from readagent.settings import Settings

F = TypeVar("F", bound=Callable[..., Any])

_OPTIONS = (
    click.argument("name", metavar="DATASET"),
    click.option("--data", type=click.Path(path_type=Path), help="Folder with the files of the data set."),
    click.option("--split", default="", help="Part of the data set; the default depends on the data set."),
    click.option("--methods", default="", metavar="A,B:N", help="Methods to compare; see `bench list`."),
    click.option("--recipe", type=click.Choice(list(RECIPES)), help="A predefined comparison."),
    click.option("--runs", type=click.IntRange(1), default=1, show_default=True, help="Number of repetitions."),
    click.option("--limit", type=click.IntRange(1), metavar="N", help="Maximum number of documents."),
    click.option("--questions", type=click.IntRange(1), metavar="N", help="Maximum number of questions per document."),
    click.option("--seed", type=int, default=0, show_default=True, help="Seed for choosing documents and questions."),
)


def study_options(command: F) -> F:
    """Add the options."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


@dataclass(frozen=True, slots=True)
class Chosen:
    """A study, the settings in force, and the flags with which its plan is made."""

    study: Study[Any, Any, Any]
    task: QuestionAnswering
    variants: tuple[Variant, ...]
    settings: Settings
    flags: dict[str, Any]

    def plans(self) -> Iterator[tuple[Variant, Plan]]:
        """Yield the variants of the recipe with their plans; one without a name if there is no recipe."""
        for variant in self.variants:
            yield variant, variant.plan(plan_of(self.flags, self.settings))


def chosen_study(flags: dict[str, Any]) -> Chosen:
    """Return the study that the options describe."""
    known = dataset(flags["name"])
    chosen = recipe(flags["recipe"]) if flags["recipe"] else None
    listed = [part.strip() for part in flags["methods"].split(",") if part.strip()]
    listed = listed or list(chosen.methods_for(known.name) if chosen else ())
    if not listed:
        raise click.UsageError("Give the methods to compare with --methods or --recipe.")
    used = list({one.name: one for one in map(method, listed)}.values())
    settings = settings_of({**flags, "preset": flags.get("preset") or known.preset})
    data = data_folder(flags["data"], settings.home)
    loaded = load_cases(known.name, data, flags["split"])
    if known.missing is not None and (missing := known.missing(data, known.split(flags["split"]))):
        echo(f"note: {missing}", err=True)
    loaded = of_group(loaded, chosen.group) if chosen and chosen.group else loaded
    cases = sample(loaded, documents=flags["limit"], questions=flags["questions"], seed=flags["seed"])
    task = QuestionAnswering(known.name, known.split(flags["split"]), cases, used, note=known.note)
    variants = chosen.variants if chosen else (Variant(""),)
    return Chosen(Study(task, flags["runs"], flags["seed"]), task, variants, settings, flags)
