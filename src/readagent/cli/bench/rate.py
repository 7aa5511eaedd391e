"""`readagent bench rate`: a language model's judgement of free answers."""

from __future__ import annotations

import asyncio
from collections import Counter
from pathlib import Path
from typing import Any

import click

from readagent.agent import AsyncReadAgent
from readagent.bench.folder import RunFolder
from readagent.bench.rate import Rating
from readagent.bench.study import rate_run
from readagent.cli.options import JSON, budget_options, model_options, settings_of
from readagent.cli.output import print_json
from readagent.cli.session import named_settings
from readagent.cli.shelf import library_of
from readagent.connect import is_local
from readagent.errors import UsageError


@click.command(
    epilog="""\b
Examples:
  readagent bench rate runs/qmsum --model openai/gpt-4.1

Two raters judge every answer, one strictly and one permissively. Ratings by different models cannot be compared.
"""
)
@click.argument("folders", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="RUN...")
@model_options
@budget_options
@JSON
def rate(folders: tuple[Path, ...], as_json: bool, **flags: Any) -> None:
    """Let a model rate the free answers of runs."""
    settings = settings_of(flags)
    if is_local(settings):
        raise UsageError("the offline reader cannot rate answers", hint="name a rater, as in --model openai/gpt-4.1")
    source, named = named_settings(settings)
    with library_of(settings) as library:
        for path in folders:
            folder, grades = RunFolder(path), Counter[str]()

            async def work(folder: RunFolder = folder, grades: Counter[str] = grades) -> None:
                def count(rating: Rating) -> None:
                    grades[rating.grade] += 1

                async with AsyncReadAgent(source, library=library, **named) as agent:
                    await rate_run(folder, agent, count)

            asyncio.run(work())
            if as_json:
                print_json({"folder": str(path), "rated": dict(grades)})
            else:
                told = ", ".join(f"{number} {grade}" for grade, number in grades.most_common()) or "nothing new"
                click.echo(f"{path}: {told}")
