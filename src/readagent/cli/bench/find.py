"""`readagent bench find`: how well pages are found without a model, where the data set says which parts matter."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from readagent.agent import AsyncReadAgent
from readagent.bench.datasets import data_folder, dataset, load_cases, sample
from readagent.bench.embedders import embedder_of
from readagent.bench.example import Case
from readagent.bench.finding import FINDERS, Found, find_pages
from readagent.bench.report.tables import markdown, shown
from readagent.cli.options import JSON, model_options, plan_of, reading_options, settings_of
from readagent.cli.output import print_json
from readagent.cli.session import named_settings
from readagent.cli.shelf import library_of
from readagent.core.memory import Page
from readagent.core.paginate import Pausing, paginate


@click.command(
    epilog="""\b
Examples:
  readagent bench find qmsum --data ~/qmsum --uniform
  readagent bench find qmsum --data ~/qmsum --finders bm25,hybrid --top 1,3,6 --json

With --uniform no model is needed; else pages end where the model of the settings pauses.
"""
)
@click.argument("name", metavar="DATASET")
@click.option("--data", type=click.Path(path_type=Path), help="The folder with the data set's files.")
@click.option("--split", default="", help="Which part of the data set; its usual one if not given.")
@click.option("--finders", default=",".join(FINDERS), show_default=True, metavar="A,B", help="Ways of looking.")
@click.option("--top", "tops", default="1,3,6", show_default=True, metavar="K,K", help="Numbers of pages.")
@click.option("--limit", type=click.IntRange(1), metavar="N", help="Documents, at most.")
@click.option("--seed", type=int, default=0, show_default=True, help="Which documents a limit takes.")
@click.option("--embedder", default="", metavar="URL#MODEL", help="For vectors; the embedded one by default.")
@reading_options
@model_options
@JSON
def find(
    name: str, data: Path | None, split: str, finders: str, tops: str, limit: int | None, seed: int, embedder: str,
    as_json: bool, **flags: Any,
) -> None:  # fmt: skip
    """Measure how many of the right pages each way of looking finds. No model answers anything."""
    numbers = [part.strip() for part in tops.split(",")]
    if not all(part.isdigit() and int(part) > 0 for part in numbers):
        raise click.UsageError(f"--top takes numbers such as 1,3,6, not {tops!r}.")
    known = dataset(name)
    settings = settings_of({**flags, "preset": flags.get("preset") or known.preset})
    cases = sample(load_cases(name, data_folder(data, settings.home), split), documents=limit, seed=seed)
    plan = plan_of(flags, settings)
    source, named = named_settings(settings)
    with library_of(settings) as library:

        async def work() -> list[Found]:
            vectors = embedder_of(embedder, settings.home, library)
            wanted = [part.strip() for part in finders.split(",")]
            if plan.pauses == "uniform":
                return await find_pages(cases, _uniform, wanted, [*map(int, numbers)], vectors)
            async with AsyncReadAgent(source, library=library, plan=plan, **named) as agent:

                async def paused(case: Case) -> Sequence[Page]:
                    reader = await agent.reader(plan, keep_text=False)
                    return [page async for page in paginate(case.document, reader)]

                return await find_pages(cases, paused, wanted, [*map(int, numbers)], vectors)

        async def _uniform(case: Case) -> Sequence[Page]:
            return Pausing(case.document, replace(plan, pauses="uniform")).uniform()

        found = asyncio.run(work())
    if as_json:
        print_json([_record(one) for one in found])
    else:
        click.echo(markdown([{"finder": one.finder, "pages": one.top, **_cells(one)} for one in found]))


def _record(one: Found) -> dict[str, Any]:
    values = {measure: [value.mean, value.low, value.high] for measure, value in one.measures.items()}
    return {"finder": one.finder, "pages": one.top, **values}


def _cells(one: Found) -> dict[str, str]:
    return {measure: shown(value) for measure, value in one.measures.items()}
