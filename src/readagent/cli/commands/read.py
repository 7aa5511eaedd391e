"""`readagent read`: read documents and keep their gists."""

from __future__ import annotations

from typing import Any

import click

from readagent.cli.agents import agent_for
from readagent.cli.completing import complete_file
from readagent.cli.options import JSON, agent_options, shelf_option, source_options
from readagent.cli.reading import SourceReader
from readagent.cli.retrying import retry_all
from readagent.cli.shelves import shelf_to_fill


@click.command(
    epilog="""\b
Examples:
  readagent read novel.epub
  readagent read meeting.txt --preset meetings --model openai/gpt-4.1-mini
  readagent read notes/ --include '*.md' --exclude drafts/
  cat notes.txt | readagent read - --title "My notes"
  readagent read novel.epub --retry

Reading a document again is free. An interrupted reading continues where it stopped.
"""
)
@click.argument("sources", nargs=-1, required=True, metavar="SOURCE...", shell_complete=complete_file)
@click.option("--title", default="", help="Title of the document.")
@shelf_option("Add the documents to this shelf; it is created if needed.")
@click.option("--retry", is_flag=True, help="Ask again for pages without a gist, and only for these.")
@source_options
@agent_options
@JSON
def command(sources: tuple[str, ...], title: str, shelf: str | None, retry: bool, as_json: bool, **flags: Any) -> int:
    """Read documents: find natural pauses, and keep the gist of each page.

    SOURCE is a file, a folder (every file in it is read), a URL, or - for standard input: text, Markdown, HTML, PDF,
    EPUB, Word, Excel, e-mail, subtitles, source code and more.
    \f

    Other formats are PowerPoint, CSV, OpenDocument, RTF, Jupyter notebooks, transcripts and chat logs.

    Several documents are read at the same time; the line for each is printed when it is finished. What cannot be read
    is reported, and the others are read.

    A page that the model returns no usable gist for, or that its server refuses, is represented by its opening
    sentences. With --retry, SOURCE may also be the title or id of a document, and the exit code is 1 if such pages are
    left. Without --retry they do not change the exit code.
    """
    with agent_for(flags, existing=retry) as (agent, library):
        if retry:
            return retry_all(sources, agent, library, as_json)
        if shelf is None:
            return SourceReader(agent, library, title, as_json, flags).read(sources)
        with shelf_to_fill(shelf, agent, library) as filled:
            return SourceReader(agent, library, title, as_json, flags, shelf=filled).read(sources)
