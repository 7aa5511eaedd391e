"""What a reading will cost, before anything is sent: the reading itself, done by a stand-in that costs nothing."""

from __future__ import annotations

from dataclasses import dataclass

from readagent.connection import is_local, price_of
from readagent.core.document import Document
from readagent.core.gists.merge import fit
from readagent.core.gists.sizes import choose_sizes, kept_share
from readagent.core.plan import Plan, preset
from readagent.core.prompts import Prompts
from readagent.core.question import Question
from readagent.core.reading import ask, read
from readagent.core.session import Session
from readagent.core.trace import Trace
from readagent.core.window import Window
from readagent.models.prices import FREE, Price
from readagent.private_loop import run_apart
from readagent.settings import Settings, load_settings
from readagent.testing.scripted import Skimmer
from readagent.testing.skim import Habits

_TYPICAL = Question("What does the text say about this, and on which pages does it say so, and why does it matter?")


@dataclass(frozen=True, slots=True)
class Estimate:
    """Calls, words and tokens of a part of the work; ``cost`` in US dollars, None where the price is unknown."""

    calls: int
    words: int
    prompt_tokens: int
    reply_tokens: int
    cost: float | None


@dataclass(frozen=True, slots=True)
class Estimates:
    """What reading a document takes, and then each question about it.

    ``pages`` are of at most ``page_words`` words; ``memory_words`` is what the memory has once it fits.
    """

    words: int
    pages: int
    page_words: int
    memory_words: int
    reading: Estimate
    question: Estimate


def estimate(
    document: Document,
    model: str = "",
    *,
    base_url: str | None = None,
    plan: Plan | str | None = None,
    window: int | None = None,
    prompts: str | None = None,
) -> Estimates:
    """Return the calls, tokens and money that reading a document and asking about it would take.

    Nothing is sent. The figures come from a stand-in whose gists are as long as the paper's for pages of this size, so
    those of a real model will differ somewhat.
    """
    settings = load_settings({"model": model or None, "base_url": base_url, "window": window, "prompts": prompts})
    chosen = plan if isinstance(plan, Plan) else preset(plan or settings.preset)
    return estimate_with(settings, document, chosen, Window(settings.window))


def estimate_with(settings: Settings, document: Document, plan: Plan, window: Window) -> Estimates:
    """Return the same for settings, a plan and a window that are known."""
    price = FREE if is_local(settings) and settings.model else price_of(settings)
    counting = estimated(document, plan, Prompts.load(settings.prompts), window, price)
    return run_apart(counting)


async def estimated(
    document: Document, plan: Plan, prompts: Prompts, window: Window, price: Price | None = None
) -> Estimates:
    """Read with the stand-in, and count."""
    plan = choose_sizes(plan, document, window)
    skimmer = Skimmer(Habits(gist_share=kept_share(plan.page_words)))
    reading = Session(skimmer, prompts, plan, window, Trace(keep_text=False))
    memory = await fit(await read(document, reading), reading)
    asking = Session(skimmer, prompts, plan, window, Trace(keep_text=False))
    await ask(memory, _TYPICAL, asking)
    return Estimates(
        memory.full_words,
        len((memory.finer or memory).pages),
        plan.page_words,
        memory.words(),
        _counted(reading.trace, price),
        _counted(asking.trace, price),
    )


def _counted(trace: Trace, price: Price | None) -> Estimate:
    usage = trace.usage
    cost = None if price is None else price.cost(usage)
    return Estimate(len(trace.calls), trace.words_read, usage.prompt_tokens, usage.reply_tokens, cost)
