"""VisitRunner: read the page, decide an action, perform it, until the task is done or a limit is reached."""

from __future__ import annotations

from collections import Counter
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import TypeVar

from readagent.agent import AsyncReadAgent
from readagent.core.plan import Plan
from readagent.core.question import Answer
from readagent.core.session import Session
from readagent.core.tokens import estimate_tokens
from readagent.core.trace import Fallback, Listener, Trace, ignore
from readagent.core.window import Window
from readagent.errors import ActionFailedError, BrowserError, RejectedError
from readagent_browse.goal import Action, Goal
from readagent_browse.live.answering import SeenPages, checked_answer
from readagent_browse.live.browser import took_too_long
from readagent_browse.live.browser_tab import BrowserTab
from readagent_browse.live.decide import FreshDecisions, decide
from readagent_browse.live.observe import Observation, observe, observe_reaction
from readagent_browse.live.perform import ElementFacts, describe, perform, with_enter
from readagent_browse.live.secrets import Secrets
from readagent_browse.live.trace import TraceFolder
from readagent_browse.live.visit import DEFAULT_LIMITS, Ended, Limits, OnStep, Uploads, Visit, VisitStep, few
from readagent_browse.render import render
from readagent_browse.step import WEB, Step

_MOST = 3  # times that an action may be taken on one and the same page
AGAIN = "the page was the same when this was done before"


class Loops:
    """Counts how often each action was taken on a page with the same address and content."""

    def __init__(self) -> None:
        self._taken: Counter[tuple[str, int, Action]] = Counter()

    def count(self, seen: Observation, action: Action) -> int:
        """Count an action that is about to be taken, and return how often it was taken before on this page."""
        key = (seen.url, hash(render(seen.snapshot.root)), action)
        self._taken[key] += 1
        return self._taken[key] - 1


T = TypeVar("T")
Finished = Callable[[], Awaitable[bool]]


