"""`readagent extract`: people, events, names, terms, questions, or rows under headings of one's own.

The names of the kinds are commands, too: `readagent people novel.epub`.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import click

from readagent.cli.extracting import VIEWS, own_view
from readagent.cli.overviews import made, overview_options, show

_DOCUMENT = "DOCUMENT is a file, a URL, or the title, file name or id of a document in the library. It is read first"
_CALENDAR = click.option("--calendar", is_flag=True, help="Only events with a date, in the order of the calendar.")
_COUNT = click.option(
    "--count", type=click.IntRange(1, 500), default=10, metavar="N", help="About how many questions (10)."
)
_ALIASES: dict[str, Callable[[Any], Any] | None] = {
    "people": None, "timeline": _CALENDAR, "entities": None, "glossary": None, "questions": _COUNT,
}  # fmt: skip


@click.command(
    epilog="""\b
Examples:
  readagent extract novel.epub people
  readagent extract minutes/ timeline --calendar -o minutes.csv
  readagent extract lecture.pdf questions --count 30
  readagent extract report.pdf "risk, owner, deadline"
"""
)
@overview_options
@click.argument("kind", metavar="KIND")
@_CALENDAR
@_COUNT
def command(kind: str, **flags: Any) -> None:
    """List people, events, terms or your own headings from a document, with places.

    DOCUMENT is a file, a URL, or the title, file name or id of a document in the library. It is read first if needed.
    KIND is people, timeline, entities, glossary, questions, or headings of your own, separated by commas.
    """
    _extract(kind.strip(), **flags)


def alias(kind: str) -> click.Command:
    """Return the command with the name of a kind, as it was called before."""
    own, help_text = _ALIASES[kind], f"The same as `readagent extract DOCUMENT {kind}`.\n\n{_DOCUMENT} if needed."
    run: Callable[..., None] = partial(_extract, kind)
    built = click.command(kind, help=help_text, hidden=True)(overview_options(_plain(run)))
    if own is not None:
        built = own(built)
    return built


def _plain(run: Callable[..., None]) -> Callable[..., None]:
    def called(**flags: Any) -> None:
        run(**flags)

    return called


def _extract(
    kind: str, document: str, output: Path | None, as_json: bool, calendar: bool = False, count: int = 10, **flags: Any
) -> None:
    more = {"count": count} if kind == "questions" else {}
    result = made(document, lambda agent: agent.extract, flags, kind=kind, **more)
    asked = {"calendar": calendar, "to_file": output is not None} if kind == "timeline" else {}
    view = VIEWS.get(kind, own_view)(result, **asked)
    data = {"title": result.memory.document.title, **view.data}
    show(result, view.lines, data, view.rows, output, as_json)
