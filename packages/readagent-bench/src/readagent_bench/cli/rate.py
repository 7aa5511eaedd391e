"""`readagent bench rate`: rate free answers with a language model."""

from __future__ import annotations

import asyncio
from collections import Counter
from functools import partial
from pathlib import Path
from typing import Any

import click

from readagent.agent import AsyncReadAgent
from readagent.cli.documents import library_of
from readagent.cli.options import JSON, budget_options, model_options, settings_of
from readagent.cli.output import print_json
from readagent.cli.screen import echo
from readagent.connection import is_local
from readagent.core.document import Document
from readagent.errors import UsageError
from readagent.models.ledger import Ledger
from readagent.settings import Settings
from readagent_bench.cli.conduct import budget_of
from readagent_bench.cli.report import own_dataset_option, runs_in
from readagent_bench.datasets import data_folder, load_cases, name_to_load
from readagent_bench.folder import RunFolder
from readagent_bench.rate import Rating, rate_run
from readagent_bench.rate_summaries import SummaryRating, rate_summaries
from readagent_bench.spending import paying, recording


@click.command(
    epilog="""\b
Examples:
  readagent bench rate runs/qmsum --model openai/gpt-4.1
  readagent bench rate runs/meetings --summaries --data ~/datasets --model openai/gpt-4.1

Every answer is rated twice, with a strict and a permissive prompt. Summaries are rated statement by statement: how many
of the reference they tell (coverage), and how many of theirs the text supports (faithfulness), which needs the data.
Raters have prompts of their own, whatever prompts the run had. Ratings by different models are not comparable. Of a
folder with several runs, such as that of a recipe, all are rated.
"""
)
@click.argument("folders", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="RUN...")
@click.option("--summaries", is_flag=True, help="Rate coverage and faithfulness of summaries instead.")
@click.option(
    "--data", type=click.Path(path_type=Path), help="With --summaries: folder with the files of the data set."
)
@own_dataset_option
@model_options
@budget_options
@JSON
def rate(folders: tuple[Path, ...], summaries: bool, data: Path | None, own: str, as_json: bool, **flags: Any) -> None:
    """Rate the free answers of runs with a model."""
    if flags["prompts"]:
        raise click.UsageError("--prompts is not for raters: they have prompts of their own, the same for all runs.")
    settings = settings_of(flags)
    if is_local(settings):
        raise UsageError("the offline reader cannot rate answers", hint="for example --model openai/gpt-4.1")
    if data is not None and not summaries:
        raise click.UsageError("--data requires --summaries.")
    if own and not summaries:
        raise click.UsageError("--dataset requires --summaries.")
    paths = [run for path in folders for run in runs_in(path)]
    grades: dict[Path, Counter[str]] = {path: Counter() for path in paths}
    failed: dict[Path, list[str]] = {}

    async def work(folder: RunFolder, ledger: Ledger) -> list[str]:
        count = grades[folder.path]
        async with AsyncReadAgent.from_settings(settings, library=library, ledger=ledger) as agent:
            if summaries:
                documents = _documents(folder, data, own, settings)
                return await rate_summaries(folder, agent, documents, partial(_count_verdicts, count))
            return await rate_run(folder, agent, partial(_count_grade, count))

    with library_of(settings) as library:
        for folder in map(RunFolder, paths):
            folder.manifest()  # before a lock is put into a folder that has no run
        with paying(budget_of(settings), *paths) as ledger:  # one for all runs
            for folder in map(RunFolder, paths):
                with recording(folder.path, ledger):
                    failed[folder.path] = asyncio.run(work(folder, ledger))
    for path in paths:
        if as_json:
            print_json({"folder": str(path), "rated": dict(grades[path]), "failed": failed[path]})
            continue
        counted = (
            ", ".join(f"{number} {grade}" for grade, number in grades[path].most_common() if number) or "nothing new"
        )
        echo(f"{path}: {counted}")
        if failed[path]:
            more = f", and {len(failed[path]) - 1} more" if len(failed[path]) > 1 else ""
            echo(f"note: not rated: {failed[path][0]}{more}; run the same command again to retry", err=True)


def _documents(folder: RunFolder, data: Path | None, own: str, settings: Settings) -> dict[str, Document]:
    """Return the documents of a run by the name of their case."""
    manifest = folder.manifest()
    cases = load_cases(name_to_load(manifest["dataset"], own), data_folder(data, settings.home), manifest["split"])
    return {case.id: case.document for case in cases}


def _count_grade(count: Counter[str], rating: Rating) -> None:
    count[rating.grade] += 1


def _count_verdicts(count: Counter[str], rating: SummaryRating) -> None:
    """Count statements: those of the reference that are told or not, and those of the summary that are true or not."""
    count["covered"] += rating.covered.count(True)
    count["not covered"] += rating.covered.count(False)
    count["supported"] += rating.faithful.count(True)
    count["not supported"] += rating.faithful.count(False)
    count["unread"] += rating.unread
