"""`readagent bench web miniwob`: play small web tasks with rewards in a real browser."""

from __future__ import annotations

import asyncio
from dataclasses import asdict, replace
from typing import Any

import click

from readagent.agent import AsyncReadAgent
from readagent.cli.documents import library_of
from readagent.cli.options import JSON, budget_options, model_options, settings_of
from readagent.cli.output import print_json
from readagent.cli.screen import echo
from readagent_bench.web.miniwob import LIMITS, Episode, play_all, rows, table, task_names
from readagent_browse.step import WEB


@click.command(
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
        print_json({"rows": rows(episodes), "episodes": [asdict(episode) for episode in episodes]})
    else:
        echo(table(rows(episodes)))
