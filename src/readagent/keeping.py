"""Keeping: memories are taken from the library where it has them, else made by a reader, and what was made is kept.

Without a library everything is made anew, which the cache of the model makes cheap.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from readagent.core.document import Document
from readagent.core.gists.ageing import aged
from readagent.core.gists.merge import fit, fits, merged_for
from readagent.core.gists.pinning import Span, by_span, with_gists
from readagent.core.gists.sizes import same_but_sizes
from readagent.core.memory import Gist, GistMemory, reading_key
from readagent.core.pages.growing import grow
from readagent.core.plan import Plan
from readagent.core.question import Answer
from readagent.core.reading import read
from readagent.core.session import Session
from readagent.core.trace import Fallback
from readagent.errors import LibraryError
from readagent.library import Library


@dataclass(frozen=True, slots=True)
class Keeping:
    """A library, or none, and what is taken from it and put into it while reading and asking."""

    library: Library | None = None

    def begun(self, document: Document, wanted: Plan, model: str, prompts: str) -> Plan | None:
        """The plan of sizes with which this document, or the beginning of it, was begun in this way; None if not."""
        if self.library is None:
            return None
        earlier = self.library.beginning(document) or document.id
        known = (one for one in self.library.plans(earlier, model, prompts) if same_but_sizes(one, wanted))
        return next(known, None)

    async def gisted(self, document: Document, session: Session) -> GistMemory:
        """All pages and their gists, before any are merged."""
        if self.library is None:
            return await read(document, session)
        key = reading_key(session.plan, session.prompts.fingerprint, session.model.name)
        known = self.library.memory(document.id, key=key)
        begun = self.library.begun(document, key) if known is None else None
        if begun is not None:
            return self.grown(begun, await grow(begun, document, session, pinned=self.pinned(begun)))
        self.library.add(document)
        if known is not None:
            return known
        self.library.start_reading(
            document.id,
            key,
            model=session.model.name,
            prompts=session.prompts.fingerprint,
            plan=session.plan,
            window=None,
        )
        while True:
            pinned = self.library.pinned(document.id, task=session.plan.task)
            memory = self.keep(await read(document, session, pinned))
            if self.library.pinned(document.id, task=session.plan.task) == pinned:  # else one was fixed meanwhile
                return memory

    async def fitted(self, memory: GistMemory, session: Session) -> GistMemory:
        """The memory as it fits the window; what had to be merged for that is kept too. Hints may do without that."""
        if session.plan.hints:
            return memory
        whole = self.whole(memory)
        if session.plan.recent:
            ready = memory is not whole and fits(memory, session)
            return memory if ready else await fit(await self.aged(whole, session), session)
        if memory.window is not None and memory.window == merged_for(session):
            return replace(memory, finer=whole)
        if self.library is not None and not fits(memory, session):
            key = reading_key(memory.plan, memory.prompts, memory.model, merged_for(session))
            known = self.library.memory(memory.document.id, key=key)
            if known is not None:
                return replace(known, finer=whole)
        fitted = await fit(whole, session)
        return fitted if fitted is whole else self.keep(fitted)

    async def aged(self, whole: GistMemory, session: Session) -> GistMemory:
        """The memory with its older gists shortened as the plan says, but for fixed ones; the shorter ones are kept."""
        known = self.library.levels(whole.document.id, whole.key) if self.library is not None else {}
        levels = dict(known)
        memory = await aged(whole, session, levels)
        if self.library is not None and len(levels) > len(known):
            self.library.keep_levels(whole.document.id, whole.key, levels)
        return with_gists(memory, self.pinned(whole))

    def whole(self, memory: GistMemory) -> GistMemory:
        """The memory before any of its pages were merged, where it is at hand."""
        if memory.window is None or memory.finer is not None or self.library is None:
            return memory.finer or memory
        key = reading_key(memory.plan, memory.prompts, memory.model)
        return self.library.memory(memory.document.id, key=key) or memory

    def pinned(self, memory: GistMemory) -> Mapping[Span, Gist]:
        """The gists of a document that are fixed."""
        return self.library.pinned(memory.document.id, task=memory.plan.task) if self.library is not None else {}

    def pin(self, memory: GistMemory, gists: Mapping[int, Gist]) -> GistMemory:
        """The memory with these gists on its pages, by number; they are fixed in the library."""
        if self.library is not None:
            return self.library.pin(memory, gists)
        return with_gists(memory, by_span(memory, gists))

    def grown(self, before: GistMemory, memory: GistMemory) -> GistMemory:
        """The memory of a text that is longer now, kept in the place of the one before."""
        if self.library is not None:
            known = before.document.id if before.pages else self.library.add(memory.document)
            self.library.grow(known, memory)
        return memory

    def keep(self, memory: GistMemory) -> GistMemory:
        """The memory, kept, with the gists that are fixed in it."""
        if self.library is None:
            return memory
        document = self.library.add(memory.document)
        reading = self.library.start_reading(
            document,
            memory.key,
            model=memory.model,
            prompts=memory.prompts,
            plan=memory.plan,
            window=memory.window,
        )
        self.library.finish_reading(reading, memory)
        return with_gists(memory, self.pinned(memory))

    def keep_if_new(self, memory: GistMemory) -> None:
        """Keep a memory that the library does not have."""
        if self.library is not None and self.library.memory(memory.document.id, key=memory.key) is None:
            self.keep(memory)

    def keep_answer(self, shown: GistMemory, answer: Answer, model: str, thread: str) -> None:
        """Keep an answer; it is there and paid for, so where that fails it is better not kept than lost."""
        if self.library is None:
            return
        try:
            self.library.add(shown.document)
            self.library.keep_answer(shown.document.id, shown.key, answer, model=model, thread=thread)
        except LibraryError as error:
            answer.trace.fallbacks.append(Fallback("keep", str(error), "the answer, which is not in the library"))
