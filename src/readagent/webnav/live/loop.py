"""browse(): look at the page, remember it, act, until the task is done or a limit is reached."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from readagent.agent import AsyncReadAgent
from readagent.core.events import Listener, ignore
from readagent.core.plan import Plan
from readagent.core.trace import Trace
from readagent.core.window import Window
from readagent.core.words import estimate_tokens
from readagent.errors import ActionFailedError, BrowserError
from readagent.private_loop import PrivateLoop
from readagent.webnav.act import STOP
from readagent.webnav.action import Action
from readagent.webnav.goal import Goal
from readagent.webnav.live.act import ENTER, in_words, keys, perform
from readagent.webnav.live.browser import launched
from readagent.webnav.live.gate import Gate
from readagent.webnav.live.guard import Facts, risk
from readagent.webnav.live.observe import Observation, observe
from readagent.webnav.live.secrets import Secrets
from readagent.webnav.live.tab import Tab, open_tab
from readagent.webnav.live.trace import TraceFolder
from readagent.webnav.live.visit import USUAL, Confirm, Ended, Limits, Taken, Tell, Visit, agree, refuse
from readagent.webnav.step import WEB, Step, next_step

Finished = Callable[[], Awaitable[bool]]


async def browse(
    url: str,
    instruction: str,
    agent: AsyncReadAgent,
    *,
    allow: Iterable[str] = (),
    secrets: Mapping[str, str] | None = None,
    confirm: Confirm = refuse,
    limits: Limits = USUAL,
    plan: Plan = WEB,
    headed: bool = False,
    folder: Path | None = None,
    tell: Tell | None = None,
    listen: Listener = ignore,
) -> Visit:
    """Carry out an instruction on a web site with a real browser.

    It stays on the host of ``url`` and those in ``allow``. ``secrets`` are typed where the model writes ``{NAME}``, and
    are in no prompt and no file. ``confirm`` is asked before anything that may be irreversible; by default nothing of
    that kind is done. The trace is kept in ``folder``, or in a new one in the home folder. ``tell`` is called with each
    step, ``listen`` with what the reading of a page comes to.
    """
    gate, kept = Gate(url, allow), Secrets(secrets)
    goal = Goal(instruction)
    async with launched(headed=headed) as browser, open_tab(browser, gate, limits) as tab:
        trace = TraceFolder(folder, kept) if folder else TraceFolder.below(agent.settings.home, gate.start, kept)
        trace.began(url=gate.start, instruction=instruction, allowed=[str(place) for place in gate.places])
        journey = Journey(tab, goal.instruction, agent, gate.start, kept, confirm, limits, plan, trace, tell, listen)
        try:
            await tab.open(gate.start)
            visit = await journey.go()
        except BaseException as error:
            trace.ended("failed", str(error) or "stopped")
            raise
        trace.ended(visit.ended, visit.reason)
        return visit


def browse_and_wait(url: str, instruction: str, agent: AsyncReadAgent, **how: Any) -> Visit:
    """The same for code that does not await; ``how`` is what ``browse`` takes."""
    loop = PrivateLoop(agent.aclose)
    try:
        return loop.wait(browse(url, instruction, agent, **how))
    finally:
        loop.end()


@dataclass(slots=True)
class Journey:
    """A task on a tab that is open already. ``go`` takes steps until it is done."""

    tab: Tab
    instruction: str
    agent: AsyncReadAgent
    url: str = ""
    secrets: Secrets = field(default_factory=Secrets)
    confirm: Confirm = agree
    limits: Limits = USUAL
    plan: Plan = WEB
    folder: TraceFolder | None = None
    tell: Tell | None = None
    listen: Listener = ignore
    steps: list[Taken] = field(default_factory=list)
    trace: Trace = field(default_factory=Trace)
    _done: list[str] = field(default_factory=list)
    _early: tuple[str, ...] = ()

    async def go(self, finished: Finished | None = None) -> Visit:
        """The visit, when it has ended; ``finished`` is asked after each step, where others know when it is."""
        for number in range(1, self.limits.steps + 1):
            ended, reason = await self._step(number)
            if ended is None and finished is not None and await finished():
                ended, reason = "done", "the task is over"
            if ended is not None:
                return self._visit(ended, reason)
        return self._visit("steps", f"not done after {self.limits.steps} steps")

    async def _step(self, number: int) -> tuple[Ended | None, str]:
        """Take one step; how it all ended, where it did."""
        seen = await observe(self.tab, self.secrets)
        self._early = self._heard()
        await self._picture(number, seen)
        if not seen.snapshot.elements:
            return "failed", f"there is nothing to act on at {seen.url}"
        step = await self._decided(seen)
        if step.action is None:
            self._took(number, seen, step, "nothing is left to be done")
            gave_up = any(one.step == "act" and one.taken == STOP for one in step.trace.fallbacks)
            return ("failed", "the model named no element") if gave_up else ("done", "nothing is left to be done")
        return await self._do(number, seen, step, step.action)

    async def _do(self, number: int, seen: Observation, step: Step, action: Action) -> tuple[Ended | None, str]:
        words = action.told(step.element.label if step.element else "")
        facts = None
        try:
            facts = Facts(**await self.tab.facts(action.element))
            if facts.secret:
                self.secrets.learn(self.secrets.filled(keys(action).value.strip()))
            words = in_words(action, facts, self.secrets)
            why = risk(facts, keys(action))
            if why and not self.confirm(f"{words}: {why}"):
                self._took(number, seen, step, words, failed="nobody agreed to it", facts=facts)
                return "unconfirmed", f"{words}: {why}, and nobody agreed to it"
            self.tab.watch.agreeing = bool(why) or self.confirm is agree
            await perform(action, facts, self.tab, self.secrets)
            self._took(number, seen, step, words, facts=facts)
        except ActionFailedError as error:
            self._took(number, seen, step, words, failed=self.secrets.hidden(str(error)), facts=facts)
        except BrowserError as error:
            self._took(number, seen, step, words, failed=self.secrets.hidden(str(error)), facts=facts)
            raise
        return None, ""

    async def _decided(self, seen: Observation) -> Step:
        goal = Goal(self._told(), (*self._done, *self._early))

        async def attempt(window: Window) -> Step:
            session = await self.agent.session(self.plan, window=window, listen=self.listen)
            try:
                return await next_step(seen.snapshot, goal, session, may_stop=True)
            finally:
                self.trace.calls += session.trace.calls
                self.trace.fallbacks += session.trace.fallbacks

        return await self.agent.within_window(attempt)

    def _told(self) -> str:
        """The instruction, and what a model has to know about this keyboard."""
        names = ", ".join(f"{{{name}}}" for name in self.secrets.names)
        hidden = f" {names} stand for secrets: type them as they are written here, braces included." if names else ""
        return f"{self.instruction}\n(To press Enter after a text, end it with {ENTER}.{hidden})"

    async def _picture(self, number: int, seen: Observation) -> None:
        if self.folder is not None:
            with suppress(BrowserError):  # a picture is a convenience
                await self.tab.photograph(self.folder.picture(number), seen.secret, self.secrets.values())

    def _took(
        self, number: int, seen: Observation, step: Step, words: str, *, failed: str = "", facts: Facts | None = None
    ) -> None:
        told, action = self._heard(), step.action
        if action is not None and facts is not None and facts.secret:
            action = replace(action, value=self.secrets.hidden(action.value))
        largest = max((estimate_tokens(call.prompt) for call in step.trace.calls), default=0)
        taken = Taken(number, seen.url, seen.title, action, words, step.opened, _near(step), step.full_words,
                      step.compression, largest, (*self._early, *told), failed)  # fmt: skip
        self.steps.append(taken)
        self._done += [*self._early, f"{words} (failed: {failed})" if failed else words, *told]
        if self.folder is not None:
            self.folder.took(taken, step)
        if self.tell is not None:
            self.tell(taken)

    def _heard(self) -> tuple[str, ...]:
        """What the page did beside what was done to it, since this was last asked."""
        return tuple(map(self.secrets.hidden, self.tab.watch.taken()))

    def _visit(self, ended: Ended, reason: str) -> Visit:
        path = self.folder.path if self.folder else None
        return Visit(self.url, self.instruction, tuple(self.steps), ended, reason, self.trace, path)


def _near(step: Step) -> str:
    """The line of a snippet that the element of an action stands in, with those before and behind it."""
    name = step.action.element if step.action else ""
    snippet = next((one for one in step.snippets if any(element.id == name for element in one.elements)), None)
    lines = snippet.html.splitlines() if snippet else []
    place = next((n for n, line in enumerate(lines) if f" id={name}>" in line or f" id={name} " in line), None)
    return "" if place is None else " ".join(lines[max(0, place - 1) : place + 2])
