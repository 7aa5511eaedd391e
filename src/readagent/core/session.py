"""Reader: a model, the prompts, a plan and a window, and the trace of all that was said between them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from time import perf_counter

from readagent.core.asking.hints import Hinter
from readagent.core.events import Listener, deaf
from readagent.core.model import Ask, Model, Reply
from readagent.core.plan import Plan
from readagent.core.prefix import Prefixes
from readagent.core.prompts import Prompts
from readagent.core.trace import Call, Fallback, Trace
from readagent.core.window import Window
from readagent.core.words import count_words, estimate_tokens
from readagent.errors import ContextOverflowError


@dataclass(frozen=True, slots=True)
class Session:
    """Who reads, and how. Every call to the model goes through here; ``hinter`` finds pages without one."""

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

    async def again(self, ask: Ask, reason: str, wanted: str) -> Reply | None:
        """Put an ask once more, saying what was wrong with the first reply; None if there is no room to say it."""
        reminder = self.prompts.fill("remind", reason=reason, wanted=wanted)
        second = replace(ask, prompt=ask.prompt + reminder)
        return await self.ask(second) if self.window.fits(second.prompt) else None

    async def decide(
        self, ask: Ask, fallback: Callable[[], tuple[str, ...]], *, page: int | None = None, at: int | None = None
    ) -> tuple[str, ...]:
        """A decision: the values chosen, after one reminder if need be, or else the fallback, which is recorded.

        It is about a ``page``, or about the one that begins ``at`` an offset.
        """
        assert ask.choice is not None
        reply: Reply | None = await self.ask(ask)
        reason = ""
        for last in (False, True):
            if reply is None:
                break
            chosen = ask.choice.parse(reply.text)
            if chosen is not None:
                return chosen
            reason = useless(reply) or "it named no legal answer"
            if not last:
                wanted = self.prompts.fill("wanted_choice", legal=ask.choice.listed())
                reply = await self.again(ask, reason, wanted)
        taken = fallback()
        self.fell_back(Fallback(ask.step, reason, ", ".join(taken) or "none", page, at))
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
