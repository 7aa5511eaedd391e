"""`readagent corpus`: many documents, read by many workers, and asked together."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path, PurePath
from shlex import quote
from typing import Any

import click

from readagent.cli.completing import complete_file
from readagent.cli.corpus_reading import Effort, read_corpus, report
from readagent.cli.documents import existing_library, library_of
from readagent.cli.groups import NearestGroup
from readagent.cli.options import JSON, YES, agent_options, plan_of, settings_of
from readagent.cli.output import counted, json_text, print_json
from readagent.cli.screen import echo
from readagent.cli.shelf_answer import ask_shelf, shelf_question_options
from readagent.cli.skipped import SkippedFiles
from readagent.cli.start import settings_with_model
from readagent.cli.writing import may_remove, output_options, refuse_sources, write_file
from readagent.core.document import Document
from readagent.corpus import Corpus, SourceRow
from readagent.corpus.archives import INSIDE, TWICE
from readagent.corpus.corpus import NAME
from readagent.errors import UsageError
from readagent.library import Library
from readagent.library.corpora import TRIES
from readagent.records import record
from readagent.records.corpora import CorpusDocument, FailureRecord, GistOfPage, corpus_status

_COUNT = click.IntRange(1)


def _checked_name(context: click.Context, option: click.Parameter, name: str | None) -> str:
    """Return the name of a corpus, empty if none is given; an empty one that is given may be an unset variable."""
    if name is not None and not name.strip():
        raise UsageError("--corpus is empty", hint="give the name of a corpus, or leave the option out")
    return name or ""


_CORPUS = click.option(
    "--corpus", "name", metavar="NAME", callback=_checked_name, help="The corpus; not needed if there is one."
)


@click.group(
    cls=NearestGroup,
    name="corpus",
    epilog="""\b
Examples:
  readagent corpus read contracts/ --model openai/gpt-4.1-mini --max-cost 50
  readagent corpus status
  readagent corpus ask "Which contracts end in 2027?"
""",
)
def command() -> None:
    """Read many documents with many workers, on one machine or a Ray cluster, and ask all of them."""


@command.command(
    epilog="""\b
Examples:
  readagent corpus read contracts/ --include '*.pdf'
  readagent corpus read reports.zip list.jsonl --corpus reports
  readagent corpus read s3://archive/1998/ --ray ray://head:10001
  readagent corpus read letters/ --ray local --workers 4
  readagent corpus read

