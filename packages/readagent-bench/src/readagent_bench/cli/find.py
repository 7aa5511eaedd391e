"""`readagent bench find`: measure how well pages are found without a model, if the data set marks relevant parts."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from readagent.agent import AsyncReadAgent
from readagent.cli.documents import library_of
from readagent.cli.options import JSON, model_options, plan_of, reading_options, settings_of
from readagent.cli.output import print_json
from readagent.cli.screen import echo
from readagent.core.memory import Page
from readagent.core.pages import paginate
from readagent.core.pages.breaks import PageBreaks
from readagent.core.plan import Plan
from readagent.models.wire import decode, encode
from readagent.settings import Settings
from readagent_bench.cli.conduct import PredictionCounter, terminal_width
from readagent_bench.context import embedder_of
from readagent_bench.datasets import data_folder, dataset, dataset_hash, load_cases, sample
from readagent_bench.example import Case
from readagent_bench.manifest import commit, machine, now
from readagent_bench.report.tables import Line, Spread, markdown, shown
from readagent_bench.report.write import text_of

if TYPE_CHECKING:
    from readagent_bench.finding import Found

_MEANING = (
    "hit: % of questions with at least one relevant page among those shown; recall: of the relevant pages that are; "
    "precision: of the pages shown that are relevant; brackets are 95 % intervals over documents"
)
_FINDERS = "bm25, view, neural, neural-passage, fusion, hybrid"  # their module needs numpy, which the help does without


@click.command(
    epilog="""\b
Examples:
  readagent bench find qmsum --data ~/qmsum --uniform
  readagent bench find qmsum --data ~/qmsum --finders bm25,view --top 1,3,6 --json

With --uniform no model is needed; otherwise pages end where the model pauses.
"""
)
@click.argument("name", metavar="DATASET")
@click.option("--data", type=click.Path(path_type=Path), help="Folder with the files of the data set.")
@click.option("--split", default="", help="Part of the data set; the default depends on the data set.")
@click.option("--finders", default="", metavar="A,B", help=f"Finders: {_FINDERS} [default: all available].")
@click.option("--top", "tops", default="1,3,6", show_default=True, metavar="K,K", help="Numbers of pages to find.")
@click.option("--limit", type=click.IntRange(1), metavar="N", help="Maximum number of documents.")
@click.option("--seed", type=int, default=0, show_default=True, help="Seed for choosing documents.")
@click.option("--embedder", default="", metavar="URL#MODEL", help="Embedder for vectors [default: embedded].")
@reading_options
@model_options
@JSON
def find(
    name: str, data: Path | None, split: str, finders: str, tops: str, limit: int | None, seed: int, embedder: str,
    as_json: bool, **flags: Any,
) -> None:  # fmt: skip
    """Measure how many of the relevant pages each finder finds. No model answers anything."""
    numbers = [part.strip() for part in tops.split(",")]
    if not all(part.isdigit() and int(part) > 0 for part in numbers):
        raise click.UsageError(f"--top must be numbers such as 1,3,6, not {tops!r}.")
    known = dataset(name)
    settings = settings_of({**flags, "preset": flags.get("preset") or known.preset})
    cases = sample(load_cases(name, data_folder(data, settings.home), split), documents=limit, seed=seed)
    wanted = Wanted([part.strip() for part in finders.split(",") if part.strip()], [*map(int, numbers)])
    found, model, vectors = _found(cases, wanted, plan_of(flags, settings), settings, embedder)
    made = {
        "dataset": known.name, "split": known.split(split), "data_sha256": dataset_hash(cases), "documents": len(cases),
        "questions": next(iter(found[0].measures.values())).count, "seed": seed, "model": model, "embedder": vectors,
        "plan": text_of(decode(encode(plan_of(flags, settings)))), "commit": commit(), "machine": machine(),
        "started": now(),
    }  # fmt: skip
    if as_json:
        print_json({"manifest": made, "rows": [_record(one) for one in found]})
    else:
        echo(_table(found, "interval" if (terminal_width() or 120) >= 90 else "none"))
        echo(_MEANING, err=True)


@dataclass(frozen=True, slots=True)
class Wanted:
    """The finders to measure, all available ones if empty, and the numbers of pages."""

    finders: list[str]
    tops: list[int]


def _found(
    cases: Sequence[Case], wanted: Wanted, plan: Plan, settings: Settings, embedder: str
) -> tuple[list[Found], str, str]:
    """Return the measures, the name of the model that chose the pages, if any, and that of the embedder."""
    from readagent_bench.finding import BY_MEANING, FINDERS, WITH_VECTORS, find_pages

    embeds = not wanted.finders or bool(set(wanted.finders) & set(WITH_VECTORS))
    counter = PredictionCounter(len(cases), what="documents")

    async def work() -> tuple[list[Found], str, str]:
        async with embedder_of(embedder, settings.home, library) if embeds else nullcontext() as vectors:
            available = [one for one in FINDERS if vectors is not None or one not in BY_MEANING]
            if not wanted.finders and vectors is None:
                echo(f"note: without an embedder, only {' and '.join(available)}; readagent model pull", err=True)
            finders, known_as = wanted.finders or available, vectors.name if vectors is not None else ""
            if plan.pauses == "uniform":
                found = await find_pages(cases, uniform, finders, wanted.tops, vectors, counter.count)
                return found, "", known_as
            async with AsyncReadAgent.from_settings(settings, library=library, plan=plan) as agent:

                async def paused(case: Case) -> Sequence[Page]:
                    session = await agent.session(plan, keep_text=False)
                    return await paginate.find_pages(case.document, session)

                found = await find_pages(cases, paused, finders, wanted.tops, vectors, counter.count)
                return found, (await agent.session(plan)).model.name, known_as

    async def uniform(case: Case) -> Sequence[Page]:
        return PageBreaks(case.document, plan).uniform()

    with library_of(settings) as library, counter:
        return asyncio.run(work())


def _table(found: Sequence[Found], spread: Spread = "interval") -> str:
    lines: list[Line] = []
    for one in found:
        cells = {measure: shown(value, spread=spread) for measure, value in one.measures.items()}
        lines.append({"finder": one.finder, "pages": one.top, **cells})
    return markdown(lines)


def _record(one: Found) -> dict[str, Any]:
    values = {measure: [value.mean, value.low, value.high] for measure, value in one.measures.items()}
    return {"finder": one.finder, "pages": one.top, **values}
