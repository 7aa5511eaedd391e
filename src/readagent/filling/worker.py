"""Worker: claims sources that fill a shelf, reads several of them at once, and notes what became of each."""

from __future__ import annotations

import asyncio
import logging
from collections import defaultdict
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import partial
from typing import Any

from readagent.agent import AsyncReadAgent
from readagent.core.document import Document
from readagent.core.memory import GistMemory
from readagent.core.trace import Usage
from readagent.errors import ContentRefusedError, LoadError, ReadAgentError, UsageError
from readagent.filling.remote import is_remote
from readagent.filling.sources import load_source
from readagent.library.corpora import TRIES
from readagent.library.corpus_rows import CorpusRow, SourceRow, Spending
from readagent.loaders import is_address
from readagent.loaders.sources.addresses import ForbiddenAddressError
from readagent.loaders.unsupported import UnsupportedFormatError
from readagent.models.ledger import Spent, payments_to
from readagent.shelf import AsyncShelf
from readagent.source import ForEach, ListenToAll

_BEAT = 3.0  # seconds between two renewals of the lease
_POLL = 0.5  # seconds between two looks for sources that others may give up
_HOPELESS = (ContentRefusedError, UsageError)  # another try would end in the same way
_LOGGER = logging.getLogger(__name__)


class UnexpectedError(ReadAgentError):
    """A bug in ReadAgent or in a package that it uses, which a document has shown."""