@dataclass(slots=True)
class VisitRunner:
    """Carries out an instruction in an open tab. ``run`` takes steps until the visit ends.

    With ``screenshots`` the model also sees the visible part of the page.
    ``_history`` is what the model is shown as done, with the events of pages at ``_event_lines``; ``_early_events`` are
    page events from before the current step; ``_unconfirmed`` is what the last action would have sent; ``_acted_on`` is
    the page as it was before the action that was just performed.
    """

    tab: BrowserTab
    instruction: str
    agent: AsyncReadAgent
    url: str = ""
    secrets: Secrets = field(default_factory=Secrets)
    limits: Limits = DEFAULT_LIMITS
    plan: Plan = WEB
    folder: TraceFolder | None = None
    on_step: OnStep | None = None
    listen: Listener = ignore
    uploads: Uploads = field(default_factory=Uploads)
    screenshots: bool = False
    steps: list[VisitStep] = field(default_factory=list)
    trace: Trace = field(default_factory=Trace)
    _history: list[str] = field(default_factory=list)
    _event_lines: list[int] = field(default_factory=list)
    _early_events: tuple[str, ...] = ()
    _unconfirmed: tuple[str, ...] = ()
    _acted_on: Observation | None = None
    _seen: SeenPages = field(default_factory=SeenPages)
    _loops: Loops = field(default_factory=Loops)
    _fresh: FreshDecisions | None = None
    _answer: Answer | None = None

    async def run(self, finished: Finished | None = None) -> Visit:
        """Take steps until the visit ends, and return it. ``finished``, if given, is called after each step."""
        for number in range(1, self.limits.steps + 1):
            ended, reason = await self._step(number)
            if ended is None and finished is not None and await finished():
                ended, reason = "done", "the task is over"
            if ended is not None:
                return self._visit(ended, reason)
        return self._visit("steps", f"not done after {self.limits.steps} steps")

    async def _step(self, number: int) -> tuple[Ended | None, str]:
        """Take one step. Return how and why the visit ended, or None and an empty reason if it goes on."""
        seen = await self._observe()
        self._seen.add(seen.url, seen.snapshot)
        self._early_events = self._take_events()
        picture = await self._screenshot(number)
        step = await self._decide(seen, picture if self.screenshots else b"")
        action = step.action
        if action is None:
            self._record(number, seen, step, "no action", error="the model named none")
            return "failed", "the model named no action"
        if action.operation == "done":
            if action.value:
                self._answer = await self._checked_answer(action.value)
            self._record(number, seen, step, action.describe())
            return "done", action.describe()
        before = self._loops.count(seen, action)
        if before >= _MOST:
            description = action.describe(step.element.label if step.element else "")
            self._record(number, seen, step, description, error=f"not done again: {AGAIN}")
            return "stuck", f"{description}, again and again: {AGAIN}"
        outcome = await self._perform(number, seen, step, action)
        if before:
            self._history.append(f"({AGAIN})")
        return outcome

    async def _observe(self) -> Observation:
        """Return the page as it is now, or after the action that was just performed."""
        before, self._acted_on = self._acted_on, None
        if before is None:
            return await observe(self.tab, self.secrets)
        return await observe_reaction(self.tab, self.secrets, before, self.tab.acted)

    async def _perform(self, number: int, seen: Observation, step: Step, action: Action) -> tuple[Ended | None, str]:
        """Perform the action."""
        label = step.element.label if step.element else ""
        description = action.describe(label)
        if action.operation == "note":
            self._record(number, seen, step, description)
            return None, ""
        facts = None
        try:
            facts = ElementFacts(**await self.tab.element_facts(action.element)) if action.element else ElementFacts()
            if facts.secret:
                self.secrets.add_typed(self.secrets.fill(with_enter(action).value.strip()))
            description = describe(action, label, facts, self.secrets)
            await self._perform_asking(action, facts)
            self._acted_on = seen
            self._record(number, seen, step, description, facts=facts)
        except ActionFailedError as error:
            self._record(number, seen, step, description, error=self.secrets.redact(str(error)), facts=facts)
        except BrowserError as error:
            self._record(number, seen, step, description, error=self.secrets.redact(str(error)), facts=facts)
            raise
        return None, ""

    async def _perform_asking(self, action: Action, facts: ElementFacts) -> None:
        """Perform an action. If a person was asked meanwhile, the time for the page to react starts again after it.

        A click that opens a dialog lasts until the person has answered, and is no failure if that takes long.
        """
        consent, dialogs = self.tab.consent, self.tab.monitor.dialogs
        asked = consent.asked
        try:
            try:
                await perform(action, facts, self.tab, self.secrets, self.uploads)
            except ActionFailedError as error:
                if self.tab.monitor.dialogs == dialogs or not took_too_long(error):
                    raise
            if consent.asked > asked:
                await self.tab.wait_until_idle()
        finally:
            self._unconfirmed = consent.take_refusals()

    async def _decide(self, seen: Observation, picture: bytes) -> Step:
        early = few(self._early_events)
        events = (*self._event_lines, *range(len(self._history), len(self._history) + len(early)))
        goal = Goal(self._full_instruction(), (*self._history, *early), frozenset(events))
        if self.screenshots and not picture:
            self.trace.fallbacks.append(Fallback("act", "no screenshot could be taken", "the page as text only"))
        try:
            return await self._with_session(lambda session: decide(seen, goal, session, self.uploads.names, picture))
        except RejectedError as error:
            if picture:
                error.hint = "the model may not be able to see pictures: use another one, or leave out `screenshots`"
            raise

    async def _checked_answer(self, said: str) -> Answer:
        return await self._with_session(lambda session: checked_answer(said, self.instruction, self._seen, session))

    async def _with_session(self, work: Callable[[Session], Awaitable[T]]) -> T:
        """Return the result of work with a session; its calls and fallbacks become part of the visit's trace."""

        async def attempt(window: Window) -> T:
            session = await self.agent.session(self.plan, window=window, listen=self.listen)
            self._fresh = self._fresh or FreshDecisions(session.model)
            session = replace(session, model=self._fresh)
            try:
                return await work(session)
            finally:
                self.trace.calls += session.trace.calls
                self.trace.fallbacks += session.trace.fallbacks

        return await self.agent.connection.within_window(attempt)

    def _full_instruction(self) -> str:
        """Return the instruction with the rule for typing secrets."""
        names = ", ".join(f"{{{name}}}" for name in self.secrets.names)
        if not names:
            return self.instruction
        return f"{self.instruction}\n({names} stand for secrets: type them as they are written here, braces included.)"

    async def _screenshot(self, number: int) -> bytes:
        """Return a picture of the page without secrets, which the trace keeps; empty if it could not be taken."""
        if self.folder is None and not self.screenshots:
            return b""
        picture = b""
        with suppress(BrowserError):  # a visit does not depend on its screenshots
            picture = await self.tab.screenshot(self.secrets)
        if self.folder is not None and picture:
            self.folder.add_screenshot(number, picture)
        return picture

    def _record(
        self, number: int, seen: Observation, step: Step, description: str, *, error: str = "",
        facts: ElementFacts | None = None,
    ) -> None:  # fmt: skip
        """Add a step to the visit, to the history in prompts and to the trace."""
        events, action = self._take_events(), step.action
        if action is not None and facts is not None and facts.secret:
            action = replace(action, value=self.secrets.redact(action.value))
        longest = max((estimate_tokens(call.prompt) for call in step.trace.calls), default=0)
        taken = VisitStep(
            number, seen.url, seen.title, action, description, step.opened, _context(step), step.full_words,
            step.compression, longest, (*self._early_events, *events), error,
        )  # fmt: skip
        self.steps.append(taken)
        outcome = f"{description} (failed: {error})" if error else description
        for line in (*few(self._early_events), outcome, *few(events)):
            if line is not outcome:
                self._event_lines.append(len(self._history))
            self._history.append(line)
        if self.folder is not None:
            self.folder.add_step(taken, step)
        if self.on_step is not None:
            self.on_step(taken)

    def _take_events(self) -> tuple[str, ...]:
        """Return what the page did of its own accord since the last call, without secrets."""
        return tuple(map(self.secrets.redact, self.tab.monitor.take_events()))

    @property
    def _has_quotes(self) -> bool:
        """Whether the answer quotes a page."""
        return self._answer is not None and any(not quote.by_us for quote in self._answer.quotes)

    def _visit(self, ended: Ended, reason: str) -> Visit:
        if ended == "done" and self._unconfirmed:
            ended, reason = "unconfirmed", f"{self._unconfirmed[-1]} ({self.tab.consent.reason})"
        elif ended == "done" and (socket := self.tab.consent.refused_socket) and not self._has_quotes:
            ended, reason = "unconfirmed", f"{socket} ({self.tab.consent.reason})"
        path = self.folder.path if self.folder else None
        return Visit(self.url, self.instruction, tuple(self.steps), ended, reason, self.trace, path, self._answer)


def _context(step: Step) -> str:
    """Return the line of the snippet that contains the element of the action, and the lines before and after it."""
    name = step.action.element if step.action else ""
    snippet = next((one for one in step.snippets if any(element.id == name for element in one.elements)), None)
    lines = snippet.html.splitlines() if snippet else []
    index = next((n for n, line in enumerate(lines) if f" id={name}>" in line or f" id={name} " in line), None)
    return "" if index is None else " ".join(lines[max(0, index - 1) : index + 2])
