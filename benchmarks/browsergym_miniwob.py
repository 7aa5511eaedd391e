"""MiniWoB through BrowserGym's own environment, with our agent and a scripted model: does the adapter play every task?

BrowserGym makes the problems, performs the actions and gives the rewards; ``BrowserGymAgent`` sees its observations
only. The model is the oracle of ``miniwob.py``, which knows how each task is solved and must name an id found in the
prompt. *Solved* is BrowserGym's reward of 1. It says whether observations are read and actions written correctly, and
nothing about a real model.

BrowserGym pins an older Playwright than ``browse`` needs, so this runs in an environment of its own: ``pip install .
'packages/readagent-browse[browsergym]' packages/readagent-bench browsergym-miniwob``, and ``pip install --no-deps
miniwob`` for the pages. The browser is the Chromium of the machine.
"""

from __future__ import annotations

import importlib
import importlib.util
import sys
from collections.abc import Sequence
from functools import partial
from importlib.metadata import version
from typing import Any

from common import Rows, Value, manifest, parser, print_figures, table, write_results
from miniwob_oracle import Oracle

from readagent.agent import AsyncReadAgent
from readagent.errors import ReadAgentError, UsageError
from readagent_bench.web.miniwob import TASKS, html_folder, served
from readagent_browse.browsergym import BrowserGymAgent
from readagent_browse.live.browser import find_browser

WINDOW = 8000
MOST_STEPS = 30
_HINT = (
    "pip install . 'packages/readagent-browse[browsergym]' packages/readagent-bench browsergym-miniwob, "
    "in an environment without the extra browser"
)


def use_own_browser() -> None:
    """Let BrowserGym start the Chromium of the machine, also for its chat window, which takes no settings."""
    chromium = importlib.import_module("browsergym.core")._get_global_playwright().chromium
    chromium.launch = partial(chromium.launch, executable_path=str(find_browser()))


def environment(task: str, root: str) -> Any:
    """Return BrowserGym's environment for a task."""
    gymnasium = importlib.import_module("gymnasium")
    importlib.import_module("browsergym.miniwob")
    actions = importlib.import_module("browsergym.core.action.highlevel").HighLevelActionSet(
        subsets=["chat", "infeas", "bid", "coord", "nav", "tab"], multiaction=True, strict=False
    )
    return gymnasium.make(
        f"browsergym/miniwob.{task}",
        task_kwargs={"base_url": f"{root}/miniwob/"},
        action_mapping=actions.to_python_code,
    )


def played(task: str, seed: int, root: str) -> dict[str, Value]:
    """Play one episode, and return its reward, its steps and what was wrong."""
    env = environment(task, root)
    player = BrowserGymAgent(AsyncReadAgent(Oracle(), window=WINDOW))
    reward, steps, why = 0.0, 0, ""
    try:
        obs, _ = env.reset(seed=seed)
        while steps < MOST_STEPS:
            steps += 1
            action, _ = player.get_action(player.obs_preprocessor(obs))
            obs, reward, over, cut, info = env.step(action)
            why = str(obs["last_action_error"]).strip().partition("\n")[0][:120]
            why = why or str(info.get("task_info", {}).get("error", ""))
            if over or cut:
                break
        else:
            why = why or f"not over after {MOST_STEPS} steps"
    except (LookupError, ReadAgentError) as error:  # the oracle does not find what it looks for
        why = f"{type(error).__name__}: {str(error).partition(chr(10))[0][:120]}"
    finally:
        player.close()
        env.close()
    return {"task": task, "seed": seed, "reward": reward, "steps": steps, "why": "" if reward >= 1 else why}


def rows(episodes: Sequence[dict[str, Value]]) -> list[dict[str, Value]]:
    """Return a line for each task."""
    found: list[dict[str, Value]] = []
    for task in dict.fromkeys(str(one["task"]) for one in episodes):
        some = [one for one in episodes if one["task"] == task]
        found.append({
            "task": task, "episodes": len(some), "solved": sum(float(one["reward"]) >= 1 for one in some),
            "steps": round(sum(int(one["steps"]) for one in some) / len(some), 1),
            "why not": "; ".join(dict.fromkeys(str(one["why"]) for one in some if one["why"])),
        })  # fmt: skip
    return found


def _problem() -> str:
    """Return why nothing can be measured here; empty if it can."""
    if any(importlib.util.find_spec(name) is None for name in ("gymnasium", "browsergym")):
        return f"BrowserGym is not installed; {_HINT}"
    try:
        find_browser()
        html_folder()
    except UsageError as error:
        return f"{error}; {error.hint}"
    return ""


def main() -> None:
    """Play if BrowserGym is installed."""
    made = parser(__doc__)
    made.add_argument("--seeds", type=int, default=1, help="episodes of each task")
    made.add_argument("--tasks", default="", help="play only these, with commas between, and write no result file")
    options = made.parse_args()
    if problem := _problem():
        print(f"not measured: {problem}")
        print_figures({"tasks": 0})
        return
    tasks = TASKS[:1] if options.quick else tuple(options.tasks.split(",")) if options.tasks else TASKS
    episodes: list[dict[str, Value]] = []
    use_own_browser()
    with served(html_folder()) as root:
        for task in tasks:
            for seed in range(1 if options.quick else options.seeds):
                episodes.append(played(task, seed, root))
                print(*(episodes[-1][name] for name in ("task", "seed", "reward", "why")), file=sys.stderr)
    lines = rows(episodes)
    print(table(lines))
    if not options.quick and not options.tasks:
        about = (__doc__ or "").split("\n\n", 1)[1].strip().replace("``", "`")
        parts: dict[str, Rows | str] = {"What is measured": about, "Tasks, with the oracle": lines}
        packages = ("browsergym-core", "browsergym-miniwob", "playwright", "miniwob")
        made_with = manifest(window=WINDOW, **{name.replace("-", "_"): version(name) for name in packages})
        write_results("browsergym_miniwob", "MiniWoB through BrowserGym", parts, made_with)
    solved = sum(float(one["reward"]) >= 1 for one in episodes)
    print_figures({"tasks": len(tasks), "episodes": len(episodes), "solved": solved})


if __name__ == "__main__":
    main()
