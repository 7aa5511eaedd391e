"""`readagent bench run`: every method on every question of a data set, into a folder."""

from __future__ import annotations

import asyncio
from collections import Counter
from pathlib import Path
from typing import Any

import click

from readagent.agent import AsyncReadAgent
from readagent.bench.datasets import data_folder, dataset, load_cases, sample
from readagent.bench.embedders import embedder_of
from readagent.bench.folder import RunFolder
from readagent.bench.methods import method
from readagent.bench.paid import Paid
from readagent.bench.recipes import RECIPES, Variant, recipe
from readagent.bench.report.tables import brief, figures
from readagent.bench.score import rows
from readagent.bench.study import Study
from readagent.cli.commands.bench.counter import PredictionCounter
from readagent.cli.commands.bench.width import terminal_width
from readagent.cli.documents import library_of
from readagent.cli.options import JSON, budget_options, model_options, plan_of, reading_options, settings_of
from readagent.cli.output import print_json
from readagent.core.plan import Plan
from readagent.settings import Settings


@click.command(
    epilog="""\b
Examples:
  readagent bench run own --data examples --methods readagent-p:4,neural:4 --out runs/story
  readagent bench run quality --data ~/quality --methods readagent-p:1-6,bm25:3,full --runs 3
  readagent bench run qmsum --data ~/qmsum --recipe paper --limit 5 --model ollama/qwen3:8b

A run that was stopped goes on when the same command is given again; what failed is tried again.
"""
)
@click.argument("name", metavar="DATASET")
@click.option("--data", type=click.Path(path_type=Path), help="The folder with the data set's files.")
@click.option("--split", default="", help="Which part of the data set; its usual one if not given.")
@click.option("--methods", default="", metavar="A,B:N", help="What to compare; see `bench list`.")
@click.option("--recipe", "recipe_name", type=click.Choice(list(RECIPES)), help="A comparison by name.")
@click.option("--runs", type=click.IntRange(1), default=1, show_default=True, help="Repetitions.")
@click.option("--limit", type=click.IntRange(1), metavar="N", help="Documents, at most.")
@click.option("--questions", type=click.IntRange(1), metavar="N", help="Questions of each document, at most.")
@click.option("--seed", type=int, default=0, show_default=True, help="Which documents and questions a limit takes.")
@click.option("--embedder", default="", metavar="URL#MODEL", help="For neural methods; the embedded one by default.")
@click.option("-o", "--out", type=click.Path(path_type=Path), help="The run's folder (runs/DATASET).")
@reading_options
@model_options
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
        raise click.UsageError("Say what to compare: --methods or --recipe.")
    used = list({one.name: one for one in map(method, listed)}.values())
    settings = settings_of({**flags, "preset": flags.get("preset") or known.preset})
    cases = sample(
        load_cases(name, data_folder(data, settings.home), split), documents=limit, questions=questions, seed=seed
    )
    study = Study(known.name, known.split(split), cases, used, runs, seed)
    folder = out or Path("runs") / known.name
    for variant in chosen.variants if chosen else (Variant(""),):
        plan = variant.plan(plan_of(flags, settings))
        here = RunFolder(folder / variant.name if variant.name else folder)
        _conduct(study, here, plan, settings, embedder)
        _show(here, variant, as_json)


def _conduct(study: Study, folder: RunFolder, plan: Plan, settings: Settings, embedder: str) -> None:
    done = len(study.done(folder)) if folder.exists else 0
    with (
        library_of(settings) as library,
        PredictionCounter(study.runs * len(study.methods) * study.questions, done) as tell,
    ):

        def agent_of(number: int, paid: Paid) -> AsyncReadAgent:
            return AsyncReadAgent.from_settings(paid.left(settings), library=library, plan=plan, run=number)

        async def work() -> None:
            async with embedder_of(embedder, settings.home, library) as vectors:
                await study.conduct(folder.path, agent_of, vectors, tell)

        asyncio.run(work())


def _show(folder: RunFolder, variant: Variant, as_json: bool) -> None:
    found = rows(folder)
    failed = Counter(prediction.error for prediction in folder.predictions() if prediction.error)
    if as_json:
        told = {"folder": str(folder.path), "variant": variant.name, "rows": [figures(row) for row in found]}
        print_json({**told, "failures": dict(failed)})
        return
    click.echo(click.style(str(folder.path), bold=True))
    click.echo(brief(found, terminal_width()))
    if failed:
        (reason, _), more = failed.most_common(1)[0], len(failed) - 1
        others = f"; {more} other reasons" if more else ""
        click.echo(
            f"note: {failed.total()} predictions failed and count as wrong ({reason}{others}); "
            "the same command tries them again",
            err=True,
        )
