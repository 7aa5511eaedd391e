"""`readagent read`: read documents and keep their gists."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from readagent.cli.agents import agent_for
from readagent.cli.announce import announcement_of
from readagent.cli.commands.estimate import print_estimate
from readagent.cli.documents import with_additions
from readagent.cli.files import remember_file
from readagent.cli.options import JSON, budget_options, model_options, reading_options, source_options
from readagent.cli.output import growth, memory_record, print_json, report_fallbacks, report_warnings, summary
from readagent.cli.progress import Progress
from readagent.cli.retrying import Retrier, suggest_retry
from readagent.cli.screen import echo
from readagent.cli.shelves import shelf_to_fill
from readagent.cli.skipped import report_folder
from readagent.core.document import Document
from readagent.core.memory import GistMemory
from readagent.core.shelf.records import Card
from readagent.core.window import Window
from readagent.errors import LoadError, NotInLibraryError
from readagent.library import DocumentRow, Library
from readagent.loaders import Loaded, Skipped, combine, is_folder, load_all
from readagent.sync import ReadAgent


@click.command(
    epilog="""\b
Examples:
  readagent read novel.epub
  readagent read meeting.txt --preset meetings --model openai/gpt-4.1-mini
  readagent read https://example.org/essay.html
  readagent read notes/ --include '*.md' --exclude drafts/
  readagent read src/ --as-one --title "The program"
  cat notes.txt | readagent read - --title "My notes"
  readagent read contracts/ --shelf contracts
  readagent read novel.epub --retry

