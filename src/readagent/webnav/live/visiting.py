"""browse(): look at the page, remember it, act, until the task is done or a limit is reached."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from readagent.agent import AsyncReadAgent
from readagent.core.events import Listener, deaf
from readagent.core.plan import Plan
from readagent.core.trace import Trace
from readagent.core.window import Window
from readagent.core.words import estimate_tokens
from readagent.errors import ActionFailedError, BrowserError
from readagent.private_loop import PrivateLoop
from readagent.webnav.action import Action
from readagent.webnav.decide import STOP
from readagent.webnav.goal import Goal
from readagent.webnav.live.browser import launch
from readagent.webnav.live.browser_tab import BrowserTab, open_tab
from readagent.webnav.live.network_guard import NetworkGuard
from readagent.webnav.live.observe import Observation, observe
from readagent.webnav.live.perform import ENTER, describe, perform, with_enter
from readagent.webnav.live.risk import ElementFacts, risk
from readagent.webnav.live.secrets import Secrets
from readagent.webnav.live.trace import TraceFolder
from readagent.webnav.live.visit import DEFAULT_LIMITS, Confirm, Ended, Limits, OnStep, Visit, VisitStep, agree, refuse
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
    limits: Limits = DEFAULT_LIMITS,
    plan: Plan = WEB,
    headed: bool = False,
    folder: Path | None = None,
    on_step: OnStep | None = None,
    listen: Listener = deaf,
) -> Visit:
    """Carry out an instruction on a web site with a real browser.

    It stays on the host of ``url`` and those in ``allow``. ``secrets`` are typed where the model writes ``{NAME}``, and
    are in no prompt and no file. ``confirm`` is asked before anything that may be irreversible; by default nothing of
    that kind is done. The trace is kept in ``folder``, or in a new one in the home folder. ``on_step`` is called with
    each step, ``listen`` with what the reading of a page comes to.
    """
    guard, kept = NetworkGuard(url, allow), Secrets(secrets)
    goal = Goal(instruction)
    async with launch(headed=headed) as browser, open_tab(browser, guard, limits) as tab:
        trace = TraceFolder(folder, kept) if folder else TraceFolder.new_in(agent.settings.home, guard.start, kept)
        trace.start(url=guard.start, instruction=instruction, allowed=[str(allowed) for allowed in guard.allowed_hosts])
        runner = VisitRunner(
            tab, goal.instruction, agent, guard.start, kept, confirm, limits, plan, trace, on_step, listen
        )
        try:
            await tab.open(guard.start)
            visit = await runner.run()
        except BaseException as error:
            trace.end("failed", str(error) or "stopped")
            raise
        trace.end(visit.ended, visit.reason)
        return visit


def browse_and_wait(url: str, instruction: str, agent: AsyncReadAgent, **how: Any) -> Visit:
    """The same for code that does not await; ``how`` is what ``browse`` takes."""
    loop = PrivateLoop(agent.aclose)
    try:
        return loop.wait(browse(url, instruction, agent, **how))
    finally:
        loop.end()


@dataclass(slots=True)
class VisitRunner:
    """A task on a tab that is open already. ``go`` takes steps until it is done."""

    tab: BrowserTab
    instruction: str
    agent: AsyncReadAgent
    url: str = ""
    secrets: Secrets = field(default_factory=Secrets)
    confirm: Confirm = agree
    limits: Limits = DEFAULT_LIMITS
    plan: Plan = WEB
    folder: TraceFolder | None = None
    on_step: OnStep | None = None
    listen: Listener = deaf
    steps: list[VisitStep] = field(default_factory=list)
    trace: Trace = field(default_factory=Trace)
    _done: list[str] = field(default_factory=list)
    _early: tuple[str, ...] = ()

    async def run(self, finished: Finished | None = None) -> Visit:
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
        words = action.describe(step.element.label if step.element else "")
        facts = None
        try:
            facts = ElementFacts(**await self.tab.element_facts(action.element))
            if facts.secret:
                self.secrets.add_typed(self.secrets.fill(with_enter(action).value.strip()))
            words = describe(action, facts, self.secrets)
            why = risk(facts, with_enter(action))
            if why and not self.confirm(f"{words}: {why}"):
                self._took(number, seen, step, words, failed="nobody agreed to it", facts=facts)
                return "unconfirmed", f"{words}: {why}, and nobody agreed to it"
            self.tab.monitor.accept_dialogs = bool(why) or self.confirm is agree
            await perform(action, facts, self.tab, self.secrets)
            self._took(number, seen, step, words, facts=facts)
        except ActionFailedError as error:
            self._took(number, seen, step, words, failed=self.secrets.redact(str(error)), facts=facts)
        except BrowserError as error:
            self._took(number, seen, step, words, failed=self.secrets.redact(str(error)), facts=facts)
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
                await self.tab.screenshot(self.folder.screenshot_path(number), seen.secret_ids, self.secrets.values())

    def _took(
        self,
        number: int,
        seen: Observation,
        step: Step,
        words: str,
        *,
        failed: str = "",
        facts: ElementFacts | None = None,
    ) -> None:
        told, action = self._heard(), step.action
        if action is not None and facts is not None and facts.secret:
            action = replace(action, value=self.secrets.redact(action.value))
        largest = max((estimate_tokens(call.prompt) for call in step.trace.calls), default=0)
        taken = VisitStep(number, seen.url, seen.title, action, words, step.opened, _near(step), step.full_words,
                      step.compression, largest, (*self._early, *told), failed)  # fmt: skip
        self.steps.append(taken)
        self._done += [*self._early, f"{words} (failed: {failed})" if failed else words, *told]
        if self.folder is not None:
            self.folder.add_step(taken, step)
        if self.on_step is not None:
            self.on_step(taken)

    def _heard(self) -> tuple[str, ...]:
        """What the page did beside what was done to it, since this was last asked."""
        return tuple(map(self.secrets.redact, self.tab.monitor.take_events()))

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
