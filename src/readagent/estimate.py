"""What a reading will take, before anything is sent: the reading itself, done with a stand-in that costs nothing."""

from __future__ import annotations

from dataclasses import dataclass

from readagent.core.document import Document
from readagent.core.gists.merge import fit
from readagent.core.gists.sizes import kept_share, settled
from readagent.core.plan import Plan
from readagent.core.prompts import Prompts
from readagent.core.question import Question
from readagent.core.reading import ask, read
from readagent.core.session import Session
from readagent.core.trace import Trace
from readagent.core.window import Window
from readagent.models.prices import Price
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


async def estimate(
    document: Document, plan: Plan, prompts: Prompts, window: Window, price: Price | None = None
) -> Estimates:
    """Read with a stand-in whose gists are as long as the paper's for pages of this size, and count.

    A real model's figures will differ some.
    """
    plan = settled(plan, document, window)
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
