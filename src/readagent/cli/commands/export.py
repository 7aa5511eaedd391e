"""`readagent export`: a document's pages, gists and answers as JSON, Markdown or HTML."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click

from readagent.cli.completing import complete_document
from readagent.cli.documents import existing_library, known_memory
from readagent.cli.options import TASK, UP_TO, settings_of, shelf_option
from readagent.cli.screen import echo_data, safe, safe_json
from readagent.cli.shelves import export_shelf
from readagent.cli.writing import keep_folder, output_options, refuse_sources, write_file
from readagent.core.asking.position import position
from readagent.errors import UsageError
from readagent.export import FORMATS
from readagent.export.evidence import known_up_to
from readagent.library import KeptAnswer

_SUFFIXES = {suffix: form for form, one in FORMATS.items() for suffix in one.suffixes}


@click.command(
    epilog="""\b
Examples:
  readagent export novel.txt > novel.json
  readagent export novel.txt -o novel.md
  readagent export novel.txt -o novel.html
  readagent export novel.txt --up-to 40% -o so-far.md
  readagent export --shelf contracts -f markdown -o contracts
"""
)
@click.argument("document", required=False, shell_complete=complete_document)
@shelf_option(
    "Export all documents on this shelf, and its answers, into the folder FILE.", is_eager=True, callback=keep_folder
)
@click.option(
    "-f", "--format", "form", type=click.Choice(list(FORMATS)),
    help="Output format; by default from the name of FILE, else json.",
)  # fmt: skip
@output_options("Write to FILE instead of standard output.")
@TASK
@UP_TO
def command(
    document: str | None, shelf: str | None, form: str | None, output: Path | None, task: str, up_to: str | None
) -> None:
    """Export the pages, gists, questions and answers of a document, or of all documents on a shelf.

    DOCUMENT is the title, file name or id of a document in the library. With --shelf, -o names a folder: it gets a file
    for each document, and answers.json or answers.md with the questions that the shelf was asked. With --up-to, answers
    that knew more of the text are left out.
    """
    if shelf is not None:
        if document is not None or task or up_to is not None:
            raise click.UsageError("--shelf cannot be used with DOCUMENT, --task or --up-to.")
        if output is None:
            raise click.UsageError("--shelf requires -o FOLDER.")
        if output.suffix.lower() in _SUFFIXES:
            raise UsageError(f"{output} is a name for a file", hint="with --shelf, -o names a folder; choose with -f")
        kind = form or "json"
        with existing_library(settings_of({})) as library:
            export_shelf(shelf, library, output, FORMATS[kind].write, FORMATS[kind].suffixes[0])
        return
    if document is None:
        raise click.UsageError("Missing argument 'DOCUMENT' or --shelf.")
    chosen = _chosen(form, output)
    with existing_library(settings_of({})) as library:
        memory = known_memory(document, library, task)
        answers: Sequence[KeptAnswer] = library.answers_to(memory)
        if up_to is not None:
            memory, answers = known_up_to(memory, answers, position(memory, up_to))
        refuse_sources(library, memory.document.source)
    data = FORMATS[chosen].write(memory, answers)
    if output is None:
        text = data.decode("utf-8").rstrip("\n")
        echo_data(safe_json(text) if chosen == "json" else safe(text))
        return
    write_file(output, data)


def _chosen(form: str | None, output: Path | None) -> str:
    """Return the format. Raise UsageError if the name of the file is for another one."""
    if form is None or output is None:
        return form or _named(output)
    suffix = output.suffix.lower()
    other = _SUFFIXES.get(suffix, form)
    if other != form:
        raise UsageError(
            f"{output} is a name for {other}, and the format is {form}",
            hint=f"use a name in {FORMATS[form].suffixes[0]}, or leave out -f",
        )
    return form


def _named(output: Path | None) -> str:
    """Return the format that the name of a file says; json for a name that says nothing."""
    suffix = output.suffix.lower() if output is not None else ""
    named = _SUFFIXES.get(suffix)
    if suffix and named is None:
        names = ", ".join(one.suffixes[0] for one in FORMATS.values())
        raise UsageError(f"cannot write {output}: there is no export to {suffix}", hint=f"use a name in {names}, or -f")
    return named or "json"