Documents that were read are not read again. Without SOURCE, it goes on with what is left.
"""
)
@click.argument("sources", nargs=-1, metavar="[SOURCE]...", shell_complete=complete_file)
@click.option("--corpus", "name", metavar="NAME", callback=_checked_name, help=f"Name of the corpus ({NAME}).")
@click.option("--include", multiple=True, metavar="GLOB", help="Read only files of folders that match; repeatable.")
@click.option("--exclude", multiple=True, metavar="GLOB", help="Skip files of folders that match; repeatable.")
@click.option("--ray", metavar="ADDRESS", help="Use the Ray cluster at this address; local starts one here.")
@click.option("--workers", type=_COUNT, metavar="N", help="Workers on Ray (one per processor).")
@click.option("--all-parallel", type=_COUNT, metavar="N", help="Maximum concurrent calls of all workers together.")
@click.option("--at-once", type=_COUNT, metavar="N", help="Documents that a worker reads at once (twice --parallel).")
@click.option(
    "--tries", type=_COUNT, default=TRIES, metavar="N", help=f"Set a document aside after N failures ({TRIES})."
)
@agent_options
@JSON
def read(
    sources: tuple[str, ...], name: str, include: tuple[str, ...], exclude: tuple[str, ...], ray: str | None,
    workers: int | None, all_parallel: int | None, at_once: int | None, tries: int, as_json: bool, **flags: Any,
) -> int:  # fmt: skip
    """Read the documents of a corpus, and keep their gists.

    SOURCE is a folder, a file, an archive (.zip, .tar), a manifest (.jsonl, .csv or .parquet with a column `path` or
    `url`; the other columns are metadata), a web address, or a folder in a store (s3://, gs://, az://).

    The list of documents is kept in the library. A command that is stopped, or whose machine fails, goes on when it is
    run again; several may work on one corpus. A document that cannot be read is set aside with its reason, and the
    exit code is 1. --max-tokens and --max-cost limit the corpus as a whole; --requests-per-minute and
    --tokens-per-minute limit all workers of this command together.
    """
    for option, value in (("--workers", workers), ("--all-parallel", all_parallel)):
        if value is not None and not ray:
            raise UsageError(f"{option} is for Ray", hint="add --ray local, or --ray ADDRESS")
    settings = settings_with_model(flags)
    with library_of(settings) if sources else existing_library(settings) as library:
        corpus = Corpus(library, name or NAME) if sources else _found(library, name)
        if sources:
            skipped = SkippedFiles(read={TWICE})
            added = corpus.add(*sources, include=include, exclude=exclude, on_skip=skipped)
            echo(f"{counted(added, 'new or changed document')} in the corpus {corpus.name}", err=True)
            skipped.report()
        effort = Effort(at_once, tries, ray or "", workers, all_parallel)
        read_corpus(corpus, settings, plan_of(flags, settings), effort)
        progress = corpus.progress()
    if as_json:
        print_json(corpus_status(corpus.name, progress))
    else:
        report(corpus.name, progress)
    if progress.set_aside:
        echo(f"to see them: readagent corpus status --set-aside{_named(name)}", err=True)
    return int(progress.set_aside > 0 or progress.left > 0)


@command.command(epilog="\b\nExamples:\n  readagent corpus status\n  readagent corpus status --set-aside --json")
@_CORPUS
@click.option("--set-aside", is_flag=True, help="List the documents that were set aside, with their reasons.")
@JSON
def status(name: str, set_aside: bool, as_json: bool) -> None:
    """Show how many documents were read, what was spent, and what failed."""
    with existing_library(settings_of({})) as library:
        if not name and len(library.corpora.all()) > 1 and not set_aside:
            corpora = [Corpus(library, row.name) for row in library.corpora.all()]
        else:
            corpora = [_found(library, name)]
        for corpus in corpora:
            if set_aside:
                for row in corpus.sources(state="set aside"):
                    _show_failure(row, as_json)
            elif as_json:
                print_json(corpus_status(corpus.name, corpus.progress()))
            else:
                report(corpus.name, corpus.progress())


def _show_failure(row: SourceRow, as_json: bool) -> None:
    if as_json:
        print_json(record(FailureRecord, row))
    else:
        reason = row.reason if row.source in row.reason else f"{row.source}: {row.reason}"
        echo(f"{reason} ({row.kind}, {'tried once' if row.tries == 1 else f'{row.tries} tries'})")


@command.command(epilog="\b\nExamples:\n  readagent corpus retry\n  readagent corpus retry --kind LoadError")
@_CORPUS
@click.option("--kind", default="", metavar="NAME", help="Only documents that failed with this kind of error.")
def retry(name: str, kind: str) -> None:
    """Let documents that were set aside wait again; `corpus read` reads them."""
    with existing_library(settings_of({})) as library:
        corpus = _found(library, name)
        count = corpus.retry(kind=kind)
    echo(f"{counted(count, 'document')} will be tried again")
    if count:
        echo(f"now run: readagent corpus read{_named(corpus.name)}", err=True)


@command.command(
    epilog="""\b
Examples:
  readagent corpus ask "Who pays for repairs?"
  readagent corpus ask "Which ends first?" --compare --corpus contracts
"""
)
@click.argument("question")
@_CORPUS
@shelf_question_options
def ask(question: str, name: str, **flags: Any) -> None:
    """Ask the documents of a corpus. A search finds documents, the model chooses among them, then opens pages."""
    with existing_library(settings_of({})) as library:
        shelf = library.shelves.named(library.corpora.find(name).shelf)
    ask_shelf(shelf, question, flags)


@command.command(
    epilog="\b\nExamples:\n  readagent corpus export -o contracts.jsonl\n  readagent corpus export | jq .title"
)
@_CORPUS
@output_options("Write to this file instead of standard output.")
def export(name: str, output: Path | None) -> None:
    """Write a line of JSON for each document.

    Each document that was read has its source, metadata, title, card, pages and gists.
    """
    with existing_library(settings_of({})) as library:
        corpus = _found(library, name)
        if output is None:
            for one in _documents(corpus):
                print_json(one)
            return
        refuse_sources(library, "")
        if _is_source(output.resolve(), corpus):
            raise UsageError(f"{output} is a source of this corpus", hint="write to another file")
        write_file(output, (f"{json_text(one)}\n".encode() for one in _documents(corpus)))


@command.command(epilog="\b\nExamples:\n  readagent corpus remove\n  readagent corpus remove --corpus contracts --yes")
@_CORPUS
@YES
def remove(name: str, yes: bool) -> None:
    """Remove the list of documents of a corpus.

    What failed and what was spent is forgotten, too. The documents that were read stay in the library, and on the
    shelf of the same name.
    """
    with existing_library(settings_of({})) as library:
        corpus = _found(library, name)
        if not may_remove(f"the corpus {corpus.name}", counted(corpus.progress().total, "document"), yes=yes):
            return
        library.corpora.remove(corpus.row)
    echo(f"removed the corpus {corpus.name}")


def _is_source(path: Path, corpus: Corpus) -> bool:
    """Whether a file is a source of a corpus, an archive with some, or a manifest that lists some."""
    name = str(path)
    if name in corpus.library.corpora.manifests(corpus.row):
        return True
    return any(row.source == name or row.source.startswith(f"{name}{INSIDE}") for row in corpus.sources())


def _documents(corpus: Corpus) -> Iterator[CorpusDocument]:
    library = corpus.library
    for row in corpus.sources(state="done"):
        memory = library.memory(row.document)
        if memory is None:  # it was removed from the library
            continue
        card = library.shelves.card(row.document, memory.whole.key)
        title, metadata = _own(row, memory.document, library)
        pairs = zip(memory.whole.pages, memory.whole.gists, strict=True)
        pages = [GistOfPage(page.start, page.end, gist.text) for page, gist in pairs]
        yield CorpusDocument(row.source, row.document, title, metadata, card.text if card is not None else "", pages)


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


def _found(library: Library, name: str) -> Corpus:
    """Return the corpus of this name, or the only one."""
    return Corpus(library, library.corpora.find(name).name)


def _named(name: str) -> str:
    return f" --corpus {quote(name)}" if name and name != NAME else ""
