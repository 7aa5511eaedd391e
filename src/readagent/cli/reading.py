"""Reading the sources of `read` and `shelf add`: many documents at once, and a line for each when it is finished."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, islice
from pathlib import Path
from typing import Any

import click

from readagent.cli.agents import announcement_of, report_small_window
from readagent.cli.documents import remember_file, with_additions
from readagent.cli.documents_progress import DocumentsProgress
from readagent.cli.groups import hint_of
from readagent.cli.offline import report_text_language
from readagent.cli.output import (
    counted,
    growth,
    print_json,
    report_fallbacks,
    report_loading,
    report_spent,
    report_warnings,
    summary,
)
from readagent.cli.retrying import suggest_retry
from readagent.cli.screen import echo, echo_line
from readagent.cli.skipped import report_folder
from readagent.core.document import Document
from readagent.core.memory import GistMemory
from readagent.core.trace import Call
from readagent.core.window import Window
from readagent.errors import LoadError, NotInLibraryError, ReadAgentError
from readagent.library import DocumentRow, Library
from readagent.loaders import Loaded, Skipped, combine, is_folder, load_all
from readagent.records.documents import FailedSource, memory_record
from readagent.sync import ReadAgent, Shelf

_COUNTED = 200  # files of a folder that are loaded before the first of them is read
Load = Callable[[str], Iterable[Loaded | Skipped]]


@dataclass(slots=True)
class _Source:
    """What the user named, and what became of the documents in it."""

    name: str
    folder: bool
    files: int = 0
    read: int = 0
    total: int = 0
    skipped: list[Skipped] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class _Opened:
    """A document that is being read, with what the library knew about it before."""

    document: Document
    id: str
    name: str
    source: _Source
    file: str
    before: DocumentRow | None
    shorter: GistMemory | None
    copy: bool


class SourceReader:
    """Reads sources and prints a line for each document as soon as it is finished.

    With a ``shelf``, documents are added to it, as texts of this ``kind``. With ``recall``, a document that was read
    before in any way is not read again.
    """

    def __init__(
        self,
        agent: ReadAgent,
        library: Library,
        title: str,
        as_json: bool,
        flags: dict[str, Any],
        *,
        shelf: Shelf | None = None,
        kind: str = "",
        recall: bool = False,
    ) -> None:
        self._agent, self._library, self._title, self._as_json = agent, library, title, as_json
        self._shelf, self._kind, self._recall = shelf, kind, recall
        self._as_one = flags["as_one"]
        self._how = {name: flags[name] for name in ("include", "exclude", "whole", "allow_private")}
        self._how |= {"format": flags["as_format"] or "", "ocr": flags["ocr"] or ""}
        special = any(flags[name] for name in ("as_one", "as_format", "whole", "ocr"))
        self._usual = not special  # as `ask FILE` loads a file
        self._progress = DocumentsProgress()
        self._open: dict[int, _Opened] = {}
        self._sources: list[_Source] = []
        self._failed = 0
        self._announced = False
        self._calls: list[Call] = []

    def read(self, names: Sequence[str], load: Load | None = None) -> int:
        """Read all sources and return the exit code. ``load`` loads a source, by default as ``self.load`` does.

        What cannot be read is reported, and the others are read. If there is nothing else, the error is raised.
        """
        self._progress.expected = len(names)
        documents = self._documents(names, load or self.load)
        recall, listen = self._recall, self._progress
        if self._shelf is None:
            finished = self._agent.read_all(documents, recall=recall, listen=listen)
        else:
            finished = self._shelf.add_all(documents, kind=self._kind, recall=recall, listen=listen)
        try:
            with self._progress:
                for document, result in finished:
                    opened = self._open.pop(id(document))
                    self._progress.close(document, failed=isinstance(result, ReadAgentError))
                    if isinstance(result, ReadAgentError):
                        self._fail(opened, result)
                    else:
                        self._finish(opened, result)
        except ReadAgentError:
            self._report_unfinished()
            raise
        return self._report()

    def load(self, name: str) -> Iterator[Loaded | Skipped]:
        """Load the documents of a path, a URL or standard input."""
        loading = load_all(name, **self._how, progress=self._about)
        if not is_folder(name):
            yield from loading
            return
        if not self._as_one:
            if self._title:
                raise click.UsageError("--title requires --as-one for a folder.")
            yield from loading
            return
        skipped = list[Skipped]()
        volume = combine(name, _noting(loading, skipped))
        yield from skipped
        yield Loaded(volume, name)

    def _about(self, number: int, of: int, name: str) -> None:
        """Note how many files there are, and that one is being loaded."""
        if number == 1 and not self._as_one:
            self._sources[-1].total = of
            self._progress.expected += of - 1
        self._progress.load(name)

    def _documents(self, names: Sequence[str], load: Load) -> Iterator[Document]:
        """Yield the documents of all sources; those that cannot be loaded are told."""
        for name in names:
            source = _Source(name, is_folder(name))
            self._sources.append(source)
            try:
                for item in self._told(load(name), source):
                    if isinstance(item, Skipped):
                        source.skipped.append(item)
                        self._progress.expected -= bool(source.folder and not self._as_one)
                    else:
                        yield self._opened(item, source)
                if not source.files:
                    raise _nothing_in(source)
            except (LoadError, NotInLibraryError) as error:
                self._skip(source, error, only=len(names) == 1)

    def _told(self, items: Iterable[Loaded | Skipped], source: _Source) -> Iterator[Loaded | Skipped]:
        """Yield the items; of a folder, on a terminal, say first how much there is to read, and what that takes."""
        items = iter(items)
        if not source.folder or self._as_one or sys.stderr is None or not sys.stderr.isatty():
            return items
        first = list(islice(items, _COUNTED))
        found = [one.document for one in first if isinstance(one, Loaded)]
        rows = [(one, self._library.row(one.id)) for one in found]
        unread = [one for one, row in rows if row is None or row.state != "done"]
        files = source.total - (len(first) - len(found))
        if len(found) > 1:
            from readagent.cli.commands.estimate import print_folder

            plan, settings = self._agent.plan, self._agent.settings
            with self._progress.aside():
                window = Window(self._agent.window() if unread else None)
                self._progress.words += print_folder(source.name, files, found, unread, plan, window, settings)
        return chain(first, items)

    def _skip(self, source: _Source, error: ReadAgentError, *, only: bool) -> None:
        if only:
            with self._progress.aside():
                self._report_folder(source)
            raise error
        self._progress.expected -= 1
        with self._progress.aside():
            echo_line(f"skipped {source.name}: {error}", err=True)

    def _opened(self, item: Loaded, source: _Source) -> Document:
        """Return the document to read, and note what the library knows about it now."""
        titled = replace(item.document, title=self._title) if self._title else item.document
        with self._progress.aside():
            document = with_additions(titled, self._library, report=True)
        source.files += 1
        if source.folder and self._as_one:
            source.files = int(document.metadata["files"])
        name = document.id
        before, earlier = self._library.row(name), self._library.beginning(document)
        shorter = self._agent.recall(earlier) if earlier is not None else None
        copy = any(other.id == name for other in self._open.values())
        if (before is None or before.state != "done") and earlier is None and document.words:
            with self._progress.aside():
                self._announce(document)
        opened = _Opened(document, name, item.source, source, item.document.source, before, shorter, copy)
        self._open[id(document)] = opened
        self._progress.open(document, item.source)
        return document

    def _announce(self, document: Document) -> None:
        """Say what is to be known before a document is read; most of it before the first one only."""
        announcement_of(self._agent)()
        if not self._announced:
            report_small_window(self._agent.settings, self._agent.window())
        self._announced = True
        if self._progress.single:
            from readagent.cli.commands.estimate import print_estimate

            window = Window(self._agent.window())
            print_estimate(document, self._agent.plan_for(document), window, self._agent.settings)

    def _finish(self, opened: _Opened, memory: GistMemory) -> None:
        """Keep where the document was found, and print the result."""
        document, before = opened.document, opened.before
        self._library.add(document, current=True)
        if self._usual and opened.file:
            remember_file(Path(opened.file), opened.id, self._library)
        version = self._library.version(document)
        known = self._library.row(opened.id) if opened.copy else before
        opened.source.read += 1
        self._calls += memory.trace.calls
        with self._progress.aside():
            if known is not None and _is_copy(known, document) and not memory.trace.calls:
                echo_line(f"{opened.name}: same text as {_called(known)}; not read again", err=True)
            elif not self._as_json:
                later = f", version {version}" if version > 1 else ""
                echo_line(summary(memory) + later + self._grown(opened.shorter, memory))
            if self._as_json:
                print_json(memory_record(memory), version=version)
            about = "" if self._progress.single else opened.name
            if self._progress.single:
                report_spent(memory.trace.calls)
            report_loading(document, about)
            if self._agent.is_local:
                report_text_language(document.text, about)
            report_warnings(memory.warnings, about)
            report_fallbacks(memory.trace.fallbacks, about)
            suggest_retry(opened.name, memory)

    def _fail(self, opened: _Opened, error: ReadAgentError) -> None:
        """Tell that a document could not be read; raise the error if it is the only one."""
        if self._progress.single:
            raise error
        self._failed += 1
        with self._progress.aside():
            if self._as_json:
                print_json(FailedSource(opened.name, str(error), hint_of(error)))
            echo_line(f"failed {opened.name}: {error}", err=True)

    def _grown(self, shorter: GistMemory | None, memory: GistMemory) -> str:
        """Return what was new in a file that has grown, if only that was read."""
        if shorter is None or self._library.row(shorter.document.id) is not None:
            return ""
        return f"; the file has grown: {growth(shorter, memory.whole)}"

    def _report(self) -> int:
        """Report on folders and on what was left out, and return the exit code."""
        for source in self._sources:
            if source.files:
                self._report_folder(source)
        read = sum(source.read > 0 for source in self._sources)
        if read < len(self._sources):
            echo(f"{read} of {len(self._sources)} sources were read", err=True)
        if not self._progress.single:
            report_spent(self._calls)
        return 1 if self._failed or read < len(self._sources) else 0

    def _report_unfinished(self) -> None:
        """Report how many files of folders were read before an error that ends the command."""
        for source in self._sources:
            if source.total > 1 and source.files:
                echo_line(f"{source.name}: {source.read:,} of {counted(source.total, 'file')} read", err=True)

    def _report_folder(self, source: _Source) -> None:
        if source.folder and source.files + len(source.skipped) > 1:
            read = source.files if self._as_one else source.read
            report_folder(source.name, read, source.skipped, source.files - read)


def _nothing_in(source: _Source) -> LoadError:
    only = source.skipped[0] if len(source.skipped) == 1 else None
    return LoadError(only.reason if only else f"no file in {source.name} could be read", hint=only.hint if only else "")


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
