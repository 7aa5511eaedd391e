"""`readagent bench list`: list data sets, methods and recipes."""

from __future__ import annotations

from textwrap import fill

import click

from readagent.cli.options import JSON
from readagent.cli.output import print_json
from readagent.cli.screen import echo, style
from readagent_bench.cli.conduct import text_width
from readagent_bench.datasets import DATASETS
from readagent_bench.methods import METHODS
from readagent_bench.plugins import Kind, installed
from readagent_bench.recipes import RECIPES


@click.command("list")
@JSON
def names(as_json: bool) -> None:
    """List the data sets, methods and recipes."""
    parts = {
        "datasets": {name: one.title for name, one in DATASETS.items()} | _installed("data set"),
        "methods": {f"{name}:N" if one.number else name: _help(one.help, one.number) for name, one in METHODS.items()}
        | _installed("method"),
        "recipes": {name: one.help for name, one in RECIPES.items()},
        **({"measures": found} if (found := _installed("measure")) else {}),
    }
    if as_json:
        print_json(parts)
        return
    for title, entries in parts.items():
        echo(style({"datasets": "Data sets"}.get(title, title.capitalize()), bold=True))
        for name, help_text in entries.items():
            echo(_entry(name, help_text, text_width()))
        echo()


def _entry(name: str, help_text: str, width: int | None) -> str:
    """Return the line of an entry, or several in which the text stays in its column."""
    line, indent = f"  {name:<20} {help_text}", " " * 23
    return line if width is None else fill(line, max(width, 48), subsequent_indent=indent, break_on_hyphens=False)


def _installed(kind: Kind) -> dict[str, str]:
    """Return what installed packages offer, without importing it."""
    return {name: f"from {one.dist.name if one.dist else one.value}" for name, one in installed(kind).items()}


def _help(help_text: str, number: str) -> str:
    return f"{help_text} (N: {number})" if number else help_text
