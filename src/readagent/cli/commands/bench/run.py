"""`readagent bench run`: run methods on the questions of a data set."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from readagent.bench.answering import QuestionAnswering
from readagent.bench.datasets import data_folder, dataset, load_cases, of_group, sample
from readagent.bench.folder import RunFolder
from readagent.bench.methods import method
from readagent.bench.metrics import require_rouge
from readagent.bench.recipes import RECIPES, Variant, recipe
from readagent.bench.records import Prediction
from readagent.bench.report.tables import brief, figures
from readagent.bench.score import rows
from readagent.bench.spending import purse_for
from readagent.bench.study import Study
from readagent.cli.commands.bench.conduct import budget_of, conduct, failures, note_failures
from readagent.cli.commands.bench.width import terminal_width
from readagent.cli.options import JSON, budget_options, model_options_with_output, plan_of, reading_options, settings_of
from readagent.cli.output import print_json
from readagent.cli.screen import echo, style
from readagent.cli.writing import refuse_model_option


@click.command(
    epilog="""\b
Examples:
  readagent bench run own --data examples --methods readagent-p:4,neural:4 --out runs/story
  readagent bench run quality --data ~/quality --methods readagent-p:1-6,bm25:3,full --runs 3
  readagent bench run qmsum --data ~/qmsum --recipe paper --limit 5 --model ollama/qwen3:8b

Run the same command again to resume an interrupted run and to retry failed predictions.
"""
)
@click.argument("name", metavar="DATASET")
@click.option("--data", type=click.Path(path_type=Path), help="Folder with the files of the data set.")
@click.option("--split", default="", help="Part of the data set; the default depends on the data set.")
@click.option("--methods", default="", metavar="A,B:N", help="Methods to compare; see `bench list`.")
@click.option("--recipe", "recipe_name", type=click.Choice(list(RECIPES)), help="A predefined comparison.")
@click.option("--runs", type=click.IntRange(1), default=1, show_default=True, help="Number of repetitions.")
@click.option("--limit", type=click.IntRange(1), metavar="N", help="Maximum number of documents.")
@click.option("--questions", type=click.IntRange(1), metavar="N", help="Maximum number of questions per document.")
@click.option("--seed", type=int, default=0, show_default=True, help="Seed for choosing documents and questions.")
@click.option("--embedder", default="", metavar="URL#MODEL", help="Embedder for neural methods [default: embedded].")
@click.option(
    "-o",
    "--out",
    type=click.Path(path_type=Path),
    callback=refuse_model_option,
    help="Folder of the run [default: runs/DATASET].",
)
@reading_options
@model_options_with_output
@budget_options
@JSON
def run(
    name: str, data: Path | None, split: str, methods: str, recipe_name: str | None, runs: int, limit: int | None,
    questions: int | None, seed: int, embedder: str, out: Path | None, as_json: bool, **flags: Any,
) -> None:  # fmt: skip
    """Run methods on a data set and keep every prediction with its trace."""
    known = dataset(name)
    chosen = recipe(recipe_name) if recipe_name else None
    listed = [part.strip() for part in methods.split(",") if part.strip()]
    listed = listed or list(chosen.methods_for(known.name) if chosen else ())
    if not listed:
        raise click.UsageError("Give the methods to compare with --methods or --recipe.")
    used = list({one.name: one for one in map(method, listed)}.values())
    settings = settings_of({**flags, "preset": flags.get("preset") or known.preset})
    loaded = load_cases(name, data_folder(data, settings.home), split)
    loaded = of_group(loaded, chosen.group) if chosen and chosen.group else loaded
    cases = sample(loaded, documents=limit, questions=questions, seed=seed)
    if any(example.references for case in cases for example in case.examples):
        require_rouge()  # before anything is paid for
    study = Study(QuestionAnswering(known.name, known.split(split), cases, used), runs, seed)
    folder = out or Path("runs") / known.name
    purse = purse_for(folder, budget_of(settings))  # one for all variants
    for variant in chosen.variants if chosen else (Variant(""),):
        plan = variant.plan(plan_of(flags, settings))
        here = RunFolder(folder / variant.name if variant.name else folder)
        conduct(lambda _: study, here, plan, settings, embedder, purse)
        _show(here, variant, as_json)


def _show(folder: RunFolder, variant: Variant, as_json: bool) -> None:
    found, failed = rows(folder), failures(folder.records(Prediction))
    if as_json:
        about = {"folder": str(folder.path), "variant": variant.name, "rows": [figures(row) for row in found]}
        print_json({**about, "failures": dict(failed)})
        return
    echo(style(str(folder.path), bold=True))
    echo(brief(found, terminal_width()))
    note_failures(failed)
