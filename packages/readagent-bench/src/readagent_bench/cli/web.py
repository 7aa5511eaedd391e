"""`readagent bench web`: measure web navigation on recorded pages and in a real browser."""

from __future__ import annotations

import asyncio
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import click

from readagent.agent import AsyncReadAgent
from readagent.cli.documents import library_of
from readagent.cli.groups import NearestGroup
from readagent.cli.options import JSON, budget_options, model_options, model_options_with_output, settings_of
from readagent.cli.output import print_json
from readagent.cli.screen import echo
from readagent.cli.writing import refuse_model_option
from readagent_bench.cli.conduct import conduct, failures, listed, note_failures, terminal_width
from readagent_bench.datasets.files import data_folder
from readagent_bench.folder import RunFolder
from readagent_bench.report.tables import figures, markdown
from readagent_bench.study import Study
from readagent_bench.web.data import SPLITS, split_of
from readagent_bench.web.methods import METHODS, PAPER, method
from readagent_bench.web.mindact import ranker_of
from readagent_bench.web.miniwob import LIMITS, Episode, play_all, task_names
from readagent_bench.web.miniwob import rows as episode_rows
from readagent_bench.web.navigation import Navigation, StepPrediction, report, rows, table
from readagent_browse.snippets import WORDS
from readagent_browse.step import WEB

_WIDE = 150  # columns of the table with intervals and the figures of the paper


@click.group(cls=NearestGroup)
def web() -> None:
    """Measure web navigation on recorded pages or in a browser."""


@web.command(
    epilog="""\b
Examples:
  readagent bench web mind2web --data ~/mind2web --split test_website --limit 10
  readagent bench web mind2web --data ~/mind2web --methods raw,readagent-p:5 --window 8000
  readagent bench web mind2web --data ~/mind2web --methods mindact --ranker scores.json

docs/web-navigation.md says where to get the data. Run the same command again to resume an interrupted run and to retry
failed predictions.
"""
)
@click.option("--data", type=click.Path(path_type=Path), help="Folder with the files of the data set.")
@click.option("--split", type=click.Choice(list(SPLITS)), default="test_task", show_default=True,
              help="Part of the data set.")  # fmt: skip
@click.option("--methods", default="", metavar="A,B:N",
              help=f"Methods to compare: {', '.join(METHODS)} [default: those of the paper].")  # fmt: skip
@click.option("--runs", type=click.IntRange(1), default=1, show_default=True, help="Number of repetitions.")
@click.option("--limit", type=click.IntRange(1), metavar="N", help="Maximum number of tasks.")
@click.option("--seed", type=int, default=0, show_default=True, help="Seed for choosing tasks.")
@click.option("--snippet-words", type=click.IntRange(20), default=WORDS, show_default=True,
              help="Maximum words per snippet.")  # fmt: skip
@click.option("--ranker", default="lexical", show_default=True, metavar="NAME|FILE",
              help="Ranker of MindAct: lexical, scores (of the data), or a JSON file of scores.")  # fmt: skip
@click.option("--embedder", default="", metavar="URL#MODEL", help="Embedder for neural methods [default: embedded].")
@click.option(
    "-o",
    "--out",
    type=click.Path(path_type=Path),
    callback=refuse_model_option,
    help="Folder of the run [default: runs/mind2web-SPLIT].",
)
@model_options_with_output
@budget_options
@JSON
def mind2web(
    data: Path | None, split: str, methods: str, runs: int, limit: int | None, seed: int, snippet_words: int,
    ranker: str, embedder: str, out: Path | None, as_json: bool, **flags: Any,
) -> None:  # fmt: skip
    """Predict each step of the tasks of Mind2Web and keep every prediction with its trace."""
    settings = settings_of(flags)
    used = [method(one) for one in listed(methods) or PAPER]
    found = split_of(data_folder(data, settings.home), split, limit=limit, seed=seed)
    plan = replace(WEB.scaled(snippet_words), max_pages=WEB.max_pages)
    folder = RunFolder(out or Path("runs") / f"mind2web-{split}")
    conduct(Study(Navigation(found, used, ranker_of(ranker)), runs, seed), folder, plan, settings, embedder)
    show(folder, as_json)
    note_failures(failures(folder.records(StepPrediction)))


def show(folder: RunFolder, as_json: bool) -> None:
    """Write the report of a run and print its table."""
    found, split = rows(folder), folder.manifest()["split"]
    written = folder.write_text("report.md", report(folder))
    if as_json:
        failed = dict(failures(folder.records(StepPrediction)))
        about = {"folder": str(folder.path), "split": split, "rows": [figures(row) for row in found]}
        print_json({**about, "failures": failed, "report": str(written)})
        return
    wide = (terminal_width() or _WIDE) >= _WIDE
    echo(table(found, split, "interval" if wide else "none", paper=wide))
    echo(f"with the figures of the paper: {written}")


@web.command(
    epilog="""\b
Examples:
  readagent bench web miniwob --tasks email-inbox,book-flight --seeds 5 --model ollama/qwen3:8b
  readagent bench web miniwob --tasks long --snippet-words 60
"""
)
@click.option("--tasks", default="all", show_default=True, metavar="A,B", help="Names of tasks, or all, or long.")
@click.option("--seeds", type=click.IntRange(1), default=3, show_default=True, metavar="N", help="Episodes per task.")
@click.option("--max-steps", type=click.IntRange(1), default=LIMITS.steps, show_default=True, metavar="N",
              help="Maximum steps per episode.")  # fmt: skip
@click.option("--snippet-words", type=click.IntRange(10), default=WEB.page_words, show_default=True, metavar="N",
              help="Maximum words per part of a page.")  # fmt: skip
@click.option("--headed", is_flag=True, help="Show the browser window.")
@model_options
@budget_options
@JSON
def miniwob(
    tasks: str, seeds: int, max_steps: int, snippet_words: int, headed: bool, as_json: bool, **flags: Any
) -> None:
    """Play tasks of MiniWoB and print how many got the full reward.

    The tasks come from a package: pip install --no-deps miniwob. There is no time limit, so slow models are not
    penalised.
    """
    named_tasks = task_names(tasks)
    settings = settings_of(flags)

    def show(episode: Episode) -> None:
        result = "solved" if episode.success else f"reward {episode.reward:g}, {episode.reason}"
        echo(f"{episode.task} {episode.seed}: {result} ({episode.steps} steps)", err=True)

    async def work() -> list[Episode]:
        async with AsyncReadAgent.from_settings(settings, library=library) as agent:
            return await play_all(
                named_tasks, seeds, agent, show, plan=WEB.scaled(snippet_words),
                limits=replace(LIMITS, steps=max_steps), headed=headed,
            )  # fmt: skip

    with library_of(settings) as library:
        episodes = asyncio.run(work())
    if as_json:
        print_json({"rows": episode_rows(episodes), "episodes": [asdict(episode) for episode in episodes]})
    else:
        echo(markdown(episode_rows(episodes)))
