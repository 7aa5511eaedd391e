"""For BrowserGym: an agent that plays its tasks (MiniWoB, WebArena and others) with our view of the page.

BrowserGym is the extra ``browsergym`` of this package. It needs a Playwright of its own, older than the one that
``browse`` needs, so it belongs into another environment. This module imports neither.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from html import escape
from typing import Any

from readagent.agent import AsyncReadAgent
from readagent.core.plan import Plan
from readagent.core.window import Window
from readagent.private_loop import PrivateLoop
from readagent_browse.browsergym_page import BID, page_of
from readagent_browse.dom import Element
from readagent_browse.goal import Action, Goal
from readagent_browse.live.command import named_options
from readagent_browse.live.decide import decide
from readagent_browse.live.gestures import SET_AT_ONCE
from readagent_browse.live.observe import Observation
from readagent_browse.live.perform import with_enter
from readagent_browse.snapshot import snapshot_of
from readagent_browse.step import WEB, Step

__all__ = ["BrowserGymAgent"]

_LINE_END = "\n"
_NOTES = 3  # in a row, before an action is due
_SCREENS = 10_000  # pixels to scroll: to the end


class BrowserGymAgent:
    """Plays one episode: ``get_action`` takes an observation and returns an action, as BrowserGym's agents do.

    The model sees the page as in ``browse`` and names an element by BrowserGym's own id. Where a task asks for an
    answer, it is sent to the user, which ends the episode. Make a new one for each episode; they may share ``agent``.
    ``close`` ends the thread on which the model is asked.
    """

    def __init__(self, agent: AsyncReadAgent, *, plan: Plan = WEB) -> None:
        self._agent = agent
        self._plan = plan
        self._history: list[str] = []
        self._loop = PrivateLoop(_nothing)

    def obs_preprocessor(self, obs: Mapping[str, Any]) -> dict[str, Any]:
        """Return what ``get_action`` needs of an observation, without screenshots and other large parts."""
        html, usable = page_of(obs["dom_object"])
        number = int(obs["active_page_index"][0])
        return {
            "html": html,
            "usable": usable,
            "url": obs["url"],
            "tabs": tuple(obs["open_pages_titles"]),
            "tab": number + 1,
            "goal": _goal(obs),
            "last_action_error": obs["last_action_error"],
        }

    def get_action(self, obs: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
        """Return the next action as BrowserGym writes it, and what there is to say about it."""
        seen = obs if "html" in obs else self.obs_preprocessor(obs)
        if seen["last_action_error"] and self._history:
            first = str(seen["last_action_error"]).strip().splitlines()[0]
            self._history[-1] += f" (failed: {first[:200]})"
        step, noted = self._loop.wait(self._decide(seen))
        said = step.action.describe(step.element.label if step.element else "") if step.action else "no action"
        self._history += [*noted, said]
        stats = {"n_calls": len(step.trace.calls), "fallbacks": len(step.trace.fallbacks)}
        return written(step.action, step.element), {"think": said, "stats": stats}

    def close(self) -> None:
        """End the thread on which the model is asked; the agent stays open."""
        self._loop.end()

    async def _decide(self, seen: Mapping[str, Any]) -> tuple[Step, list[str]]:
        """Return the next step that is an action, and the notes before it."""
        page = observation(seen)
        noted: list[str] = []
        while True:
            goal = Goal(seen["goal"], (*self._history, *noted))

            async def attempt(window: Window, goal: Goal = goal) -> Step:
                return await decide(page, goal, await self._agent.session(self._plan, window=window))

            step = await self._agent.connection.within_window(attempt)
            if step.action is None or step.action.operation != "note" or len(noted) >= _NOTES:
                return step, noted
            noted.append(step.action.describe())


def observation(seen: Mapping[str, Any]) -> Observation:
    """Return the page of a preprocessed observation."""
    title = seen["tabs"][seen["tab"] - 1]
    html = f"<html><head><title>{escape(title)}</title></head><body>{seen['html']}</body></html>"
    snapshot = replace(snapshot_of(html, BID, seen["usable"]), url=seen["url"])
    return Observation(seen["url"], title, snapshot, (), seen["tabs"], seen["tab"])


def written(action: Action | None, target: Element | None = None) -> str:
    """Return an action on ``target`` as BrowserGym writes it. Without one, the task is reported as not possible."""
    if action is None:
        return "report_infeasible('no action was found')"
    element, value = action.element, action.value
    match action.operation:
        case "type":
            text = with_enter(action).value
            at_once = target is not None and target.attributes.get("type", "").lower() in SET_AT_ONCE
            keys = "" if at_once else ", True"  # the last letter as a key, which suggestions need
            typed = f"fill({element!r}, {text.removesuffix(_LINE_END)!r}{keys})"
            return f"{typed}\npress({element!r}, 'Enter')" if text.endswith(_LINE_END) else typed
        case "select":
            return f"select_option({element!r}, {named_options(value, ())!r})"
        case "double-click":
            return f"dblclick({element!r})"
        case "drag":
            return f"drag_and_drop({element!r}, {value.partition(' ')[2]!r})"
        case "press":
            return f"press({element!r}, {value!r})" if element else f"keyboard_press({value!r})"
        case "scroll":
            return f"scroll(0, {-_SCREENS if value == 'up' else _SCREENS})"
        case "back":
            return "go_back()"
        case "tab":
            return f"tab_focus({int(value) - 1})"
        case "close":
            return "tab_close()"
        case "wait":
            return f"noop({1000 * int(value)})"
        case "note":
            return "noop()"
        case "done":
            return f"send_msg_to_user({value or 'Done.'!r})"
        case _:
            return f"{action.operation}({element!r})"


def _goal(obs: Mapping[str, Any]) -> str:
    """Return the texts of a goal; pictures in it are not shown to the model."""
    return "\n".join(one["text"] for one in obs["goal_object"] if one.get("type") == "text")


async def _nothing() -> None:
    return
