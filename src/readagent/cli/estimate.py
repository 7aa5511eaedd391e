"""`readagent estimate`: what a reading would take, before anything is sent."""

from __future__ import annotations

import asyncio
from typing import Any

import click

from readagent.cli.options import JSON, model_options, plan_of, reading_options, settings_of
from readagent.cli.output import print_json
from readagent.connect import prices_of
from readagent.core.prompts import Prompts
from readagent.core.window import Window
from readagent.embedded.engine import gguf_path
from readagent.estimate import Estimate, Estimates, estimate
from readagent.loaders import load
from readagent.models.endpoint import Endpoint
from readagent.models.prices import FREE, Price
from readagent.models.providers import resolve
from readagent.settings import Settings


@click.command(
    epilog="""\b
Examples:
  readagent estimate novel.txt
  readagent estimate novel.txt --preset books --model openai/gpt-4.1-mini
"""
)
@click.argument("sources", nargs=-1, required=True, metavar="SOURCE...")
@reading_options
@model_options
@JSON
def command(sources: tuple[str, ...], as_json: bool, **flags: Any) -> None:
    """Tell the words, calls, tokens and money that reading would take. Nothing is sent to anyone.

    The figures come from doing the reading with a stand-in, whose gists have 15 % of each page's words.
    """
    settings = settings_of(flags)
    plan, prompts, price = plan_of(flags, settings), Prompts.load(settings.prompts), _price(settings)
    for source in sources:
        document = load(source)
        figures = asyncio.run(estimate(document, plan, prompts, Window(settings.window), price))
        if as_json:
            print_json({"source": source, "title": document.title, **_record(figures)})
        else:
            _print(document.title, figures, settings.model)


def _price(settings: Settings) -> Price | None:
    """The price of the model, where one was named; nothing on a server of one's own."""
    if not settings.model and not settings.base_url:
        return None
    if gguf_path(settings.model, settings.base_url) is not None:
        return FREE
    target = resolve(settings.model, settings.base_url, {})
    return Endpoint(target.base_url, target.model, prices=prices_of(settings)).price


def _record(figures: Estimates) -> dict[str, Any]:
    return {
        "words": figures.words,
        "pages": figures.pages,
        "gist_words": figures.memory_words,
        "reading": _part(figures.reading),
        "question": _part(figures.question),
    }


def _part(part: Estimate) -> dict[str, Any]:
    return {"calls": part.calls, "words": part.words, "prompt_tokens": part.prompt_tokens,
            "reply_tokens": part.reply_tokens, "cost": part.cost}  # fmt: skip


def _print(title: str, figures: Estimates, model: str) -> None:
    click.echo(
        f"{title}: {figures.words:,} words, about {figures.pages} pages, gists of {figures.memory_words:,} words"
    )
    for name, part in (("reading", figures.reading), ("each question", figures.question)):
        click.echo(
            f"  {name}: {part.calls:,} calls, {part.words:,} words read, {part.prompt_tokens:,} tokens in, "
            f"{part.reply_tokens:,} out" + (f", ${part.cost:.4f}" if part.cost is not None else "")
        )
    if figures.reading.cost is None:
        unknown = f"the price of {model} is not known" if model else "no model was named"
        click.echo(f"  money: {unknown}" + ("; its price can be added under [prices] in the settings" if model else ""))
