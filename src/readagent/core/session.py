"""Session: asks a model, reminds it once if the reply is not usable, then falls back; every call is in the trace.

It remembers what the replies have shown: the mode that suits the model, shared prefixes, whether reminders help.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from time import perf_counter
from typing import Literal, TypeVar

from readagent.core.concurrency import ONE_PAGE, Outage, with_hint
from readagent.core.form import Choice, Form
from readagent.core.model import READING, Ask, Hinter, Model, Reply
from readagent.core.plan import Plan
from readagent.core.prompts import Prompts
from readagent.core.trace import AnswerText, Call, CallFailed, Fallback, Listener, Trace, Usage, ignore
from readagent.core.window import Window
from readagent.core.words import count_words
from readagent.errors import ContextOverflowError, CutPromptError, ModelError, PageTooLongError, ReadAgentError

_IN_A_ROW = 3  # windows in a row without a usable page that show that the model cannot read in one pass after all
_TRIALS = 2  # texts in a row that a model could not begin in one pass, after which it is not tried any more


@dataclass(slots=True)
class Modes:
    """The mode that suits a model, shared by all readings of an agent in the mode ``auto``.

    ``failed`` is the number of texts in a row that the model could not begin in one pass, also in earlier processes;
    ``keep`` is called when it changes. ``found`` is None until a reading has shown the mode, or several have failed.
    One reading finds it out at a time: whoever holds ``trying``.
    """

    failed: int = 0
    keep: Callable[[int], None] | None = field(default=None, repr=False)
    found: Literal["fast", "paper"] | None = None
    trying: asyncio.Lock = field(default_factory=asyncio.Lock, repr=False)
    _unusable: int = 0

    def __post_init__(self) -> None:
        if self.failed >= _TRIALS:
            self.found = "paper"

    def tried(self, *, usable: bool) -> None:
        """Note whether the model could begin a text in one pass."""
        self.found = "fast" if usable else "paper"
        failed = 0 if usable else self.failed + 1
        if failed != self.failed and self.keep is not None:
            self.keep(failed)
        self.failed = failed

    def read(self, *, usable: bool) -> None:
        """Note whether the model named a page in a window that it read in one pass."""
        self._unusable = 0 if usable else self._unusable + 1
        if self._unusable >= _IN_A_ROW and self.found == "fast":
            self.found = "paper"


_BLOCK = 256  # characters compared at once; servers cache prefixes in blocks of about this size
_MOST = 1 << 14  # blocks that are stored at least, and half of what is stored at most


class Prefixes:
    """The prefixes of the latest prompts, as sets of hashes, one for each block with everything before it.

    What was not used for a long time is forgotten, as a server does, so that memory stays bounded.
    """

    def __init__(self) -> None:
        self._latest: set[int] = set()
        self._older: set[int] = set()

    def shared(self, prompt: str) -> int:
        """Return how many characters, in whole blocks, an earlier prompt shares, and store this prompt."""
        known, before = 0, 0
        latest, older = self._latest, self._older
        for at in range(0, len(prompt) - _BLOCK + 1, _BLOCK):
            before = hash((before, prompt[at : at + _BLOCK]))
            if known == at and (before in latest or before in older):
                known = at + _BLOCK
            latest.add(before)
        if len(latest) >= _MOST:
            self._latest, self._older = set(), latest
        return known


_ENOUGH = 5  # reminders in a row without effect, after which there are no more
_SHORTER = 0.8  # share of its words that a gist has at most after a reminder that had an effect


@dataclass(slots=True)
class Reminders:
    """The reminders of one run that gists are too long. ``useful`` is False once several in a row had no effect."""

    _ignored: int = 0

    @property
    def useful(self) -> bool:
        return self._ignored < _ENOUGH

    def sent(self, before: int, after: int) -> None:
        """Note how many words gists had before a reminder and after it."""
        self._ignored = 0 if after <= _SHORTER * before else self._ignored + 1


T = TypeVar("T")
Unusable = Literal["discard", "keep", "retry"]


@dataclass(frozen=True, slots=True)
class Session:
    """Everything that a step of reading or asking needs. All calls to the model go through ``ask``.

    ``emit`` is called with every event. ``hinter`` finds pages for a question without a model. ``outage`` has the
    failures of the server, ``reminders`` whether it helps to remind the model of lengths, and ``modes`` whether the
    model can read in one pass. ``unusable`` says what is done with replies that cannot be used: ``discard`` them, so
    that a later run asks again; ``keep`` them, so that a later run costs nothing; or ``retry``, which asks again for
    those that an earlier run has kept. A ``simulated`` model counts what a reading takes; its gists are not checked.
    """

    model: Model
    prompts: Prompts
    plan: Plan = Plan()
    window: Window = Window()
    trace: Trace = field(default_factory=Trace)
    emit: Listener = ignore
    hinter: Hinter | None = None
    prefixes: Prefixes = field(default_factory=Prefixes)
    outage: Outage = field(default_factory=Outage)
    reminders: Reminders = field(default_factory=Reminders)
    modes: Modes = field(default_factory=Modes)
    unusable: Unusable = "discard"
    simulated: bool = False

    async def ask(self, ask: Ask) -> Reply:
        """Send an ask to the model, record the call in the trace and return the reply."""
        if not self.window.fits(ask.prompt):
            raise ContextOverflowError(
                f"a {ask.step} prompt of about {self.window.count(ask.prompt)} tokens does not fit the window of "
                f"{self.window.tokens}",
                asked=self.window.count(ask.prompt),
            )
        started = perf_counter()
        try:
            reply = await self.model.complete(replace(ask, notify=self.emit))
        except CutPromptError as error:
            self._tell_cut(error, ask, perf_counter() - started)
            raise
        except ContextOverflowError as error:
            error.asked = self.window.count(ask.prompt)
            raise
        except ReadAgentError as error:
            self.emit(CallFailed(str(error)))
            raise
        self.outage.replied(ask)
        shared = self.prefixes.shared(ask.prompt) / max(1, len(ask.prompt)) if reply.paid else 0.0
        call = record(self.trace, ask, reply, perf_counter() - started, shared)
        self.emit(call)
        return reply

    def _tell_cut(self, error: CutPromptError, ask: Ask, seconds: float) -> None:
        """Record what a prompt has cost that the server cut, and say that its reply is not used."""
        usage = Usage(error.prompt_total, error.reply_total, cost=error.cost)
        self.emit(record(self.trace, ask, Reply("", usage=usage), seconds))
        if ask.listen is not None:
            self.emit(AnswerText("", restart=True))
        fallback = Fallback("window", str(error), f"a window of {error.window:,} tokens, and asked again")
        if fallback not in self.trace.fallbacks:
            self.fell_back(fallback)

    async def judged(
        self,
        ask: Ask,
        judge: Callable[[Reply], tuple[T, str]],
        wanted: str = "",
        *,
        final: Callable[[], bool] = lambda: False,
        partial: bool = False,
    ) -> tuple[T, str]:
        """Return the value and the problem that ``judge`` finds in the reply; the problem is empty if there is none.

        After a problem the model is asked once more, with a reminder that states the problem and what is expected, if
        that fits the window. ``wanted`` replaces the text of the reminder that says what is expected. ``final`` is
        called after a problem, and returns whether a reminder would be of no use. Texts that remain useless are
        discarded or kept, as ``unusable`` says; with ``partial`` those that have a value are kept in any case, because
        that is used. While reading, an error of the server that concerns this prompt only is a problem too, and there
        is no reminder.
        """
        retry, asked = self.unusable == "retry", ask
        replies: list[Reply] = []
        while True:
            failure = ""
            try:
                reply = await self.ask(asked)
                replies.append(reply)
            except ONE_PAGE as error:
                if ask.step not in READING:
                    raise
                failure = self.outage.failed(error)
                await self._probe(error)
                reply = Reply("", "length" if isinstance(error, PageTooLongError) else "refused")
            value, problem = judge(reply)
            if problem and not failure and asked is ask and not final():
                asked = replace(ask, prompt=f"{ask.prompt}\n\n{self._reminder(ask, problem, wanted)}", listen=None)
                if self.window.fits(asked.prompt):
                    continue
            if not (problem and retry) or failure or any(reply.paid for reply in replies):
                break
            for reply in replies:
                reply.discard()
            retry, asked, replies = False, ask, []
        self.outage.worked = self.outage.worked or not problem
        if problem and ask.choice is None and self.unusable == "discard" and not (partial and value):
            for reply in replies:
                reply.discard()
        return value, problem and (failure or problem)

    async def _probe(self, error: ModelError) -> None:
        """Raise this error if, after several failures in a row, the server fails on what it answered before."""
        probe = self.outage.probe()
        if probe is None:
            return
        try:
            reply = await self.ask(probe)
        except ONE_PAGE:
            raise with_hint(error) from None
        reply.discard()

    def _reminder(self, ask: Ask, problem: str, wanted: str) -> str:
        form, usual = ask.choice or ask.form, not wanted and ask.choice is None and not isinstance(ask.form, Form)
        return self.prompts.fill(
            "remind",
            reason=problem,
            wanted=wanted,
            legal=ask.choice.listed() if ask.choice and not wanted else "",
            lines=form.shown() if isinstance(form, Choice | Form) and not wanted else "",
            pages=usual and ask.step == "read",
        )

    async def decide(
        self,
        ask: Ask,
        fallback: Callable[[], tuple[str, ...]],
        *,
        at: int | None = None,
        about: str = "",
        name: Callable[[str], str] = str,
        used: Callable[[str], None] | None = None,
        why: Callable[[str], str] = lambda reply: "",
    ) -> tuple[str, ...]:
        """Return the values that the model chose. A useless reply is followed by one reminder, then by the fallback.

        The fallback is recorded for the page that begins ``at`` an offset, under the step or what the choice is
        ``about``, with the ``name`` of each value. ``used`` is called with the text of the reply that the values are
        from. ``why`` returns why the text of a reply without a legal value has none, where more can be said of it.
        """
        choice = ask.choice
        assert choice is not None

        def judge(reply: Reply) -> tuple[tuple[str, ...], str]:
            chosen = choice.parse(reply.text)
            if chosen is not None and used is not None:
                used(reply.text)
            if chosen is not None:
                return chosen, ""
            return (), useless(reply) or why(reply.text) or "it named no legal answer"

        chosen, problem = await self.judged(ask, judge)
        if not problem:
            return chosen
        taken = fallback()
        self.fell_back(Fallback(about or ask.step, problem, ", ".join(map(name, taken)) or "none", at=at))
        return taken

    def fell_back(self, fallback: Fallback) -> None:
        """Record in the trace that a fallback was used."""
        self.trace.fallbacks.append(fallback)
        self.emit(fallback)


def record(trace: Trace, ask: Ask, reply: Reply, seconds: float = 0.0, shared: float = 0.0) -> Call:
    """Add a call to a trace and return it. ``shared`` is the share of the prompt that an earlier prompt has, too."""
    texts = (ask.prompt, reply.text) if trace.keep_text else ("", "")
    words = count_words(ask.prompt)
    call = Call(ask.step, words, count_words(reply.text), reply.usage, seconds, reply.paid, reply.finish, *texts,
                int(shared * words))  # fmt: skip
    trace.calls.append(call)
    return call


def useless(reply: Reply) -> str:
    """Return why a reply has no content, or "" if it has some."""
    if reply.finish == "refused":
        return "the model refused"
    if reply.finish == "filtered":
        return "a content filter stopped the reply"
    if not reply.text.strip():
        return "it was cut off by the token limit before any text" if reply.finish == "length" else "it was empty"
    return ""
