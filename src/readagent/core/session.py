"""Session: a model with the prompts, the plan and the window it is asked with, and the trace of every call."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from time import perf_counter
from typing import TypeVar

from readagent.core.events import Listener, deaf
from readagent.core.model import Ask, Hinter, Model, Reply
from readagent.core.plan import Plan
from readagent.core.prefix import Prefixes
from readagent.core.prompts import Prompts
from readagent.core.trace import Call, Fallback, Trace
from readagent.core.window import Window
from readagent.core.words import count_words, estimate_tokens
from readagent.errors import ContextOverflowError

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Session:
    """Everything that a step of reading or asking needs. Every call to the model goes through here.

    ``hinter`` finds pages for a question without a model. ``tell`` is called with what happens.
    """

    model: Model
    prompts: Prompts
    plan: Plan = Plan()
    window: Window = Window()
    trace: Trace = field(default_factory=Trace)
    tell: Listener = deaf
    hinter: Hinter | None = None
    prefixes: Prefixes = field(default_factory=Prefixes)

    async def ask(self, ask: Ask) -> Reply:
        """Put one ask to the model; what it was and what came of it is traced."""
        if not self.window.fits(ask.prompt):
            raise ContextOverflowError(
                f"a {ask.step} prompt of about {estimate_tokens(ask.prompt)} tokens does not fit the window of "
                f"{self.window.tokens}",
                asked=estimate_tokens(ask.prompt),
            )
        began = perf_counter()
        try:
            reply = await self.model.complete(ask)
        except ContextOverflowError as error:
            error.asked = estimate_tokens(ask.prompt)
            raise
        kept = (ask.prompt, reply.text) if self.trace.keep_text else ("", "")
        seconds, words = perf_counter() - began, count_words(ask.prompt)
        shared = self.prefixes.shared(ask.prompt) / max(1, len(ask.prompt)) if reply.paid else 0.0
        call = Call(ask.step, words, count_words(reply.text), reply.usage, seconds, reply.paid, reply.finish, *kept,
                    int(shared * words))  # fmt: skip
        self.trace.calls.append(call)
        self.tell(call)
        return reply

    async def judged(self, ask: Ask, judge: Callable[[Reply], tuple[T, str]], wanted: str = "") -> tuple[T, str]:
        """Return what ``judge`` makes of the reply, and what is wrong with it; empty where nothing is.

        ``judge`` returns a value and a problem. After a problem the model is asked once more, with the problem and
        with what is wanted instead, if there is room to say so. ``wanted`` says that in the caller's own words.
        """
        value, problem = judge(await self.ask(ask))
        if not problem:
            return value, ""
        second = replace(ask, prompt=f"{ask.prompt}\n\n{self._reminder(ask, problem, wanted)}", listen=None)
        return judge(await self.ask(second)) if self.window.fits(second.prompt) else (value, problem)

    def _reminder(self, ask: Ask, problem: str, wanted: str) -> str:
        decision, usual = ask.choice, not wanted and ask.choice is None
        return self.prompts.fill(
            "remind",
            reason=problem,
            wanted=wanted,
            legal=decision.listed() if decision and not wanted else "",
            gist=usual and ask.step == "gist",
            pages=usual and ask.step == "read",
            answer=usual and ask.step == "respond",
        )

    async def decide(
        self, ask: Ask, fallback: Callable[[], tuple[str, ...]], *, page: int | None = None, at: int | None = None
    ) -> tuple[str, ...]:
        """Return the values that the model chose, after one reminder if needed, or else the fallback, recorded.

        The decision is about a ``page``, or about the page that begins ``at`` an offset.
        """
        choice = ask.choice
        assert choice is not None

        def judge(reply: Reply) -> tuple[tuple[str, ...], str]:
            chosen = choice.parse(reply.text)
            return ((), useless(reply) or "it named no legal answer") if chosen is None else (chosen, "")

        chosen, problem = await self.judged(ask, judge)
        if not problem:
            return chosen
        taken = fallback()
        self.fell_back(Fallback(ask.step, problem, ", ".join(taken) or "none", page, at))
        return taken

    def fell_back(self, fallback: Fallback) -> None:
        """Record that a substitute was taken, and why."""
        self.trace.fallbacks.append(fallback)
        self.tell(fallback)


def useless(reply: Reply) -> str:
    """Why a reply holds nothing at all; empty if it holds something."""
    if reply.finish == "refused":
        return "the model refused"
    if not reply.text.strip():
        return "it was cut off by the token limit before any text" if reply.finish == "length" else "it was empty"
    return ""
