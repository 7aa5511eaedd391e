"""Shelves on the command line: add documents, export them, and make their summaries."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path, PurePath
from typing import Any

import click

from readagent.cli.agents import agent_for
from readagent.cli.options import says_how_to_read
from readagent.cli.output import counted, json_text, print_json
from readagent.cli.overviews import Heading, paragraphs, report_made, show
from readagent.cli.progress import Progress
from readagent.cli.screen import echo, style
from readagent.cli.writing import refuse_sources, write_file
from readagent.core.document import Document
from readagent.core.memory import GistMemory
from readagent.core.overviews.shelf_summary import ShelfSummary
from readagent.errors import UsageError
from readagent.export.markdown import as_shelf_markdown
from readagent.filling import Filling, SourceRow
from readagent.filling.archives import INSIDE
from readagent.library import KeptAnswer, Library
from readagent.library.corpus_rows import with_title_of
from readagent.library.pack import to_json
from readagent.records.answers import shelf_answer_record
from readagent.records.filling import GistOfPage, ShelfDocument
from readagent.records.overviews import shelf_summary_record
from readagent.sync import ReadAgent, Shelf


@contextmanager
def shelf_to_fill(name: str, agent: ReadAgent, library: Library) -> Iterator[Shelf]:
    """Yield the shelf of this name; then say on standard error how many documents it has, and whether it is new."""
    if not name.strip():
        raise UsageError("the name of the shelf is empty", hint="see the shelves: readagent shelf list")
    shelf = Shelf(agent, name)
    before = _documents(shelf, library)
    yield shelf
    after = _documents(shelf, library)
    if after is not None:
        new = "new " if before is None else ""
        echo(f"{counted(after, 'document')} on the {new}shelf {shelf.name}", err=True)


def _documents(shelf: Shelf, library: Library) -> int | None:
    """Return how many documents are on the shelf; None if it does not exist."""
    if not library.exists():
        return None
    name = shelf.name.casefold()
    return next((row.documents for row in library.shelves.all() if row.name.casefold() == name), None)


_LONGEST = 80  # characters of a file name, without its suffix
_UNSAFE = re.compile(r"[^\w.()-]+")
Write = Callable[[GistMemory, Sequence[KeptAnswer]], bytes]


def export_shelf(name: str, library: Library, folder: Path, write: Write, suffix: str) -> None:
    """Write each document of a shelf into a folder, and the answers from the shelf as JSON or Markdown.

    A document that is being read again has no memory, and is named.
    """
    found = library.shelves.find(name).name
    cards = library.shelves.cards(found)
    if not cards:
        raise UsageError(f"there are no documents on the shelf {found}", hint=f"readagent shelf add {found} FILE")
    files: dict[Path, bytes] = {}
    missing: list[str] = []
    for card in cards:
        memory = library.memory(card.document)
        if memory is None:
            missing.append(card.title)
            continue
        data = write(with_title_of(card, memory), library.answers_to(memory))
        files[_free(folder, card.title or card.document, suffix, files)] = data
    if answers := library.shelves.answers(found):
        as_json = suffix == ".json"
        records = [shelf_answer_record(kept) for kept in reversed(answers)]
        data = to_json(records) if as_json else as_shelf_markdown(found, answers).encode()
        files[_free(folder, "answers", suffix if as_json else ".md", files)] = data
    for file in files:
        refuse_sources(library, "", file)
    _make(folder)
    for file, data in files.items():
        write_file(file, data)
    if missing:
        echo(f"note: {counted(len(missing), 'document')} not read completely: {'; '.join(missing)}", err=True)


def _make(folder: Path) -> None:
    try:
        folder.mkdir(exist_ok=True)
    except FileExistsError:
        raise UsageError(f"{folder} is not a folder", hint="with --shelf, -o names a folder") from None
    except OSError as error:
        raise UsageError(f"cannot make {folder}: {(error.strerror or str(error)).lower()}") from None


def _free(folder: Path, title: str, suffix: str, taken: dict[Path, bytes]) -> Path:
    """Return a file named after a title that no other document has, also where names have no capital letters."""
    stem = _UNSAFE.sub("-", title).strip("-. ")[:_LONGEST].rstrip("-. ") or "document"
    names = {path.name.casefold() for path in taken}
    number = 1
    while f"{(name := stem if number == 1 else f'{stem}-{number}')}{suffix}".casefold() in names:
        number += 1
    return folder / f"{name}{suffix}"


def export_to_one_file(library: Library, name: str, output: Path | None) -> None:
    """Write a line of JSON for each document of a shelf, to a file or standard output."""
    shelf = library.shelves.find(name)
    filling = Filling(library, shelf.name) if library.corpora.of(shelf.id) is not None else None
    if output is None:
        for one in _one_by_one(library, shelf.name, filling):
            print_json(one)
        return
    refuse_sources(library, "")
    if filling is not None and _is_source(output.resolve(), filling):
        raise UsageError(f"{output} is a source of this shelf", hint="write to another file")
    write_file(output, (f"{json_text(one)}\n".encode() for one in _one_by_one(library, shelf.name, filling)))


def _is_source(path: Path, filling: Filling) -> bool:
    """Whether a file is a source of a shelf, an archive with some, or a manifest that lists some."""
    name = str(path)
    if name in filling.library.corpora.manifests(filling.row):
        return True
    return any(row.source == name or row.source.startswith(f"{name}{INSIDE}") for row in filling.sources())


def _one_by_one(library: Library, shelf: str, filling: Filling | None) -> Iterator[ShelfDocument]:
    """Yield the documents of a shelf: those of its list, each with its source there, then the others."""
    listed = set[str]()
    for row in filling.sources(state="done") if filling is not None else ():
        memory = library.memory(row.document)
        if memory is not None:  # else it was removed from the library
            listed.add(row.document)
            yield _exported(memory, library, row.source, *_own(row, memory.document, library))
    for card in library.shelves.cards(shelf):
        memory = None if card.document in listed else library.memory(card.document)
        if memory is not None:
            document = memory.document
            yield _exported(memory, library, document.source, card.title, dict(document.metadata))


def _exported(memory: GistMemory, library: Library, source: str, title: str, metadata: dict[str, str]) -> ShelfDocument:
    card = library.shelves.card(memory.document.id, memory.whole.key)
    pairs = zip(memory.whole.pages, memory.whole.gists, strict=True)
    pages = [GistOfPage(page.start, page.end, gist.text) for page, gist in pairs]
    return ShelfDocument(source, memory.document.id, title, metadata, "" if card is None else card.text, pages)


def _own(row: SourceRow, document: Document, library: Library) -> tuple[str, dict[str, str]]:
    """Return the title and the metadata of a source, without those that other sources of the same text were given."""
    given = library.corpora.given(row.document)
    found = {
        name: value
        for name, value in {**document.metadata, "title": document.title}.items()
        if all(one.get(name) != value for one in given)
    }
    own = {**found, **row.metadata}
    title = own.pop("title", "") or PurePath(row.source).stem
    return title, own


_OF_A_DOCUMENT = {"chapter": "--chapter", "start": "--from", "end": "--to", "up_to": "--up-to", "whole": "--whole"}


def show_shelf_summary(name: str, flags: dict[str, Any], output: Path | None, *, as_json: bool, **wanted: Any) -> None:
    """Summarise the documents on a shelf, each and together, and print or write it."""
    given = [option for flag, option in _OF_A_DOCUMENT.items() if flags.pop(flag)]
    if given:
        raise click.UsageError(f"--shelf cannot be used with {given[0]}.")
    if says_how_to_read(flags) or flags["task"]:
        raise click.UsageError("--shelf cannot be used with options for reading; give these to `readagent shelf add`.")
    check, retry = flags.pop("check"), flags.pop("retry")
    with agent_for(flags, existing=True) as (agent, library):
        shelf = Shelf(agent, library.shelves.find(name).name)
        with Progress(doing="going through the documents") as progress:
            made = shelf.summary(check=check, retry=retry, listen=progress, **wanted)
    report_made(made, ())
    show(made.whole, _lines(made), shelf_summary_record(shelf.name, made), None, output, as_json)


def _lines(made: ShelfSummary) -> list[str]:
    """Return the summary of all documents, then that of each under its title."""
    parts = [] if len(made.documents) == 1 else [("All documents", made.whole)]
    parts += [(card.heading, summary) for card, summary in made.documents]
    lines: list[str] = []
    for title, summary in parts:
        lines += [Heading(style(f"# {title}", bold=True)), "", *paragraphs(summary), ""]
    return lines[:-1]
