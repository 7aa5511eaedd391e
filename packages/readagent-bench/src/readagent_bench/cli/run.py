"""`readagent bench run`: run methods on the questions of a data set; and `bench list`, what can be run."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import click

from readagent.cli.options import JSON, budget_options, model_options_with_output, reading_options
from readagent.cli.output import print_json
from readagent.cli.screen import echo, style
from readagent_bench.cli.conduct import budget_of, conduct, failures, note_failures, terminal_width
from readagent_bench.cli.report import show_navigation
from readagent_bench.cli.studies import Part, chosen_parts, study_options
from readagent_bench.datasets import DATASETS
from readagent_bench.folder import RunFolder
from readagent_bench.methods import METHODS, Entry
from readagent_bench.recipes import RECIPES
from readagent_bench.report.tables import brief, figures
from readagent_bench.report.write import NOISE
from readagent_bench.score import rows
from readagent_bench.spending import paying, share_budget
from readagent_bench.web import methods as web
from readagent_bench.web.navigation import MIND2WEB


@click.command(
    epilog="""\b
Examples:
  readagent bench run own --data examples --methods readagent-p:4,neural:4 --out runs/story
  readagent bench run quality --data ~/quality --methods readagent-p:1-6,bm25:3,full --runs 3
  readagent bench run qmsum --data ~/qmsum --recipe paper --limit 5 --model ollama/qwen3:8b
  readagent bench run mind2web --data ~/mind2web --split test_website --methods raw,readagent-p:5

Run the same command again to resume an interrupted run and to retry failed predictions.
"""
)
@study_options
@click.option("-o", "--out", type=click.Path(path_type=Path), help="Folder of the run [default: runs/DATASET].")
@reading_options
@model_options_with_output
@budget_options
@JSON
def run(embedder: str, out: Path | None, as_json: bool, **flags: Any) -> None:
    """Run methods on a data set and keep every prediction with its trace."""
    parts, settings = chosen_parts(flags)
    if flags["runs"] > 1 and settings.temperature == 0:
        echo(f"note: {NOISE}", err=True)
    folder = out or Path("runs") / parts[0].study.task.dataset
    with paying(budget_of(settings), folder) as ledger:  # one for all variants
        if any(part.variant.name for part in parts):
            share_budget(folder)
        for part in parts:
            here = part.folder(folder)
            with here.lock() if part.variant.name else nullcontext():
                conduct(part.study, here, part.plan, settings, embedder, ledger)
            _show(here, part, as_json)


def _show(folder: RunFolder, part: Part, as_json: bool) -> None:
    failed = failures(folder.records(part.study.task.record))
    if part.study.task.dataset == MIND2WEB:
        show_navigation(folder, as_json)
        if not as_json:
            note_failures(failed)
        return
    found = rows(folder)
    if as_json:
        about = {"folder": str(folder.path), "variant": part.variant.name, "rows": [figures(row) for row in found]}
        print_json({**about, "failures": dict(failed)})
        return
    echo(style(str(folder.path), bold=True))
    echo(brief(found, terminal_width()))
    note_failures(failed)


_TITLES = {"datasets": "Data sets", "web_methods": f"Methods for {MIND2WEB}"}


@click.command("list")
@JSON
def names(as_json: bool) -> None:
    """List the data sets, methods and recipes."""
    parts = {
        "datasets": {**{name: one.title for name, one in DATASETS.items()}, MIND2WEB: "Mind2Web"},
        "methods": _listed(METHODS),
        "web_methods": _listed(web.METHODS),
        "recipes": {name: one.help for name, one in RECIPES.items()},
    }
    if as_json:
        print_json(parts)
        return
    for title, entries in parts.items():
        echo(style(_TITLES.get(title, title.capitalize()), bold=True))
        for name, text in entries.items():
            echo(f"  {name:<20} {text}")
        echo()


def _listed(methods: Mapping[str, Entry[Any]]) -> dict[str, str]:
    return {
        f"{name}:N" if one.number else name: f"{one.help} (N: {one.number})" if one.number else one.help
        for name, one in methods.items()
    }
