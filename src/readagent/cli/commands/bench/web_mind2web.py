"""`readagent bench web mind2web`: the next action on recorded pages, by several methods, the paper's figures beside."""

from __future__ import annotations

import asyncio
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from readagent.agent import AsyncReadAgent
from readagent.bench.datasets import data_folder
from readagent.bench.embedders import embedder_of
from readagent.bench.paid import Paid
from readagent.bench.web.mind2web.folder import WebFolder
from readagent.bench.web.mind2web.load import SPLITS, split_of
from readagent.bench.web.mind2web.measure import rows
from readagent.bench.web.mind2web.methods import METHODS, PAPER, method
from readagent.bench.web.mind2web.rank import ranker_of
from readagent.bench.web.mind2web.report import figures, report, table
from readagent.bench.web.mind2web.study import Study
from readagent.cli.commands.bench.counter import PredictionCounter
from readagent.cli.commands.bench.width import terminal_width
from readagent.cli.documents import library_of
from readagent.cli.options import JSON, budget_options, model_options, settings_of
from readagent.cli.output import print_json
from readagent.webnav.snippets import WORDS
from readagent.webnav.step import WEB

_WIDE = 150  # columns that the table with intervals and the paper's figures takes


@click.command(
    epilog="""\b
Examples:
  readagent bench web mind2web --data ~/mind2web --split test_website --limit 10
  readagent bench web mind2web --data ~/mind2web --methods raw,readagent-p:5 --window 8000
  readagent bench web mind2web --data ~/mind2web --methods mindact --ranker scores.json

The data are their authors': docs/web-navigation.md says where they are. A run that was stopped goes on when the same
command is given again; what failed is tried again.
"""
)
@click.option("--data", type=click.Path(path_type=Path), help="The folder with the data set's files.")
@click.option("--split", type=click.Choice(list(SPLITS)), default="test_task", show_default=True, help="Which part.")
@click.option("--methods", default="", metavar="A,B:N", help=f"Of {', '.join(METHODS)}; the paper's if not given.")
@click.option("--runs", type=click.IntRange(1), default=1, show_default=True, help="Repetitions.")
@click.option("--limit", type=click.IntRange(1), metavar="N", help="Tasks, at most.")
@click.option("--seed", type=int, default=0, show_default=True, help="Which tasks a limit takes.")
@click.option("--snippet-words", type=click.IntRange(20), default=WORDS, show_default=True, help="Of a snippet.")
@click.option("--ranker", default="lexical", show_default=True, metavar="NAME|FILE|MODULE:FUNCTION",
              help="MindAct's: lexical, vector, scores (in the data), a file of scores, or a function.")  # fmt: skip
@click.option("--embedder", default="", metavar="URL#MODEL", help="For neural methods; the embedded one by default.")
@click.option("-o", "--out", type=click.Path(path_type=Path), help="The run's folder (runs/mind2web-SPLIT).")
@model_options
@budget_options
@JSON
def mind2web(
    data: Path | None, split: str, methods: str, runs: int, limit: int | None, seed: int, snippet_words: int,
    ranker: str, embedder: str, out: Path | None, as_json: bool, **flags: Any,
) -> None:  # fmt: skip
    """Predict each step of Mind2Web's tasks and keep every prediction with its trace."""
    settings = settings_of(flags)
    used = [method(part.strip()) for part in methods.split(",") if part.strip()] or [method(one) for one in PAPER]
    found = split_of(data_folder(data, settings.home), split, limit=limit, seed=seed)
    plan = replace(WEB.scaled(snippet_words), max_pages=WEB.max_pages)
    folder = WebFolder(out or Path("runs") / f"mind2web-{split}")

    async def work() -> None:
        async with embedder_of(embedder, settings.home, library) as vectors:
            study = Study(found, used, ranker_of(ranker, vectors), vectors, runs, seed)
            with PredictionCounter(study.predictions, len(study.done(folder))) as tell:

                def agent_of(number: int, paid: Paid) -> AsyncReadAgent:
                    return AsyncReadAgent.from_settings(paid.left(settings), library=library, plan=plan, run=number)

                await study.conduct(folder.path, agent_of, tell)

    with library_of(settings) as library:
        asyncio.run(work())
    _show(folder, as_json)


def _show(folder: WebFolder, as_json: bool) -> None:
    predictions, made = folder.predictions(), folder.manifest()
    found = rows(predictions, made["methods"], made["seed"])
    written = folder.write(report(folder))
    failed = Counter(one.error for one in predictions if one.error)
    if as_json:
        told = {"folder": str(folder.path), "split": made["split"], "rows": [figures(row) for row in found]}
        print_json({**told, "failures": dict(failed), "report": str(written)})
        return
    wide = (terminal_width() or _WIDE) >= _WIDE
    click.echo(table(found, made["split"], "interval" if wide else "none", paper=wide))
    click.echo(f"with the paper's figures: {written}")
    if failed:
        (reason, _), more = failed.most_common(1)[0], len(failed) - 1
        others = f"; {more} other reasons" if more else ""
        click.echo(f"note: {failed.total()} predictions failed and count as wrong ({reason}{others})", err=True)
