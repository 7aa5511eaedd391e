"""Filling: the list of sources that fill a shelf, how far it is read, and reading the rest."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from datetime import timedelta
from itertools import chain, islice
from pathlib import Path

from readagent.agent import AsyncReadAgent
from readagent.errors import NotInLibraryError, UsageError
from readagent.filling.archives import OnSkip, ignore_skipped
from readagent.filling.sources import check, entries, gone_from, manifest_of
from readagent.filling.worker import Worker
from readagent.library import Library
from readagent.library.corpora import BATCH, TRIES
from readagent.library.corpus_rows import CorpusRow, Entry, FailedKind, Progress, SourceRow, WorkerRow
from readagent.loaders import Skipped
from readagent.options import opened_library

_WINDOWS = (timedelta(minutes=5), timedelta(hours=1))  # in which the pace is measured: the first, if enough ended in it
_ENOUGH = 10  # documents
_LEAST = timedelta(seconds=2)
GONE = "the file is gone; what was read of it is kept"


class Filling:
    """The sources that fill the shelf of this name in a library; adding the first one creates the shelf.

    Several processes, on several machines if the library is on PostgreSQL, may read them at once: each source is read
    by one of them.
    """

    def __init__(self, library: Library | str | Path, shelf: str) -> None:
        self.library = opened_library(library)
        self.name = " ".join(shelf.split())
        if not self.name:
            raise UsageError("a shelf needs a name", hint='for example Filling(library, "contracts")')

    def __repr__(self) -> str:
        return f"<Filling {self.name!r}>"

    @property
    def row(self) -> CorpusRow:
        """The list in the library; NotInLibraryError is raised if the shelf has none."""
        return self.library.corpora.find(self.name)

    def add(
        self,
        *sources: str | Path,
        include: Sequence[str] = (),
        exclude: Sequence[str] = (),
        on_skip: OnSkip = ignore_skipped,
    ) -> int:
        """Add sources; return how many documents are new or have changed. Adding them again changes nothing else.

        A source is a folder, a file, an archive (.zip, .tar), a manifest (.jsonl, .csv or .parquet, with the path or
        URL and the metadata of each document), a web address, or a place in a store (``s3://bucket/folder``).
        ``include`` and ``exclude`` are patterns for the files of folders, such as ``*.pdf``. ``on_skip``
        is called for each file of an archive that is skipped, each subfolder that cannot be opened, each source that a
        manifest repeats, and each file that was read and is gone now, with the reason. Nothing is loaded yet.
        """
        for one in sources:  # nothing is added if one of them is wrong
            check(str(one))
        each = (
            chain(entries(str(one), include=include, exclude=exclude, on_skip=on_skip), self._gone_from(str(one)))
            for one in sources
        )
        added = self.add_entries(chain.from_iterable(each), on_skip=on_skip)
        for path in filter(None, map(manifest_of, map(str, sources))):
            self.library.corpora.add_manifest(self.row, str(path))
        return added

    def add_entries(self, given: Iterable[Entry], *, on_skip: OnSkip = ignore_skipped) -> int:
        """Add documents, each a path or URL with its metadata; return how many are new or have changed.

        What was read of a file that is ``missing`` is kept, and ``on_skip`` is called with it.
        """
        corpora, rest = self.library.corpora, iter(given)
        first = list(islice(rest, BATCH))  # an error in them comes before the shelf is created
        row = corpora.open(self.name)
        return corpora.add(row, chain(first, rest), on_gone=lambda source: on_skip(Skipped(source, GONE)))

    def _gone_from(self, source: str) -> Iterator[Entry]:
        """Yield the documents that were read from a folder and are not there now."""
        with suppress(NotInLibraryError):  # nothing was read yet
            yield from gone_from(source, self.sources(state="done"))

    def progress(self) -> Progress:
        """Return how many documents were read, what was spent, and how many failed for which kind of error."""
        return self.library.corpora.progress(self.row)

    def failures(self) -> list[FailedKind]:
        """Return each kind of error with which sources failed, with their number and one of them."""
        return self.library.corpora.failed_kinds(self.row)

    def workers(self) -> list[WorkerRow]:
        """Return the workers that have claimed sources: those that read them now, and those that are gone."""
        return self.library.corpora.workers(self.row)

    def sources(self, *, state: str = "") -> Iterator[SourceRow]:
        """Yield the sources, in the order in which they were added: all, or those in one state."""
        return self.library.corpora.each(self.row, state=state)

    def seconds_left(self) -> int | None:
        """Return how long the rest takes at the pace of the last minutes; None if too little ended in them."""
        corpora, row = self.library.corpora, self.row
        for window in _WINDOWS:
            ended, passed = corpora.ended_within(row, window)
            if ended >= _ENOUGH:
                break
        if ended < 2 or passed < _LEAST:
            return None
        return round(corpora.progress(row).left * passed.total_seconds() / (ended - 1))

    def retry(self, *, kind: str = "") -> int:
        """Let sources that failed or were set aside wait again, all or those with this kind of error; return how many.

        The next ``read`` reads them.
        """
        return self.library.corpora.retry(self.row, kind=kind)

    async def read(self, agent: AsyncReadAgent, *, at_once: int | None = None, tries: int = TRIES) -> Progress:
        """Read with an agent what is left, and return how far the shelf is then.

        The agent must have the same library. Its budget is for the whole list of the shelf. A source that fails
        ``tries`` times is set aside with its reason; ``at_once`` sources are read at a time. An error that every
        document would meet, such as a wrong key or an exhausted budget, is raised; call this again to go on.
        """
        if agent.library.location != self.library.location:
            raise UsageError("the agent has another library than the shelf", hint="give both the same library")
        await Worker(agent, self.row, at_once=at_once, tries=tries).run()
        return self.progress()
