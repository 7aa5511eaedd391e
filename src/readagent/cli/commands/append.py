"""`readagent append`: add text to a document; only the new text is read."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from queue import Empty, SimpleQueue
from shlex import quote
from typing import Any

import click

from readagent.cli.agents import agent_for
from readagent.cli.completing import complete_document, complete_file
from readagent.cli.options import FORMAT, JSON, WHOLE, budget_options, model_options
from readagent.cli.output import growth, print_json, report_fallbacks, report_loading, report_spent
from readagent.cli.progress import Progress
from readagent.cli.screen import echo
from readagent.core.document import Document
from readagent.core.memory import GistMemory
from readagent.core.pages.growing import extend, lengthen
from readagent.core.trace import Call
from readagent.errors import NotInLibraryError
from readagent.library import Library
from readagent.loaders import load
from readagent.memories import Memories
from readagent.records import plain
from readagent.records.documents import growth_record, memory_record
from readagent.sync import ReadAgent


@click.command(
    epilog="""\b
Examples:
  readagent append diary.txt tonight.txt
  readagent append diary.txt --text "Saturday. The ferry did not come."
  grep ERROR server.log | readagent append errors.log -
  some-live-transcriber | readagent append "Monday meeting" - --follow

If the file itself has grown, use `readagent read FILE`: it reads the new part.
"""
)
@click.argument("document", shell_complete=complete_document)
@click.argument("source", required=False, shell_complete=complete_file)
@click.option("--text", metavar="TEXT", help="Add this text instead of a SOURCE.")
@click.option("--follow", is_flag=True, help="Read lines from standard input as they come, until it ends or Ctrl-C.")
@click.option("--recent", type=click.IntRange(0), metavar="N", help="Shorten the gists of all but the newest N pages.")
@WHOLE
@FORMAT
@model_options
@budget_options
@JSON
def command(
    document: str, source: str | None, text: str | None, follow: bool, recent: int | None, whole: bool,
    as_format: str | None, as_json: bool, **flags: Any,
) -> None:  # fmt: skip
    """Add text to a document in the library, such as a conversation, a log or a live transcript.

    DOCUMENT is the title, file name or id of a document in the library. SOURCE is a file, a URL, or - for standard
    input. Only the new text is read; all pages but the last stay as they are. With --follow, a page is read whenever
    one is full; text that does not fill a page is kept in the library unread.
    """
    if (source is None) == (text is None):
        raise click.UsageError("Give either SOURCE or --text.")
    if follow and source != "-":
        raise click.UsageError("--follow requires - for standard input.")
    calls = list[Call]()
    with agent_for(flags, existing=True) as (agent, library):
        before = _memory(document, agent, library)
        if recent is not None:
            before = replace(before, plan=replace(before.plan, recent=recent))
        if follow:
            after = _followed(before, agent, library, calls)
        else:
            more = text if text is not None else _loaded(source or "-", whole, as_format or "")
            with Progress() as progress:
                after = before if _is_there(before, more, source) else agent.append(before, more, listen=progress)
            calls += after.trace.calls if after is not before else ()
    name = after.document.title or document
    if as_json:
        print_json(memory_record(after), **plain(growth_record(before, after)))
    elif after.document.text == before.document.text:
        echo(f"{name}: nothing new")
    else:
        echo(f"{name}: {growth(before, after)}")
    if after is not before:
        report_spent(calls)
        report_fallbacks(after.trace.fallbacks)


def _loaded(source: str, whole: bool, as_format: str) -> Document:
    if source == "-":
        more = load(source, whole=whole, format=as_format)
    else:
        with Progress(doing=f"loading {source}"):
            more = load(source, whole=whole, format=as_format)
    report_loading(more)
    return more


def _memory(name: str, agent: ReadAgent, library: Library) -> GistMemory:
    """Return the memory of a document, before any pages are merged."""
    while True:
        try:
            row = library.find_document(name)
        except NotInLibraryError:
            if not Path(name).is_file():
                raise
            raise NotInLibraryError(
                f"{name} has not been read yet", hint=f"start with: readagent read {quote(name)}"
            ) from None
        task = row.tasks[0] if row.tasks and row.state != "done" else ""
        memory = agent.recall(row.id, task=task)
        if memory is not None or library.successor(row.id) is None:
            break  # otherwise another process has added to it since it was found
    if memory is None:
        raise NotInLibraryError(
            f"{name} has not been read completely", hint=f"continue with: readagent read {quote(name)}"
        )
    return memory


def _is_there(memory: GistMemory, more: str | Document, source: str | None) -> bool:
    """Whether the content of a file was added before."""
    text = more.text.strip() if isinstance(more, Document) and source != "-" else ""
    return bool(text) and memory.document.text.rstrip().endswith(text)


def _followed(memory: GistMemory, agent: ReadAgent, library: Library, calls: list[Call]) -> GistMemory:
    """Return the memory with all lines from standard input; an interruption loses none of them.

    The calls for them are added to ``calls``.
    """
    incoming, unread, before = Incoming(), list[str](), memory
    try:
        for unread in _shown(iter(incoming)):
            before = memory
            with Progress() as progress:
                memory = agent.append(before, "\n\n".join(unread), live=True, listen=progress)
            calls += memory.trace.calls
    except KeyboardInterrupt:  # at any moment: only the library knows whether the last lines were added
        known = lengthen(before.document, "\n\n".join(unread)).id
        kept = library.memory(library.successor(known) or known, task=memory.plan.task)
        unread = [*(unread if kept is None else []), *incoming.waiting()]
        return _with_unread(kept or memory, "\n\n".join(unread), library)
    return memory


def _shown(batches: Iterator[list[str]]) -> Iterator[list[str]]:
    """Yield the same lines, and show on a terminal that more are waited for, unless they are typed there."""
    if sys.stdin is not None and sys.stdin.isatty():
        yield from batches
        return
    while True:
        with Progress(doing="waiting for text"):
            batch = next(batches, None)
        if batch is None:
            return
        yield batch


def _with_unread(memory: GistMemory, text: str, library: Library) -> GistMemory:
    """Return the memory with a text that is kept at its end without asking the model."""
    while text:
        pinned = library.pinned(memory.document.id, task=memory.plan.task)
        grown = extend(memory, lengthen(memory.document, text), pinned)
        try:
            library.grow(memory.document.id, grown)
            return grown
        except NotInLibraryError:  # another process has added to it meanwhile
            newer = Memories(library).successor(memory)
            if newer is None:
                raise
            memory = newer
    return memory


class Incoming:
    """The lines of standard input in batches: all that have arrived, without waiting for more."""

    def __init__(self) -> None:
        self._lines: SimpleQueue[str | None] = SimpleQueue()
        threading.Thread(target=self._listen, name="incoming lines", daemon=True).start()

    def _listen(self) -> None:
        begun = b""
        try:
            for piece in _pieces():
                *lines, begun = (begun + piece).split(b"\n")
                for line in lines:
                    self._put(line)
            self._put(begun)
        finally:
            self._lines.put(None)

    def _put(self, line: bytes) -> None:
        self._lines.put(line.decode("utf-8", "replace").strip())

    def __iter__(self) -> Iterator[list[str]]:
        over = False
        while not over:
            batch = [self._lines.get(), *self._there()]
            over = None in batch
            if lines := [line for line in batch if line]:
                yield lines

    def waiting(self) -> list[str]:
        """Return the lines that have arrived and were not consumed yet."""
        return [line for line in self._there() if line]

    def _there(self) -> Iterator[str | None]:
        while True:
            try:
                yield self._lines.get_nowait()
            except Empty:
                return


def _pieces() -> Iterator[bytes]:
    """Yield standard input unbuffered: the lock of its buffer would block the end of the program."""
    try:
        number = sys.stdin.fileno()
    except (AttributeError, OSError, ValueError):  # there is none, or it is not a file
        if sys.stdin is not None:
            yield sys.stdin.buffer.read()
        return
    while piece := os.read(number, 1 << 16):
        yield piece
