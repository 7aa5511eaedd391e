"""`readagent bench rate`: rate free answers with a language model."""

from __future__ import annotations

import asyncio
from collections import Counter
from pathlib import Path
from typing import Any

import click

from readagent.agent import AsyncReadAgent
from readagent.bench.folder import RunFolder
from readagent.bench.rate import Rating, rate_run
from readagent.cli.documents import library_of
from readagent.cli.options import JSON, budget_options, model_options, settings_of
from readagent.cli.output import print_json
from readagent.cli.screen import echo
from readagent.connection import is_local
from readagent.errors import UsageError


@click.command(
    epilog="""\b
Examples:
  readagent bench rate runs/qmsum --model openai/gpt-4.1

Every answer is rated twice, with a strict and a permissive prompt. Ratings by different models are not comparable.
"""
)
@click.argument("folders", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="RUN...")
@model_options
@budget_options
@JSON
def rate(folders: tuple[Path, ...], as_json: bool, **flags: Any) -> None:
    """Rate the free answers of runs with a model."""
    settings = settings_of(flags)
    if is_local(settings):
        raise UsageError("the offline reader cannot rate answers", hint="for example --model openai/gpt-4.1")
    grades: dict[Path, Counter[str]] = {path: Counter() for path in folders}
    failed: dict[Path, list[str]] = {}

    async def work() -> None:
        async with AsyncReadAgent.from_settings(settings, library=library) as agent:
            for path in folders:

                def count(rating: Rating, path: Path = path) -> None:
                    grades[path][rating.grade] += 1

                failed[path] = await rate_run(RunFolder(path), agent, count)

    with library_of(settings) as library:
        asyncio.run(work())
    for path in folders:
        if as_json:
            print_json({"folder": str(path), "rated": dict(grades[path]), "failed": failed[path]})
            continue
        counted = ", ".join(f"{number} {grade}" for grade, number in grades[path].most_common()) or "nothing new"
        echo(f"{path}: {counted}")
        if failed[path]:
            more = f", and {len(failed[path]) - 1} more" if len(failed[path]) > 1 else ""
            echo(f"note: not rated: {failed[path][0]}{more}; run the same command again to retry", err=True)