Reading a document again is free. An interrupted reading continues where it stopped.
"""
)
@click.argument("sources", nargs=-1, required=True, metavar="SOURCE...")
@click.option("--title", default="", help="Title of the document.")
@click.option("--shelf", metavar="NAME", help="Add the documents to this shelf, which is created if needed.")
@click.option("--retry", is_flag=True, help="Ask again only for pages without a gist, of documents that were read.")
@source_options
@reading_options
@model_options
@budget_options
@JSON
def command(sources: tuple[str, ...], title: str, shelf: str | None, retry: bool, as_json: bool, **flags: Any) -> int:
    """Read documents: find natural pauses, and keep the gist of each page.

    SOURCE is a file, a folder (every file in it is read), a URL, or - for standard input. Supported formats are plain
    text, Markdown, HTML, PDF, EPUB, Word, OpenDocument, RTF, subtitles, transcripts, chat logs and source code.

    A page that the model returns no usable gist for, or that its server refuses, is represented by its opening
    sentences. With --retry, SOURCE may also be the title or id of a document, and the exit code is 1 if such pages are
    left. Without --retry they do not change the exit code.
    """
    with agent_for(flags) as (agent, library):
        if retry:
            retrier = Retrier(agent, library, as_json)
            return each_source(sources, retrier.retry) or int(retrier.left > 0)
        if shelf is None:
            return each_source(sources, SourceReader(agent, library, title, as_json, flags).read)
        with shelf_to_fill(shelf, agent, library) as filled:
            return each_source(sources, SourceReader(agent, library, title, as_json, flags, put=filled.add).read)


def each_source(sources: Sequence[str], read: Callable[[str], None]) -> int:
    """Read the sources in turn and return the exit code. If there are several, one that cannot be loaded is skipped."""
    failed = 0
    for source in sources:
        try:
            read(source)
        except (LoadError, NotInLibraryError) as error:
            if len(sources) == 1:
                raise
            failed += 1
            echo(f"skipped {source}: {error}", err=True)
    if failed:
        echo(f"{len(sources) - failed} of {len(sources)} sources were read", err=True)
    return 1 if failed else 0


class SourceReader:
    """Reads sources and prints a line for each document.

    ``put`` is called with each memory, to add it to a shelf. With ``recall``, a document that was read before in any
    way is not read again.
    """

    def __init__(
        self,
        agent: ReadAgent,
        library: Library,
        title: str,
        as_json: bool,
        flags: dict[str, Any],
        *,
        put: Callable[..., Card] | None = None,
        recall: bool = False,
    ) -> None:
        self._agent, self._library, self._title, self._as_json = agent, library, title, as_json
        self._put, self._recall = put, recall
        self._as_one = flags["as_one"]
        self._how = {"include": flags["include"], "exclude": flags["exclude"], "whole": flags["whole"],
                     "format": flags["as_format"] or "", "allow_private": flags["allow_private"]}  # fmt: skip
        self._usual = not (flags["as_one"] or flags["as_format"] or flags["whole"])  # as `ask FILE` loads a file
        self._progress = Progress()

    def read(self, source: str) -> None:
        """Read a source; raise LoadError if nothing in it can be read."""
        folder = is_folder(source)
        if folder and self._title and not self._as_one:
            raise click.UsageError("--title requires --as-one for a folder.")
        skipped, files = list[Skipped](), 0
        loading = load_all(source, **self._how, progress=self._about)
        if folder and self._as_one:
            volume = combine(source, _noting(loading, skipped))
            files = int(volume.metadata["files"])
            self.take(volume, source)
        else:
            for item in _noting(loading, skipped):
                if isinstance(item, Loaded):
                    self.take(item.document, item.source)
                    files += 1
        self._progress.clear()
        if folder and files + len(skipped) > 1:
            report_folder(source, files, skipped)
        if not files:
            only = skipped[0] if len(skipped) == 1 else Skipped(source, f"no file in {source} could be read")
            raise LoadError(only.reason, hint=only.hint)

    def _about(self, number: int, of: int, name: str) -> None:
        """Start the progress line of the next file."""
        self._progress.clear()
        self._progress = Progress(label=f"{number} of {of}: {name}" if of > 1 else "")
        if of > 1:
            self._progress.show()

    def take(self, document: Document, source: str) -> None:
        """Read a document and print the result."""
        titled = replace(document, title=self._title) if self._title else document
        named = with_additions(titled, self._library, report=True)
        before, earlier = self._library.row(named.id), self._library.beginning(named)
        shorter = self._agent.recall(earlier, merge=False) if earlier is not None else None
        if (before is None or before.state != "done") and earlier is None and named.words:
            self._progress.clear()
            announcement_of(self._agent)()
            window = Window(self._agent.window())
            print_estimate(named, self._agent.plan_for(named), window, self._agent.settings)
        with self._progress as progress:
            known = self._agent.recall(named.id, listen=progress) if self._recall else None
            memory = known or self._agent.read(named, listen=progress)
            self._library.add(named, current=True)
            if self._usual and document.source:
                remember_file(Path(document.source), named.id, self._library)
            if self._put is not None:
                self._put(memory, listen=progress)
        if before is not None and _is_copy(before, named) and not memory.trace.calls:
            echo(f"{source}: same text as {_called(before)}; not read again", err=True)
        elif not self._as_json:
            version = self._version(named.id)
            echo(summary(memory) + (f", version {version}" if version > 1 else "") + self._grown(shorter, memory))
        if self._as_json:
            print_json({**memory_record(memory), "version": self._version(named.id)})
        report_warnings(memory.warnings)
        report_fallbacks(memory.trace.fallbacks)
        suggest_retry(source, memory)

    def _grown(self, shorter: GistMemory | None, memory: GistMemory) -> str:
        """Return what was new in a file that has grown, if only that was read."""
        if shorter is None or self._library.row(shorter.document.id) is not None:
            return ""
        return f"; the file has grown: {growth(shorter, memory.whole)}"

    def _version(self, document_id: str) -> int:
        row = self._library.row(document_id)
        return 1 if row is None else row.version


def _noting(items: Iterable[Loaded | Skipped], skipped: list[Skipped]) -> Iterator[Loaded | Skipped]:
    """Yield the same items, and collect those that were skipped."""
    for item in items:
        if isinstance(item, Skipped):
            skipped.append(item)
        yield item


def _is_copy(known: DocumentRow, document: Document) -> bool:
    """Whether the same text was read before from another place."""
    return known.state == "done" and "" not in (known.source, document.source) and known.source != document.source


def _called(row: DocumentRow) -> str:
    return row.name if row.name == row.file_name else f"{row.name} ({row.file_name})"
