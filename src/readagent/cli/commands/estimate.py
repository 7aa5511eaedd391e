"""`readagent estimate`: calls, tokens and cost of a reading, without sending any text."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

import click

from readagent.cli.agents import report_small_window
from readagent.cli.completing import complete_file
from readagent.cli.documents import loaded
from readagent.cli.options import JSON, WHOLE, model_options, plan_of, reading_options, words_option
from readagent.cli.output import counted, dollars, print_json, report_loading, report_warnings
from readagent.cli.progress import duration
from readagent.cli.screen import echo
from readagent.cli.start import settings_with_model
from readagent.connection import is_local
from readagent.core.document import Document
from readagent.core.plan import Plan
from readagent.core.window import Window
from readagent.estimates import Estimate, Estimates, KnownWindow, estimate_with, pace_of, window_known
from readagent.records.documents import estimates_record
from readagent.settings import Settings

_SAMPLE = 3  # documents of a folder, the longest, by which the others are estimated
_WORDS = 300  # of a summary, as `readagent summary` has them


@click.command(
    epilog="""\b
Examples:
  readagent estimate novel.txt
  readagent estimate novel.txt --preset books --model openai/gpt-4.1-mini
  readagent estimate novel.txt --summary --words 1000
"""
)
@click.argument("sources", nargs=-1, required=True, metavar="SOURCE...", shell_complete=complete_file)
@click.option("--summary", is_flag=True, help="Estimate a summary, too.")
@words_option("Length of the summary in words, about (300).", None)
@WHOLE
@reading_options
@model_options
@JSON
def command(
    sources: tuple[str, ...], summary: bool, words: int | None, as_json: bool, whole: bool, **flags: Any
) -> None:
    """Estimate the words, calls, tokens and cost of reading. No text is sent.

    SOURCE is a file, a folder, a URL, or - for standard input. The figures come from a simulated reading. In the
    mode auto there are two: in one pass, and in two steps if the model cannot read in one pass. Without --window, the
    server is asked for the model's window. For a model that runs on this computer, the time is estimated instead of
    the cost.
    """
    if words is not None and not summary:
        raise click.UsageError("--words is for --summary.")
    settings = settings_with_model(flags, required=False)
    plan, window = plan_of(flags, settings), window_known(settings)
    pace_of(settings, measure=True)
    report_small_window(settings, window.tokens)
    wanted = (words or _WORDS) if summary else 0
    for source in sources:
        document = loaded(source, whole)
        figures = estimate_with(settings, document, plan, Window(window.tokens), summary=wanted)
        if as_json:
            known_from = "" if window.tokens is None else window.source
            about = {"source": source, "title": document.title, "window_from": known_from}
            print_json(estimates_record(figures), **about)
        elif is_local(settings):  # it counts no tokens
            echo(_sizes(document.title, figures))
        else:
            _print(document.title, figures, settings.model, window)
        report_loading(document)
        report_warnings(figures.warnings)


def print_estimate(document: Document, plan: Plan, window: Window, settings: Settings) -> None:
    """Print the estimate in one line before a reading begins, on a terminal only."""
    if sys.stderr is None or not sys.stderr.isatty():
        return
    pace_of(settings, measure=True)
    figures = estimate_with(settings, document, plan, window)
    took = figures.reading
    cost = _time(took) or (f", ${took.cost:.2f}" if took.cost else "")
    tokens = f"; {counted(took.calls, 'call')}, {_tokens(took)}{cost}{_or_more(figures.two_steps)}"
    echo(f"{_sizes(document.title, figures)}{'' if is_local(settings) else tokens}", err=True)


def print_folder(name: str, files: int, loaded: Sequence[Document], unread: Sequence[Document],
                 plan: Plan, window: Window, settings: Settings) -> int:  # fmt: skip
    """Print how many files and words a folder has, and what reading those takes that are not read; return the words.

    Where only the first files are ``loaded``, the others are taken to be like them.
    """
    more = files / len(loaded)
    words, left = (int(sum(one.words for one in some) * more) for some in (loaded, unread))
    said = f"{name}: {counted(files, 'file')}, {'about ' if more > 1 else ''}{counted(words, 'word')}"
    if len(unread) < len(loaded):
        said += f", {counted(int((len(loaded) - len(unread)) * more), 'file')} read before"
    if left and not is_local(settings):
        took, two_steps = _scaled(left, round(len(unread) * more), unread, plan, window, settings)
        cost = _time(took) or (f", {dollars(took.cost)}" if took.cost else "")
        said += f"; about {counted(took.calls, 'call')}, {_tokens(took)}{cost}"
        said += _or_more(two_steps)
    echo(said, err=True)
    return words


def _scaled(
    words: int, count: int, unread: Sequence[Document], plan: Plan, window: Window, settings: Settings
) -> tuple[Estimate, Estimate | None]:
    """Return what reading so many words in ``count`` documents takes, in one pass and, where that may be, in two steps.

    It is estimated by the longest of them, with a call for each at least.
    """
    sample = sorted(unread, key=lambda one: one.words)[-_SAMPLE:]
    pace_of(settings, measure=True)
    parts = [estimate_with(settings, one, plan, window) for one in sample]
    share = words / sum(one.words for one in sample)

    def whole(some: Sequence[Estimate]) -> Estimate:
        calls, tokens_in, tokens_out, cost, seconds = (
            sum(getattr(one, what) or 0 for one in some) * share
            for what in ("calls", "prompt_tokens", "reply_tokens", "cost", "seconds")
        )
        calls = max(round(calls), count)
        return Estimate(calls, words, round(tokens_in), round(tokens_out), cost or None, seconds or None)

    two_steps = [one.two_steps or one.reading for one in parts] if any(one.two_steps for one in parts) else None
    return whole([one.reading for one in parts]), whole(two_steps) if two_steps else None


def _or_more(two_steps: Estimate | None) -> str:
    if two_steps is None:
        return ""
    return f", or {counted(two_steps.calls, 'call')}, {_tokens(two_steps)} if the model cannot read in one pass"


def _tokens(part: Estimate) -> str:
    return f"{part.prompt_tokens + part.reply_tokens:,} tokens"


def _time(part: Estimate) -> str:
    return "" if part.seconds is None else f", about {duration(part.seconds)} on this computer"


def _sizes(title: str, figures: Estimates) -> str:
    pages = f"about {counted(figures.pages, 'page')} of up to {figures.page_words:,} words"
    return f"{title}: {counted(figures.words, 'word')}, {pages}, gists of {figures.memory_words:,} words"


def _print(title: str, figures: Estimates, model: str, window: KnownWindow) -> None:
    echo(_sizes(title, figures))
    if window.tokens is not None:
        echo(f"  window: {window.tokens:,} tokens, from {window.source}")
    elif window.source:
        echo(f"  window: unknown; {window.source}")
    parts = {
        "reading": figures.reading,
        "reading, if the model cannot read in one pass": figures.two_steps,
        "each question": figures.question,
        "a summary": figures.summary,
    }
    for name, part in parts.items():
        if part is not None:
            cost = _time(part) or (f", {dollars(part.cost)}" if part.cost else "")
            read = f"{counted(part.calls, 'call')}, {counted(part.words, 'word')} read"
            echo(f"  {name}: {read}, {part.prompt_tokens:,} tokens in, {part.reply_tokens:,} out{cost}")
    if figures.reading.cost is None:
        echo(f"  cost: the price of {model} is unknown; add it under [prices] in the settings")
