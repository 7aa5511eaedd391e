"""`readagent bench rate`: rate free answers with a language model."""

from __future__ import annotations

import asyncio
from collections import Counter
from pathlib import Path
from typing import Any

import click

from readagent.agent import AsyncReadAgent
from readagent.cli.documents import library_of
from readagent.cli.options import JSON, budget_options, model_options, settings_of
from readagent.cli.output import print_json
from readagent.cli.screen import echo
from readagent.connection import is_local
from readagent.errors import UsageError
from readagent.models.ledger import Ledger
from readagent_bench.cli.conduct import budget_of
from readagent_bench.cli.report import runs_in
from readagent_bench.folder import RunFolder
from readagent_bench.rate import Rating, rate_run
from readagent_bench.spending import paying, recording


@click.command(
    epilog="""\b
Example:
  readagent bench rate runs/qmsum --model openai/gpt-4.1

Every answer is rated twice, with a strict and a permissive prompt. Raters have prompts of their own, whatever prompts
the run had. Ratings by different models are not comparable. Of a folder with several runs, such as that of a recipe,
all are rated.
"""
)
@click.argument("folders", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="RUN...")
@model_options
@budget_options
@JSON
def rate(folders: tuple[Path, ...], as_json: bool, **flags: Any) -> None:
    """Rate the free answers of runs with a model."""
    if flags["prompts"]:
        raise click.UsageError("--prompts is not for raters: they have prompts of their own, the same for all runs.")
    settings = settings_of(flags)
    if is_local(settings):
        raise UsageError("the offline reader cannot rate answers", hint="for example --model openai/gpt-4.1")
    paths = [run for path in folders for run in runs_in(path)]
    grades: dict[Path, Counter[str]] = {path: Counter() for path in paths}
    failed: dict[Path, list[str]] = {}

    async def work(folder: RunFolder, ledger: Ledger) -> list[str]:
        def count(rating: Rating) -> None:
            grades[folder.path][rating.grade] += 1

        async with AsyncReadAgent.from_settings(settings, library=library, ledger=ledger) as agent:
            return await rate_run(folder, agent, count)

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
        counted = ", ".join(f"{number} {grade}" for grade, number in grades[path].most_common())
        echo(f"{path}: {counted or 'nothing new'}")
        if failed[path]:
            more = f", and {len(failed[path]) - 1} more" if len(failed[path]) > 1 else ""
            echo(f"note: not rated: {failed[path][0]}{more}; run the same command again to retry", err=True)
