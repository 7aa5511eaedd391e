"""`readagent compare`: what documents have in common, where they differ, and where they contradict each other."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from readagent.cli.agents import agent_for, memory_of
from readagent.cli.completing import complete_document
from readagent.cli.documents import document_of, is_source
from readagent.cli.options import (
    JSON,
    RETRY,
    budget_options,
    model_options_with_output,
    reading_options,
    shelf_option,
    words_option,
)
from readagent.cli.overviews import OUTPUT, paragraphs, report_made, show
from readagent.cli.progress import Progress
from readagent.embedded.local import needs_model
from readagent.library.corpus_rows import with_title_of
from readagent.records import plain
from readagent.records.overviews import summary_record
from readagent.sync import Shelf


@click.command(
    epilog="""\b
Examples:
  readagent compare lease-2023.pdf lease-2024.pdf
  readagent compare draft.docx final.docx --about "deadlines and penalties"
  readagent compare --shelf contracts --words 400
"""
)
@click.argument("documents", nargs=-1, shell_complete=complete_document)
@shelf_option("Compare the documents on this shelf.")
@words_option("Length in words, about (300).", 300)
@click.option("--about", default="", metavar="TEXT", help="Compare them on this only.")
@click.option("--check/--no-check", default=None, help="Let the model check statements against their pages (on).")
@RETRY
@reading_options
@model_options_with_output
@budget_options
@OUTPUT
@JSON
def command(
    documents: tuple[str, ...], shelf: str | None, words: int, about: str, check: bool | None, retry: bool,
    output: Path | None, as_json: bool, **flags: Any,
) -> None:  # fmt: skip
    """Compare two documents or more: what they have in common, and where they differ or contradict each other.

    DOCUMENTS are files, URLs, or titles, file names or ids of documents in the library. They are read first if needed.
    """
    if bool(documents) == (shelf is not None):
        raise click.UsageError("Give either two documents or more, or --shelf.")
    if len(documents) == 1:
        raise click.UsageError("Give two documents or more.")
    named = [name for name in documents if not is_source(name)]
    with agent_for(flags, existing=bool(named) or shelf is not None) as (agent, library):
        if agent.is_local:  # said before a document is read for it
            raise needs_model("compare")
        for name in named:
            document_of(name, library)  # an unknown name is an error before anything is read
        cards = [] if shelf is None else Shelf(agent, shelf).cards()
        memories = [memory_of(name, flags, agent, library) for name in documents]
        memories += [with_title_of(card, memory_of(card.document, flags, agent, library)) for card in cards]
        with Progress(doing="going through the documents") as progress:
            result = agent.compare(memories, words=words, about=about, check=check, retry=retry, listen=progress)
    titles = [part.title for part in result.memory.parts]
    data = {**plain(summary_record(result)), "title": "", "documents": titles}
    show(result, paragraphs(result), data, None, output, as_json)
    report_made(result, [call for memory in memories for call in memory.trace.calls])
