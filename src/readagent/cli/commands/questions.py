"""`readagent questions`: study questions about a document, with their answers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from readagent.cli.overviews import cited, made, overview_options, show
from readagent.cli.screen import style
from readagent.core.overviews.points import doubt, places_of
from readagent.records.overviews import item_records


@click.command(
    epilog="""\b
Examples:
  readagent questions lecture.pdf
  readagent questions lecture.pdf --count 30 --chapter "Heat" -o cards.csv
"""
)
@overview_options
@click.option("--count", type=click.IntRange(1, 500), default=10, metavar="N", help="About how many questions (10).")
def command(document: str, count: int, output: Path | None, as_json: bool, **flags: Any) -> None:
    """Write study questions about a document, evenly over its text, each with its answer and place.

    DOCUMENT is a file, a URL, or the title, file name or id of a document in the library. It is read first if needed.
    """
    result = made(document, lambda agent: agent.questions, flags, count=count)
    memory = result.memory
    lines = [
        line
        for number, one in enumerate(result, 1)
        for line in (
            f"{number}. {style(one.question, bold=True)}",
            f"   {cited(one.answer, memory)}",
            "",
        )
    ]
    record = {"title": memory.document.title, "questions": item_records(result, memory)}
    rows = [("question", "answer", "place", "doubt")] + [
        (one.question, one.answer.text, "; ".join(places_of(one.answer, memory)), doubt(one.answer)) for one in result
    ]
    show(result, lines or ["No question could be written."], record, rows, output, as_json)
