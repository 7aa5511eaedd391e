"""MiniWoB: small web tasks with rewards, played in a real browser. The tasks come from the ``miniwob`` package.

Only the HTML of the package is used; it is served on loopback. A seed determines the problem of a task. The time limit
is set so high that it never ends a task, and rewards are taken without the deduction for time.
"""

from __future__ import annotations

import threading
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from typing import Any

from readagent.agent import AsyncReadAgent
from readagent.core.plan import Plan
from readagent.errors import DatasetError, NoAnswerError, UsageError
from readagent_bench.report.tables import Cell
from readagent_browse.live.browser import launch
from readagent_browse.live.browser_tab import BrowserTab, open_tab
from readagent_browse.live.consent import Consent
from readagent_browse.live.network_guard import NetworkGuard
from readagent_browse.live.visit import Confirm, Limits, refuse
from readagent_browse.live.visit_runner import VisitRunner
from readagent_browse.step import WEB

TASKS = (
    "book-flight", "book-flight-nodelay", "buy-ticket", "choose-date", "choose-date-easy", "choose-date-medium",
    "choose-list", "click-button", "click-button-sequence", "click-checkboxes", "click-checkboxes-large",
    "click-checkboxes-transfer", "click-collapsible", "click-collapsible-2", "click-dialog", "click-dialog-2",
    "click-link", "click-option", "click-tab", "click-tab-2", "click-test", "click-test-2",
    "email-inbox", "email-inbox-delete", "email-inbox-forward", "email-inbox-important",
    "email-inbox-noscroll", "email-inbox-reply", "enter-date", "enter-password", "enter-text", "enter-text-2",
    "enter-text-dynamic", "enter-time", "find-greatest", "find-word", "focus-text", "focus-text-2", "form-sequence-2",
    "login-user", "login-user-popup", "multi-layouts", "multi-orderings", "navigate-tree", "odd-or-even", "order-food",
    "phone-book", "read-table", "read-table-2", "scroll-text", "search-engine", "simple-algebra", "simple-arithmetic",
    "social-media", "social-media-all", "social-media-some", "text-transform", "unicode-test", "use-autocomplete",
    "use-autocomplete-nodelay",
)  # fmt: skip
LONG = ("book-flight", "click-checkboxes-large", "email-inbox", "email-inbox-forward", "order-food", "phone-book",
        "scroll-text", "search-engine", "social-media", "social-media-all")  # fmt: skip
AMBIGUOUS = {"email-inbox-forward": (2,), "email-inbox-noscroll": (2,)}  # seeds with two mails from the same sender
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
    calls: int
    fallbacks: int
    reason: str

    @property
    def success(self) -> bool:
        """Whether the task got its full reward."""
        return self.reward >= 1


OnEpisode = Callable[[Episode], None]


def seeds_of(task: str, count: int) -> list[int]:
    """Return the first ``count`` seeds, without those whose instruction is ambiguous."""
    left_out = AMBIGUOUS.get(task, ())
    return [seed for seed in range(count + len(left_out)) if seed not in left_out][:count]


def task_names(wanted: str) -> tuple[str, ...]:
    """Return the tasks of a list such as ``email-inbox,book-flight``, or of ``all`` or ``long``."""
    if wanted in ("all", "long"):
        return TASKS if wanted == "all" else LONG
    named = tuple(dict.fromkeys(part.strip() for part in wanted.split(",") if part.strip()))
    if unknown := [name for name in named if not (html_folder() / "miniwob" / f"{name}.html").is_file()]:
        raise UsageError(f"MiniWoB has no task {unknown[0]!r}", hint=f"supported tasks: {', '.join(TASKS)}")
    return named


def html_folder() -> Path:
    """Return the folder of the tasks. The package is not imported, so its dependencies need not be installed."""
    try:
        folder = Path(str(distribution("miniwob").locate_file("miniwob/html")))
    except PackageNotFoundError:
        folder = Path("miniwob/html")
    if not (folder / "miniwob").is_dir():
        raise DatasetError("the tasks of MiniWoB are not installed", hint="pip install --no-deps miniwob")
    return folder


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
    tasks: Sequence[str], seeds: int, agent: AsyncReadAgent, on_episode: OnEpisode | None = None, *,
    plan: Plan = WEB, limits: Limits = LIMITS, headed: bool = False, confirm: Confirm = refuse,
) -> list[Episode]:  # fmt: skip
    """Play every task with ``seeds`` seeds, one after another, in one browser; ``confirm`` is asked before pasting."""
    episodes: list[Episode] = []
    async with playground(limits, headed=headed, confirm=confirm) as (tab, root):
        for task in tasks:
            for seed in seeds_of(task, seeds):
                episodes.append(await play(tab, root, task, seed, agent, plan, limits))
                if on_episode is not None:
                    on_episode(episodes[-1])
    return episodes


@asynccontextmanager
async def playground(
    limits: Limits = LIMITS, *, headed: bool = False, confirm: Confirm = refuse
) -> AsyncIterator[tuple[BrowserTab, str]]:
    """Open a tab that can only visit the tasks; yield it with their address."""
    with served(html_folder()) as root:
        async with (
            launch(headed=headed) as browser,
            open_tab(browser, NetworkGuard(root), limits, Consent(confirm)) as tab,
        ):
            yield tab, root


async def play(
    tab: BrowserTab, root: str, task: str, seed: int, agent: AsyncReadAgent, plan: Plan = WEB, limits: Limits = LIMITS
) -> Episode:
    """Play one task until it is over, the agent stops, or the limit of steps is reached."""
    instruction = await begin(tab, root, task, seed)
    journey = VisitRunner(tab, instruction, agent, url=f"{root}/miniwob/{task}.html", limits=limits, plan=plan)

    async def over() -> bool:
        return bool(await tab.evaluate("WOB_DONE_GLOBAL"))

    try:
        reason = (await journey.run(over)).reason
    except NoAnswerError as error:
        reason = str(error)
    reward = float(await tab.evaluate("WOB_DONE_GLOBAL ? WOB_RAW_REWARD_GLOBAL : 0"))
    steps = journey.steps
    return Episode(
        task, seed, instruction, reward, len(steps),
        sum(step.compression for step in steps) / max(1, len(steps)),
        max((step.largest_prompt for step in steps), default=0),
        len(journey.trace.calls), len(journey.trace.fallbacks), reason,
    )  # fmt: skip


async def begin(tab: BrowserTab, root: str, task: str, seed: int) -> str:
    """Open a task, start it with a seed, and return its instruction."""
    await tab.open(f"{root}/miniwob/{task}.html")
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


Row = dict[str, Cell]


def rows(episodes: Sequence[Episode]) -> list[Row]:
    """Return a row for each task in order, and a last one for all episodes."""
    tasks = list(dict.fromkeys(episode.task for episode in episodes))
    found = [_row(task, [episode for episode in episodes if episode.task == task]) for task in tasks]
    return [*found, _row(f"all {len(tasks)} tasks", list(episodes))] if len(tasks) > 1 else found


def _row(name: str, episodes: Sequence[Episode]) -> Row:
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
