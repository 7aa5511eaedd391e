"""MiniWoB in a real browser, with a scripted model: are observations, ids and actions correct?

Tasks of each kind of interaction are played with an oracle that knows how they are solved, but sees only the prompts
and must name an id found in them. A success of 100 % shows that pages are observed and acted on correctly. It says
nothing about a real model: ``--model`` plays tasks with one. *In parts* is the same with pages cut into parts of 60
words, so that gists are written and parts are opened. There is no time limit, and rewards are those without the
deduction for time. The tasks come from a package: ``pip install --no-deps miniwob``.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Sequence
from importlib.metadata import version

from common import Rows, Value, manifest, parser, print_figures, table, write_results
from miniwob_oracle import TASKS, Oracle
from miniwob_oracle.play import Episode, play_all, rows

from readagent.agent import AsyncReadAgent
from readagent.core.model import Model
from readagent.errors import UsageError
from readagent_browse.live.browser import find_browser, launch
from readagent_browse.material import templates
from readagent_browse.step import WEB

WINDOW = 8000
SMALL_PARTS = 60


async def played(tasks: Sequence[str], seeds: int, words: int, player: Model | str | None = None) -> list[Episode]:
    """Play these tasks with a model, or the oracle."""

    def show(episode: Episode) -> None:
        print(f"{episode.task} {episode.seed}: {episode.reward:g}, {episode.reason}", file=sys.stderr)

    async with AsyncReadAgent(player or Oracle(), window=None if player else WINDOW) as agent:
        return await play_all(tasks, seeds, agent, show, plan=WEB.scaled(words))


async def measure(quick: bool) -> None:
    """Play, write the results of a full run, and print the figures."""
    tasks = TASKS[:1] if quick else TASKS
    whole = await played(tasks, 1 if quick else 3, WEB.page_words)
    small = await played(tasks, 1, SMALL_PARTS)
    if not quick:
        parts: dict[str, Rows | str] = {"Whole pages": rows(whole), f"In parts of {SMALL_PARTS} words": rows(small)}
        async with launch() as browser:
            made = manifest(window=WINDOW, web_prompts=templates().fingerprint, browser=f"Chromium {browser.version}",
                            playwright=version("playwright"), miniwob=version("miniwob"))  # fmt: skip
        write_results("miniwob", "MiniWoB in a real browser, with an oracle", parts, made)
    figures: dict[str, Value] = {
        "miniwob_tasks": len({episode.task for episode in whole}),
        "miniwob_success_percent": 100 * sum(one.success for one in whole) / len(whole),
        "miniwob_in_parts_success_percent": 100 * sum(one.success for one in small) / len(small),
    }
    print_figures(figures)


def main() -> None:
    """Measure if there is a browser."""
    made = parser(__doc__)
    made.add_argument("--model", help="play with this model, such as ollama/qwen3:8b; writes no result file")
    made.add_argument("--tasks", default=",".join(TASKS), metavar="A,B", help="tasks for --model")
    options = made.parse_args()
    try:
        find_browser()
    except UsageError as error:
        print(f"not measured: {error}; {error.hint}")
        print_figures({"miniwob_tasks": 0})
        return
    if options.model:
        print(table(rows(asyncio.run(played(options.tasks.split(","), 3, WEB.page_words, options.model)))))
    else:
        asyncio.run(measure(options.quick))


if __name__ == "__main__":
    main()
