"""Play tasks of MiniWoB in a real browser. Only the HTML of the package ``miniwob`` is used; it is served on loopback.

A seed determines the problem of a task. The time limit is set so high that it never ends a task, and rewards are taken
without the deduction for time.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from importlib.metadata import distribution
from pathlib import Path
from typing import Any

from readagent.agent import AsyncReadAgent
from readagent.core.plan import Plan
from readagent.errors import NoAnswerError
from readagent_browse.live.browser import launch
from readagent_browse.live.browser_tab import BrowserTab, open_tab
from readagent_browse.live.network_guard import NetworkGuard
from readagent_browse.live.visit import Limits
from readagent_browse.live.visit_runner import VisitRunner
from readagent_browse.step import WEB

AMBIGUOUS = {"email-inbox-forward": (2,)}  # seeds with two mails from the same sender
LIMITS = Limits(steps=30, load=20.0, idle=3.0, act=3.0)
_LONGEST_MS = 2**31 - 1  # the longest possible timer: 24 days
_HIDDEN = "#reward-display, #click-canvas { display: none !important } #query { visibility: hidden !important }"


@dataclass(frozen=True, slots=True)
class Episode:
    """One task played once. ``reward`` is that of MiniWoB, from -1 to 1; 0 if the task was not finished.

    ``compression`` is the mean over the steps; ``largest_prompt`` is in estimated tokens.
    """

    task: str
    seed: int
    instruction: str
    reward: float
    steps: int
    compression: float
    largest_prompt: int
    fallbacks: int
    reason: str

    @property
    def success(self) -> bool:
        """Whether the task got its full reward."""
        return self.reward >= 1


@contextmanager
def served(folder: Path) -> Iterator[str]:
    """Serve a folder on loopback and yield its address."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(_Quiet, directory=str(folder)))
    thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


class _Quiet(SimpleHTTPRequestHandler):
    """Serves files as UTF-8 and logs nothing."""

    def guess_type(self, path: Any) -> str:
        kind = super().guess_type(path)
        return f"{kind}; charset=utf-8" if kind.startswith("text/") else kind

    def log_message(self, *said: Any) -> None:
        return


async def play_all(
    tasks: Sequence[str], seeds: int, agent: AsyncReadAgent, on_episode: Callable[[Episode], None] = lambda _: None, *,
    plan: Plan = WEB,
) -> list[Episode]:  # fmt: skip
    """Play every task with ``seeds`` seeds whose instruction is clear, one after another, in one browser."""
    episodes: list[Episode] = []
    # The package is not imported, so what it depends on need not be installed.
    with served(Path(str(distribution("miniwob").locate_file("miniwob/html")))) as root:
        async with launch() as browser, open_tab(browser, NetworkGuard(root), LIMITS) as tab:
            for task in tasks:
                left_out = AMBIGUOUS.get(task, ())
                clear = [seed for seed in range(seeds + len(left_out)) if seed not in left_out][:seeds]
                for seed in clear:
                    episodes.append(await play(tab, f"{root}/miniwob/{task}.html", task, seed, agent, plan))
                    on_episode(episodes[-1])
    return episodes


async def play(tab: BrowserTab, url: str, task: str, seed: int, agent: AsyncReadAgent, plan: Plan) -> Episode:
    """Play one task until it is over, the agent stops, or the limit of steps is reached."""
    instruction = await begin(tab, url, seed)
    runner = VisitRunner(tab, instruction, agent, url=url, limits=LIMITS, plan=plan)

    async def over() -> bool:
        return bool(await tab.evaluate("WOB_DONE_GLOBAL"))

    try:
        reason = (await runner.run(over)).reason
    except NoAnswerError as error:
        reason = str(error)
    reward = float(await tab.evaluate("WOB_DONE_GLOBAL ? WOB_RAW_REWARD_GLOBAL : 0"))
    return Episode(
        task, seed, instruction, reward, len(runner.steps),
        sum(step.compression for step in runner.steps) / max(1, len(runner.steps)),
        max((step.largest_prompt for step in runner.steps), default=0),
        len(runner.trace.fallbacks), reason,
    )  # fmt: skip


async def begin(tab: BrowserTab, url: str, seed: int) -> str:
    """Open a task, start it with a seed, and return its instruction."""
    await tab.open(url)
    await tab.evaluate(
        f"""() => {{
            const style = document.createElement("style");
            style.textContent = {_HIDDEN!r};
            document.head.append(style);
            core.EPISODE_MAX_TIME = {_LONGEST_MS};
            Math.seedrandom("{seed}");
            core.startEpisodeReal();
        }}"""
    )
    await tab.wait_until_idle()
    said = await tab.evaluate("core.getUtterance()")
    return str(said["utterance"] if isinstance(said, dict) else said)  # some tasks name their solution beside it


def rows(episodes: Sequence[Episode]) -> list[dict[str, str | int | float]]:
    """Return a row for each task in order, and a last one for all episodes."""
    tasks = list(dict.fromkeys(episode.task for episode in episodes))
    found = [_row(task, [episode for episode in episodes if episode.task == task]) for task in tasks]
    return [*found, _row(f"all {len(tasks)} tasks", episodes)] if len(tasks) > 1 else found


def _row(name: str, episodes: Sequence[Episode]) -> dict[str, str | int | float]:
    count = max(1, len(episodes))
    return {
        "task": name,
        "episodes": len(episodes),
        "success %": round(100 * sum(one.success for one in episodes) / count, 1),
        "mean reward": round(sum(one.reward for one in episodes) / count, 2),
        "steps": round(sum(one.steps for one in episodes) / count, 1),
        "CR %": round(100 * sum(one.compression for one in episodes) / count, 1),
        "largest prompt": max((one.largest_prompt for one in episodes), default=0),
        "fallbacks": sum(one.fallbacks for one in episodes),
    }
