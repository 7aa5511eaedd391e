"""`readagent export`: a document's pages, gists and answers as JSON, Markdown, HTML, EPUB, BibTeX or cards for Anki."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from itertools import chain
from pathlib import Path

import click

from readagent.cli.completing import complete_document, complete_shelf
from readagent.cli.documents import existing_library, known_memory
from readagent.cli.options import TASK, UP_TO, settings_of
from readagent.cli.screen import echo_data, safe, safe_json
from readagent.cli.shelves import export_shelf
from readagent.cli.writing import keep_folder, output_options, refuse_sources, write_file
from readagent.core.asking.position import position
from readagent.core.memory import GistMemory
from readagent.errors import UsageError
from readagent.library import KeptAnswer, as_markdown
from readagent.library.anki import as_anki
from readagent.library.bibtex import as_bibtex
from readagent.library.epub import as_epub
from readagent.library.evidence import known_up_to
from readagent.library.html import as_html
from readagent.records.export import as_json

_SUFFIXES = {
    "json": (".json",),
    "markdown": (".md", ".markdown"),
    "html": (".html", ".htm"),
    "epub": (".epub",),
    "bibtex": (".bib",),
    "anki": (".apkg",),
}
_BINARY = ("anki", "epub")


@click.command(
    epilog="""\b
Examples:
  readagent export novel.txt > novel.json
  readagent export novel.txt -o novel.md
  readagent export novel.txt -o novel.html
  readagent export novel.txt -o gists.epub
  readagent export novel.txt --format bibtex
  readagent export novel.txt --up-to 40% -o so-far.md
  readagent export --shelf contracts -f markdown -o contracts
"""
)
@click.argument("document", required=False, shell_complete=complete_document)
@click.option(
    "--shelf",
    metavar="NAME",
    is_eager=True,
    callback=keep_folder,
    shell_complete=complete_shelf,
    help="Export all documents on this shelf, and its answers, into the folder FILE.",
)
@click.option(
    "-f",
    "--format",
    "form",
    type=click.Choice(list(_SUFFIXES)),
    help="Output format; by default from the name of FILE, else json.",
)
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
        if output.suffix.lower() in chain.from_iterable(_SUFFIXES.values()):
            raise UsageError(f"{output} is a name for a file", hint="with --shelf, -o names a folder; choose with -f")
        kind = form or "json"
        with existing_library(settings_of({})) as library:
            export_shelf(shelf, library, output, partial(_written, kind), _SUFFIXES[kind][0])
        return
    if document is None:
        raise click.UsageError("Missing argument 'DOCUMENT' or --shelf.")
    chosen = _chosen(form, output)
    if chosen in _BINARY and output is None:
        raise click.UsageError(f"--format {chosen} requires --output.")
    with existing_library(settings_of({})) as library:
        memory = known_memory(document, library, task)
        answers: Sequence[KeptAnswer] = library.answers_to(memory)
        if up_to is not None:
            memory, answers = known_up_to(memory, answers, position(memory, up_to))
        refuse_sources(library, memory.document.source)
    data = _written(chosen, memory, answers)
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
    other = next((one for one, suffixes in _SUFFIXES.items() if suffix in suffixes), form)
    if other != form:
        raise UsageError(
            f"{output} is a name for {other}, and the format is {form}",
            hint=f"use a name in {_SUFFIXES[form][0]}, or leave out -f",
        )
    return form


def _named(output: Path | None) -> str:
    """Return the format that the name of a file says; json for a name that says nothing."""
    suffix = output.suffix.lower() if output is not None else ""
    named = next((form for form, suffixes in _SUFFIXES.items() if suffix in suffixes), None)
    if suffix and named is None:
        names = ", ".join(suffixes[0] for suffixes in _SUFFIXES.values())
        raise UsageError(f"cannot write {output}: there is no export to {suffix}", hint=f"use a name in {names}, or -f")
    return named or "json"


def _written(form: str, memory: GistMemory, answers: Sequence[KeptAnswer]) -> bytes:
    match form:
        case "json":
            return as_json(memory, answers)
        case "anki":
            return as_anki(memory, answers)
        case "epub":
            return as_epub(memory, answers)
    write = {"markdown": as_markdown, "html": as_html, "bibtex": as_bibtex}[form]
    return write(memory, answers).encode("utf-8", "replace")
