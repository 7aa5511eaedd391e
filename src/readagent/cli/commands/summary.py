"""`readagent summary`: a summary of a document, or of a part of it, each statement with its place."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from readagent.cli.options import words_option
from readagent.cli.overviews import made, overview_or_shelf_options, paragraphs, show
from readagent.cli.shelves import show_shelf_summary
from readagent.records.overviews import summary_record


@click.command(
    epilog="""\b
Examples:
  readagent summary novel.epub
  readagent summary novel.epub --words 1000 --up-to 40%
  readagent summary report.pdf --for "a board member" --chapter "Risks"
  readagent summary novel.epub --words 5000 -o novel-summary.md
  readagent summary --shelf contracts
"""
)
@overview_or_shelf_options
@words_option("Length in words, about (300).", 300)
@click.option("--about", default="", metavar="TEXT", help="Only what the text says on this.")
@click.option("--for", "audience", default="", metavar="READER", help='Whom it is for, such as "a board member".')
def command(
    document: str | None, shelf: str | None, words: int, about: str, audience: str, output: Path | None, as_json: bool,
    **flags: Any,
) -> None:  # fmt: skip
    """Summarise a document from its gists. Each statement names the place that it is from.

    DOCUMENT is a file, a URL, or the title, file name or id of a document in the library. It is read first if needed.
    Statements that their pages do not support are left out. With --shelf, there is a summary of all documents, in which
    each statement names its document, and one of each document.
    """
    if (document is None) == (shelf is None):
        raise click.UsageError("Give either DOCUMENT or --shelf.")
    if shelf is not None:
        show_shelf_summary(shelf, flags, output, as_json=as_json, words=words, about=about, audience=audience)
        return
    assert document is not None
    result = made(document, lambda agent: agent.summary, flags, words=words, about=about, audience=audience)
    show(result, paragraphs(result), summary_record(result), None, output, as_json)
