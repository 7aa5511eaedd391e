"""`readagent export`: a document's pages, gists and answers as JSON or Markdown."""

from __future__ import annotations

from pathlib import Path

import click

from readagent.cli.documents import known_memory, library_of
from readagent.cli.options import TASK, settings_of
from readagent.cli.screen import echo, echo_data, safe, safe_json
from readagent.errors import UsageError
from readagent.library import as_json, as_markdown


@click.command(
    epilog="""\b
Examples:
  readagent export novel.txt > novel.json
  readagent export novel.txt --format markdown -o novel.md
"""
)
@click.argument("document")
@click.option(
    "-f",
    "--format",
    "form",
    type=click.Choice(["json", "markdown"]),
    help="Output format; by default from the name of FILE, else json.",
)
@click.option(
    "-o",
    "--output",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Write to FILE instead of standard output.",
)
@TASK
def command(document: str, form: str | None, output: Path | None, task: str) -> None:
    """Export the pages, gists, questions and answers of a document.

    DOCUMENT is the title, file name or id of a document in the library.
    """
    if output is not None and form is None and output.suffix.lower() in (".html", ".htm"):
        raise UsageError(
            f"cannot write {output}: there is no export to HTML", hint="use -f markdown, or a name in .json"
        )
    with library_of(settings_of({})) as library:
        memory = known_memory(document, library, task)
        answers = [answer for answer in library.answers(memory.document.id) if answer.task == task]
    chosen = form or ("markdown" if output and output.suffix in (".md", ".markdown") else "json")
    if chosen == "markdown":
        data = as_markdown(memory, answers).encode("utf-8", "replace")
    else:
        data = as_json(memory, answers)
    if output is None:
        text = data.decode("utf-8").rstrip("\n")
        echo_data(safe(text) if chosen == "markdown" else safe_json(text))
        return
    try:
        output.write_bytes(data)
    except OSError as error:
        raise UsageError(f"cannot write {output}: {(error.strerror or str(error)).lower()}") from None
    echo(f"wrote {output}", err=True)
