"""`readagent model check`: does the server answer, stream and constrain, and how much does the model take in."""

from __future__ import annotations

import asyncio
from typing import Any

import click

from readagent.cli.options import JSON, model_options, settings_of
from readagent.cli.output import print_json
from readagent.cli.session import library_of
from readagent.connect import endpoint_of
from readagent.models.check import Check
from readagent.settings import Settings

_WAYS = {
    "schema": "yes, by JSON schema",
    "choice": "yes, by a list of choices",
    "grammar": "yes, by a grammar",
    "none": "no; replies are read from plain text",
    "unknown": "not found out",
}


@click.group(name="model")
def command() -> None:
    """Check the model and its server."""


@command.command(
    epilog="""\b
Examples:
  readagent model check --model ollama/qwen3:8b
  readagent model check --base-url http://localhost:8080/v1
"""
)
@model_options
@JSON
def check(as_json: bool, **flags: Any) -> int:
    """Ask the server a few small things, and tell what it can do."""
    settings = settings_of(flags)
    found, base_url = asyncio.run(_checked(settings))
    if as_json:
        print_json({"base_url": base_url, "answers": found.answers, "model": found.model, "listed": found.known,
                    "streams": found.streams, "constrains": found.constrains, "window": found.window,
                    "seconds": round(found.seconds, 3), "error": found.error, "hint": found.hint})  # fmt: skip
    else:
        _print(found, base_url)
    return 0 if found.answers and not found.error else 1


async def _checked(settings: Settings) -> tuple[Check, str]:
    with library_of(settings) as library:
        endpoint = endpoint_of(settings, library)
        try:
            return await endpoint.check(), endpoint.base_url
        finally:
            await endpoint.aclose()


def _print(found: Check, base_url: str) -> None:
    lines = {
        "server": base_url,
        "model": found.model or "none",
        "answers": f"yes, in {found.seconds:.1f} s" if found.answers else "no",
        "streams": {True: "yes", False: "no", None: "not found out"}[found.streams],
        "constrains": _WAYS[found.constrains],
        "window": f"{found.window:,} tokens" if found.window else "the server does not say; give --window",
    }
    for name, value in lines.items():
        click.echo(f"{name + ':':<12}{value}")
    if found.error:
        click.echo(f"error: {found.error}", err=True)
        if found.hint:
            click.echo(f"hint: {found.hint}", err=True)
