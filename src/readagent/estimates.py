"""What a reading will cost, before anything is sent: the reading itself, done by a stand-in that costs nothing."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, replace

from readagent.connection import endpoint_of, file_of, is_local, known_facts, price_of, prices_of
from readagent.core.concurrency import Outage
from readagent.core.document import Document
from readagent.core.escaping import brief, counted
from readagent.core.gists.parts import fit
from readagent.core.gists.sizes import choose_sizes, kept_share, warnings
from readagent.core.languages import language, language_name
from readagent.core.memory import GistMemory
from readagent.core.model import Hint, Model
from readagent.core.overviews.write import summarize
from readagent.core.plan import Plan
from readagent.core.prompts import Prompts
from readagent.core.question import Question
from readagent.core.reading import ask, read
from readagent.core.session import Session
from readagent.core.tokens import TokenEstimate, family_of
from readagent.core.trace import Trace
from readagent.core.window import Window
from readagent.embedded.check import Pace, keep_pace, known_pace, measure_pace
from readagent.embedded.engine import Engine, EngineEndpoint
from readagent.embedded.gguf import MIN_WINDOW
from readagent.embedded.local import writer_path
from readagent.embedded.wording import PROMPT_TOKENS, REPLY_TOKENS
from readagent.errors import ConnectionFailedError, LibraryError, ReadAgentError
from readagent.models.prices import FREE, Price
from readagent.options import named_plan
from readagent.private_loop import run_apart
from readagent.settings import Settings, load_settings
from readagent.source import Source, document_of
from readagent.testing.scripted import Skimmer
from readagent.testing.skim import Habits

_PATIENCE = 10.0  # seconds that a server may take to report its window
_TYPICAL = Question("What does the text say about this, and on which pages does it say so, and why does it matter?")


class _Anything:
    """A search that finds every page, so that a prompt is as long as it may be."""

    async def hints(self, memory: GistMemory, question: Question) -> list[Hint]:
        return [Hint(page.number, 1.0) for page in memory.pages]


@dataclass(frozen=True, slots=True)
class Estimate:
    """Calls, words and tokens of a part of the work; ``cost`` in US dollars, None where the price is unknown.

    ``seconds`` is how long a model on this computer takes; None for a server, or if its pace was not measured yet.
    """

    calls: int
    words: int
    prompt_tokens: int
    reply_tokens: int
    cost: float | None
    seconds: float | None = None


@dataclass(frozen=True, slots=True)
class Estimates:
    """What reading a document takes, and then each question about it.

    ``pages`` are of at most ``page_words`` words; ``memory_words`` is what the memory has once it fits. ``window`` is
    the model's window in tokens that this was estimated with, None if it is unknown. ``warnings`` say why the memory
    would be of little use, and what to change. ``summary`` is what a summary takes, if that was asked for.
    ``two_steps`` is what reading takes if the model turns out not to be able to read in one pass; None if that is not
    tried.
    """

    words: int
    pages: int
    page_words: int
    memory_words: int
    reading: Estimate
    question: Estimate
    window: int | None = None
    warnings: tuple[str, ...] = ()
    summary: Estimate | None = None
    two_steps: Estimate | None = None

    def __repr__(self) -> str:
        return brief(
            self,
            "",
            f"{self.words:,} words in {counted(self.pages, 'page')}",
            f"reading takes {_in_words(self.reading)}",
            f"each question {_in_words(self.question)}",
            counted(len(self.warnings), "warning") if self.warnings else "",
        )

    def _repr_html_(self) -> str:
        from readagent.core.notebook import figures_html

        parts = {
            "reading": self.reading,
            "reading in two steps": self.two_steps,
            "each question": self.question,
            "a summary": self.summary,
        }
        return figures_html(
            [
                f"{self.words:,} words in {counted(self.pages, 'page')}",
                f"memory of about {self.memory_words:,} words",
                f"window of {self.window:,} tokens" if self.window else "",
            ],
            ("", "calls", "tokens in", "tokens out", "cost"),
            [
                (name, f"{part.calls:,}", f"{part.prompt_tokens:,}", f"{part.reply_tokens:,}", _cost(part))
                for name, part in parts.items()
                if part is not None
            ],
            [f"warning: {warning}" for warning in self.warnings],
        )


def _cost(part: Estimate) -> str:
    return "unknown" if part.cost is None else f"${part.cost:.4f}"


def _in_words(part: Estimate) -> str:
    """Return what a part of the work takes, for people."""
    cost = "" if part.cost is None else f" (${part.cost:.4f})"
    return f"{counted(part.calls, 'call')} and {part.prompt_tokens + part.reply_tokens:,} tokens{cost}"


def estimate(
    source: Source,
    model: str = "",
    *,
    base_url: str | None = None,
    plan: Plan | str | None = None,
    window: int | None = None,
    prompts: str | None = None,
) -> Estimates:
    """Return the calls, tokens and money that reading a document and asking about it would take.

    ``source`` is a document, or a path or URL that ``load`` takes. Nothing is sent to a model; without a ``window``
    that of the price table is used. The figures come from a stand-in whose gists
    are as long as the paper's for pages of this size, so those of a real model will differ somewhat.
    """
    settings = load_settings({"model": model or None, "base_url": base_url, "window": window, "prompts": prompts})
    chosen = named_plan(plan or settings.preset)
    document = run_apart(document_of(source))
    return estimate_with(settings, document, chosen, Window(settings.window or _priced_window(settings)))


def estimate_for(settings: Settings, document: Document, plan: Plan, own: Model | None = None) -> Estimates:
    """Return the same for the model that the settings name, or for the user's ``own``.

    The server is asked for the window if nothing else says it; it gets no text.
    """
    if own is None:
        return estimate_with(settings, document, plan, Window(window_known(settings).tokens))
    window = Window(settings.window, counter=TokenEstimate(family_of(own.name)))
    price = prices_of(settings).of(own.name)
    return run_apart(estimated(document, plan, Prompts.load(settings.prompts), window, price))


def estimate_with(settings: Settings, document: Document, plan: Plan, window: Window, *, summary: int = 0) -> Estimates:
    """Return the same for settings, a plan and a window that are known; ``summary`` are the words of one, if any."""
    price = FREE if is_local(settings) and settings.model else price_of(settings)
    if plan.mode == "auto" and (is_local(settings) or file_of(settings) is not None):
        plan = replace(plan, mode="paper")
    window = replace(window, counter=TokenEstimate(family_of(settings.model)))
    figures = run_apart(estimated(document, plan, Prompts.load(settings.prompts), window, price, summary=summary))
    pace = pace_of(settings)
    if pace is None:
        return figures
    if is_local(settings):  # only the answer is worded by a language model
        worded = replace(figures.question, seconds=pace.seconds(PROMPT_TOKENS, REPLY_TOKENS))
        return replace(figures, question=worded)
    return replace(
        figures,
        reading=_timed(figures.reading, pace),
        question=_timed(figures.question, pace),
        summary=None if figures.summary is None else _timed(figures.summary, pace),
        two_steps=None if figures.two_steps is None else _timed(figures.two_steps, pace),
    )


def pace_of(settings: Settings, *, measure: bool = False, again: bool = False) -> Pace | None:
    """Return the pace of the model on this computer that the settings name; None for a server.

    With ``measure``, a pace that is unknown is measured, which takes some seconds, and kept; with ``again``, any pace.
    """
    path = writer_path(settings.model, settings.home) if is_local(settings) else file_of(settings)
    if path is None or not path.is_file():
        return None
    engine = Engine(path, window=MIN_WINDOW, parallel=1)
    with settings.open_library() as library:
        if not measure and not library.exists():
            return None
        pace = None if again else known_pace(library, engine)
        if pace is None and measure:
            with suppress(ReadAgentError):  # reading will say why the model cannot be run
                pace = run_apart(_measured(engine))
                keep_pace(library, engine, pace)
    return pace


async def _measured(engine: Engine) -> Pace:
    async with engine:
        return await measure_pace(engine)


def _timed(part: Estimate, pace: Pace) -> Estimate:
    return replace(part, seconds=pace.seconds(part.prompt_tokens, part.reply_tokens))


@dataclass(frozen=True, slots=True)
class KnownWindow:
    """The window of a model in tokens, None if it is unknown. ``source`` says where it is known from, or why it is not.

    ``source`` is empty if no server was asked.
    """

    tokens: int | None
    source: str = ""


def window_known(settings: Settings) -> KnownWindow:
    """Return the window of the model that the settings name.

    The server is asked if the settings do not say; it gets no text. A window that was learnt from a refusal is taken
    from the library. If neither is known, the price table is used.
    """
    if settings.window is not None:
        return KnownWindow(settings.window, "the settings")
    if is_local(settings):
        return KnownWindow(None)
    if (file := file_of(settings)) is not None:
        return _window_of_file(settings) if file.is_file() else KnownWindow(None)
    served = run_apart(_served_window(settings))
    if served.tokens is None and (priced := _priced_window(settings)):
        return KnownWindow(priced, "the price table")
    return served


def _window_of_file(settings: Settings) -> KnownWindow:
    endpoint = endpoint_of(settings)
    assert isinstance(endpoint, EngineEndpoint)
    return KnownWindow(endpoint.engine.window, "the file and the free memory")


async def _served_window(settings: Settings) -> KnownWindow:
    """Return what the server reports, or a smaller window that was learnt from its refusals."""
    endpoint = endpoint_of(replace(settings, timeout=min(settings.timeout, _PATIENCE)))
    reported, silence = None, "the server does not report it"
    try:
        await endpoint.resolve_model()
        reported = await endpoint.reported_window()
    except ConnectionFailedError:
        silence = "the server did not answer"
    except ReadAgentError:
        pass
    finally:
        await endpoint.aclose()
    learnt = _learnt_window(settings, endpoint.identity)
    if learnt is not None and (reported is None or learnt < reported):
        return KnownWindow(learnt, "an earlier refusal of the server")
    return KnownWindow(reported, silence if reported is None else "the server")


def _learnt_window(settings: Settings, server: str) -> int | None:
    """Return the window in the library, if there is one that can be opened."""
    try:
        with settings.open_library() as library:
            facts = known_facts(library, server) if library.exists() else None
    except LibraryError:
        return None
    return None if facts is None else facts.window


def _priced_window(settings: Settings) -> int | None:
    price = price_of(settings)
    return None if price is None else price.window


async def estimated(
    document: Document,
    plan: Plan,
    prompts: Prompts,
    window: Window,
    price: Price | None = None,
    *,
    summary: int = 0,
) -> Estimates:
    """Read with the stand-in, and count."""
    wanted, plan = plan, choose_sizes(plan, document, window)
    if plan.gist_language:  # the stand-in cannot translate, so its prompts name the language of the text
        plan = replace(plan, gist_language=language_name(language(document.text) or "en"))
    reading = _stand_in(plan, prompts, window)
    memory = await fit(await read(document, reading), reading)
    slower = _stand_in(plan, prompts, window, one_pass=False)
    if tried := plan.mode == "auto" and memory.plan.mode == "fast":
        await fit(await read(document, slower), slower)
    asking = replace(reading, trace=Trace(keep_text=False), hinter=_Anything())
    await ask(memory, _TYPICAL, asking)
    telling = replace(reading, trace=Trace(keep_text=False))
    if summary:
        await summarize(memory.whole, telling, words=summary)
    return Estimates(
        memory.full_words,
        len(memory.whole.pages),
        plan.page_words,
        memory.whole.words(),
        _counted(reading.trace, price),
        _counted(asking.trace, price),
        window.tokens,
        warnings(memory, wanted, window, simulated=True),
        _counted(telling.trace, price) if summary else None,
        _counted(slower.trace, price) if tried else None,
    )


def _stand_in(plan: Plan, prompts: Prompts, window: Window, *, one_pass: bool = True) -> Session:
    """Return a session with a model that costs nothing, whose gists and summaries are as long as real ones."""
    habits = Habits(gist_share=kept_share(plan.page_words), own_words=True, one_pass=one_pass)
    skimmer = Skimmer(habits, window.count)
    outage = Outage(usable=True)  # whatever the text is, no model is at fault
    return Session(skimmer, prompts, plan, window, Trace(keep_text=False), outage=outage, simulated=True)


def _counted(trace: Trace, price: Price | None) -> Estimate:
    usage = trace.usage
    cost = None if price is None else price.cost(usage)
    return Estimate(len(trace.calls), trace.words_read, usage.prompt_tokens, usage.reply_tokens, cost)