class Worker:
    """Reads the sources that fill a shelf with an agent until none is left.

    ``at_once`` sources are read at a time, by default as many as keep the agent's slots busy. A source that has failed
    ``tries`` times is set aside, and one that cannot be loaded at all at once. The budget of the agent is that of
    all workers: what others spend is charged to it every few seconds. ``on_beat`` is called then, too. ``kind`` is that
    of the texts, and ``how`` are options of ``load``.
    """

    def __init__(
        self,
        agent: AsyncReadAgent,
        corpus: CorpusRow,
        *,
        at_once: int | None = None,
        tries: int = TRIES,
        kind: str = "",
        how: Mapping[str, Any] | None = None,
        on_beat: Callable[[], None] | None = None,
    ) -> None:
        self._agent, self._corpus, self._corpora = agent, corpus, agent.library.corpora
        self._at_once, self._tries = at_once or agent.connection.documents_at_once, tries
        self._ledger, self._on_beat, self._kind, self._how = agent.connection.ledger, on_beat, kind, how or {}
        self._shelf = AsyncShelf(agent, corpus.name)
        self._each = ForEach(self._read, model=agent.connection.model)
        self._paid: defaultdict[str, Spending] = defaultdict(Spending)  # by document
        self._spent = Spending()
        self._charged = Spent()  # what others had spent at the last beat
        self._name = ""
        self._suspecting = False  # whether a source is read that may end this process

    async def run(self) -> None:
        """Read until no source is left; raise an error that every source would meet, such as a wrong key.

        What is not finished then, or when this is cancelled, is left to others.
        """
        self._name = self._corpora.enlist()
        before = self._corpora.spent(self._corpus)
        spent, self._charged = self._ledger.spent, Spent(before.tokens, before.cost)
        self._ledger.spent = Spent(max(spent.tokens, before.tokens), max(spent.cost, before.cost))
        beats = asyncio.create_task(self._beats())
        work: set[asyncio.Task[None]] = set()
        try:
            while True:
                work |= self._more(self._at_once - len(work))
                if work:
                    done, work = await asyncio.wait(work, return_when=asyncio.FIRST_COMPLETED)
                    if errors := [error for task in done if (error := task.exception()) is not None]:
                        raise errors[0]
                elif self._corpora.has_left(self._corpus):  # others are reading the last ones
                    await asyncio.sleep(_POLL)
                else:
                    return
        finally:
            try:
                await self._stop(work)
            finally:
                beats.cancel()
                await asyncio.gather(beats, return_exceptions=True)
                with suppress(ReadAgentError):  # the lease ends by itself
                    self._beat()
                    self._corpora.dismiss(self._corpus, self._name)

    async def _stop(self, work: set[asyncio.Task[None]]) -> None:
        """Begin nothing more, and wait for the calls in flight: they are paid for."""
        for task in work:
            task.cancel()
        await asyncio.gather(*work, return_exceptions=True)
        await self._agent.connection.settle()

    def _more(self, most: int) -> set[asyncio.Task[None]]:
        """Claim sources and begin to read them. One that seems to end its workers is read alone, after the others."""
        idle = most == self._at_once
        self._suspecting &= not idle
        if most < 1 or self._suspecting:
            return set()
        rows = self._corpora.claim(self._corpus, self._name, most, tries=self._tries)
        if not rows and idle:
            rows = self._corpora.claim_suspect(self._corpus, self._name, tries=self._tries)
            self._suspecting = bool(rows)
        return {asyncio.create_task(self._one(row)) for row in rows}

    async def _one(self, row: SourceRow) -> None:
        """Read one source, and note what became of it."""
        document: Document | None = None
        result: GistMemory | ReadAgentError
        try:
            document = await asyncio.to_thread(partial(load_source, row, **self._how))
            if row.metadata:  # they may have been corrected
                self._agent.library.describe(document)
            with payments_to(partial(self._pay, document.id)):
                result = await self._each(document)
        except LoadError as error:
            result = error
        except ReadAgentError:  # one that every source would meet
            raise
        except Exception as error:  # a bug that one document shows must not end the work
            _LOGGER.exception("reading %s failed", row.source)
            result = UnexpectedError(f"{type(error).__name__}: {error}", hint="please report this")
        spent = self._paid.pop(document.id, Spending()) if document is not None else Spending()
        if isinstance(result, ReadAgentError):
            again = row.tries < self._tries and _may_help(result, row.source)
            kept = self._corpora.fail(self._name, row.id, result, again=again, spent=spent)
        else:
            number = len(result.whole.pages)
            kept = self._corpora.finish(self._name, row.id, result.document.id, pages=number, spent=spent)
        if not kept:
            _LOGGER.warning("another worker has taken over %s", row.source)

    async def _read(self, document: Document, listen: ListenToAll) -> GistMemory:
        """Read a document, make its card, and put it on the shelf."""
        library, hear = self._agent.library, (lambda event: listen(document, event))
        library.add(document, current=True)
        known = not self._agent.plan.task  # a general memory is not one for a task
        memory = await self._agent.read_or_recall(document, listen, plan=None, recall=known)
        await self._shelf.keep_card(memory, kind=self._kind, listen=hear)
        library.shelves.put_on(self._corpus.shelf, document.id)
        return memory

    def _pay(self, document: str, usage: Usage) -> None:
        paid = Spending.on(usage)
        self._spent += paid
        self._paid[document] += paid
        self._store()

    def _store(self) -> None:
        """Store what was spent, so that it counts for the budget even if this process is killed."""
        self._corpora.spend(self._corpus, self._name, self._spent)

    async def _beats(self) -> None:
        while True:
            await asyncio.sleep(_BEAT)
            self._beat()

    def _beat(self) -> None:
        """Renew the lease, store what was spent, and charge what others have spent since."""
        self._corpora.renew(self._name)
        self._store()
        total = self._corpora.spent(self._corpus)
        others = Spent(total.tokens - self._spent.tokens, total.cost - self._spent.cost)
        self._ledger.spent += others - self._charged
        self._charged = others
        if self._on_beat is not None:
            self._on_beat()


def _may_help(error: ReadAgentError, source: str) -> bool:
    """Whether another try may go better. What cannot be loaded from a disk now, will not be loaded later."""
    if isinstance(error, LoadError):
        final = (UnsupportedFormatError, ForbiddenAddressError)
        return not isinstance(error, final) and (is_address(source) or is_remote(source))
    return not isinstance(error, _HOPELESS)
