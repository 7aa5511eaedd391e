"""`readagent bench run`: every method on every question of a data set, into a folder."""

from __future__ import annotations

import asyncio
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from readagent.agent import AsyncReadAgent
from readagent.bench.datasets import data_folder, dataset, load_cases, sample
from readagent.bench.embedders import embedder_of
from readagent.bench.folder import RunFolder
from readagent.bench.methods import method
from readagent.bench.recipes import RECIPES, Variant, recipe
from readagent.bench.records import Prediction
from readagent.bench.report.tables import brief, figures
from readagent.bench.score import rows
from readagent.bench.study import Study
from readagent.cli.options import JSON, budget_options, model_options, plan_of, reading_options, settings_of
from readagent.cli.output import print_json
from readagent.cli.session import named_settings
from readagent.cli.shelf import library_of


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
    listed = [part.strip() for part in methods.split(",") if part.strip()] or list(chosen.methods if chosen else ())
    if not listed:
        raise click.UsageError("Say what to compare: --methods or --recipe.")
    settings = settings_of({**flags, "preset": flags.get("preset") or known.preset})
    cases = sample(
        load_cases(name, data_folder(data, settings.home), split), documents=limit, questions=questions, seed=seed
    )
    usual = plan_of(flags, settings)
    folder = out or Path("runs") / known.name
    source, named = named_settings(settings)
    with library_of(settings) as library:
        study = Study(
            known.name, known.split(split), cases, [method(one) for one in listed], runs, seed,
            embedder_of(embedder, settings.home, library),
        )  # fmt: skip
        for variant in chosen.variants if chosen else (Variant(""),):
            plan = variant.plan(usual)

            def agent_of(number: int, plan: Any = plan) -> AsyncReadAgent:
                return AsyncReadAgent(source, library=library, plan=plan, run=number, **named)

            with Counter(runs * len(listed) * study.questions) as tell:
                here = folder / variant.name if variant.name else folder
                done = asyncio.run(replace(study).conduct(here, agent_of, tell))
            _show(done, variant, as_json)


def _show(folder: RunFolder, variant: Variant, as_json: bool) -> None:
    if as_json:
        print_json(
            {"folder": str(folder.path), "variant": variant.name, "rows": [figures(row) for row in rows(folder)]}
        )
        return
    click.echo(click.style(str(folder.path), bold=True))
    click.echo(brief(folder))
    failed = sum(bool(prediction.error) for prediction in folder.predictions())
    if failed:
        click.echo(f"note: {failed} predictions failed and count as wrong; the same command tries them again", err=True)


class Counter:
    """A line on a terminal's standard error: how many predictions are made, and how many of them failed."""

    def __init__(self, total: int) -> None:
        self._total = total
        self._done = self._failed = 0
        self._shown = sys.stderr is not None and sys.stderr.isatty()

    def __call__(self, prediction: Prediction) -> None:
        self._done += 1
        self._failed += bool(prediction.error)
        if self._shown:
            failed = f", {self._failed} failed" if self._failed else ""
            sys.stderr.write(f"\r\x1b[K{self._done} of {self._total} predictions{failed}")
            sys.stderr.flush()

    def __enter__(self) -> Counter:
        return self

    def __exit__(self, *_: object) -> None:
        if self._shown and self._done:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()
