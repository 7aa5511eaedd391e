"""`readagent notes`: a user's own headings, each filled in from a document."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from readagent.cli.commands.summary import record
from readagent.cli.overviews import made, overview_options, paragraphs, show
from readagent.cli.screen import style
from readagent.core.overviews.records import Summary
from readagent.core.trace import Trace
from readagent.errors import UsageError

_MOST = 60  # headings of a template


@click.command(
    epilog="""\b
Examples:
  readagent notes contract.pdf --template checklist.md
  readagent notes contract.pdf --template checklist.md --words 60 -o notes.md

A template has one heading on a line: lines that begin with # if there are any, else all lines.
Text below a heading says what belongs there.
"""
)
@overview_options
@click.option(
    "--template", required=True, type=click.Path(dir_okay=False, path_type=Path), metavar="FILE",
    help="A file with your headings.",
)  # fmt: skip
@click.option("--words", type=click.IntRange(10), default=80, metavar="N", help="About how many words a heading (80).")
def command(document: str, template: Path, words: int, output: Path | None, as_json: bool, **flags: Any) -> None:
    """Fill in your own headings from a document: what it says on each, with places.

    DOCUMENT is a file, a URL, or the title, file name or id of a document in the library. It is read first if needed.
    """
    headings = headings_in(template)
    parts: list[tuple[str, Summary]] = []
    for heading, about in headings:
        parts.append((heading, made(document, lambda agent: agent.summary, dict(flags), words=words, about=about)))
    trace = Trace(
        True, [c for _, one in parts for c in one.trace.calls], [f for _, one in parts for f in one.trace.fallbacks]
    )
    shown = [line for heading, one in parts for line in (style(f"# {heading}", bold=True), "", *paragraphs(one), "")]
    data = {
        "title": parts[0][1].memory.document.title,
        "notes": [{"heading": heading, **record(one)} for heading, one in parts],
    }
    show(replace(parts[0][1], trace=trace), shown, data, None, output, as_json)


def headings_in(template: Path) -> list[tuple[str, str]]:
    """Return the headings of a template, each with all that says what belongs under it."""
    try:
        text = template.read_text("utf-8-sig")
    except UnicodeDecodeError:
        raise UsageError(f"{template.name} is not text in UTF-8", hint="give a file with your headings") from None
    marked = re.split(r"^#{1,6}[ \t]+(.+)$", text, flags=re.M)
    if len(marked) > 1:
        found = [(name.strip(), f"{name.strip()}\n{body.strip()}".strip())
                 for name, body in zip(marked[1::2], marked[2::2], strict=True)]  # fmt: skip
    else:
        found = [(line.strip(), line.strip()) for line in text.splitlines() if line.strip()]
    if not found:
        raise UsageError(f"{template.name} has no headings", hint="write one on each line")
    if len(found) > _MOST:
        raise UsageError(f"{template.name} has {len(found)} headings", hint=f"give at most {_MOST}")
    return found
