"""Memories: taken from the library where it has them, otherwise made and kept there."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace

from readagent.core.asking.prepare import shorten_and_fit
from readagent.core.document import Document
from readagent.core.gists.parts import INDEX, fit, needs_parts
from readagent.core.gists.rewrite import retry, shorten_older, with_retried
from readagent.core.gists.sizes import same_but_sizes
from readagent.core.memory import Gist, GistMemory, Span, reading_key, with_gists
from readagent.core.pages.growing import grow
from readagent.core.plan import Mode, Plan
from readagent.core.prompts import Prompts
from readagent.core.question import Answer
from readagent.core.reading import read
from readagent.core.session import Session
from readagent.core.trace import Fallback, Trace
from readagent.errors import LibraryError, NotInLibraryError, ReadAgentError
from readagent.library import Library

_LEVELS = range(1, 6)  # of a tree, between its pages and its top


@dataclass(frozen=True, slots=True)
class Memories:
    """The memories in a library, and how new ones get there."""

    library: Library

    def earlier_plans(
        self, document: Document, wanted: Plan, model: str, prompts: Prompts, *, finished: bool = False
    ) -> list[Plan]:
        """Return the plans with which this document, or its beginning, was begun, the newest first.

        They differ from the one ``wanted`` in nothing but the sizes of pages and gists, and in the mode if that is to
        be found out. With ``finished``, they are those of complete readings.
        """
        earlier = self.library.beginning(document) or document.id
        return self._plans_of(earlier, wanted, model, prompts, finished=finished)

    def _plans_of(self, document_id: str, wanted: Plan, model: str, prompts: Prompts, *, finished: bool) -> list[Plan]:
        made_with = (prompts.fingerprint, *prompts.earlier)
        plans = self.library.plans(document_id, model, made_with, finished=finished)
        return [one for one in plans if same_but_sizes(one, _in_mode_of(one, wanted))]

    def mode(self, document: Document, wanted: Plan, sized: Plan, model: str, prompts: Prompts) -> Mode:
        """Return the mode of a plan, or where that is to be found out, the one in which the document was read before.

        ``sized`` is the plan with the sizes that suit the text: readings with these count first. Complete readings
        count before those that were only begun, and those of the text itself before those of an earlier version, of
        which two steps can use replies again.
        """
        if wanted.mode != "auto":
            return wanted.mode
        before = self.library.newest_at(document.source) if document.source else None
        known = [
            *self.earlier_plans(document, wanted, model, prompts, finished=True),
            *self.earlier_plans(document, wanted, model, prompts),
            *(self._plans_of(before, wanted, model, prompts, finished=True) if before else ()),
        ]
        same = [one for one in known if one.reading() == _in_mode_of(one, sized).reading()]
        found = [*same, *known] if wanted.scale else same
        return found[0].mode if found else wanted.mode

    async def read(self, document: Document, session: Session) -> GistMemory:
        """Return all pages and gists of a document, before any are merged."""
        keys = reading_keys(session)
        known = self.library.memory(document.id, key=keys)
        begun = self.library.read_beginning(document, keys) if known is None else None
        if begun is not None:
            return self.grown(begun, await grow(begun, document, session, pinned=self.pinned(begun)))
        self.library.add(document)
        if known is not None:
            return known
        reading = self.library.start_reading(
            document.id,
            keys[0],
            model=session.model.name,
            prompts=session.prompts.fingerprint,
            plan=session.plan,
            window=None,
        )
        pinned = self.library.pinned(document.id, task=session.plan.task)

        def settled(plan: Plan) -> None:
            nonlocal session, reading
            if plan.mode != session.plan.mode:
                session = replace(session, plan=plan)
                reading = self.library.settle_reading(reading, reading_keys(session)[0], plan)

        while True:
            try:
                memory = await read(document, session, pinned, settled=settled)
            except ReadAgentError as error:
                with suppress(LibraryError):  # the error itself says more
                    self.library.stop_reading(reading, str(error))
                raise
            try:
                self.library.finish_reading(reading, memory)
            except NotInLibraryError:  # the document was removed meanwhile
                memory = self.keep(memory)
            before, pinned = pinned, self.library.pinned(document.id, task=session.plan.task)
            if pinned == before:  # none was pinned meanwhile
                return with_gists(memory, pinned)

    async def retried(self, memory: GistMemory, session: Session) -> GistMemory:
        """Return the memory with new gists for pages that have none, and keep it; its index is made anew."""
        memory = self.whole(memory)
        better = with_retried(memory, await retry(memory, session, self.pinned(memory)), session.trace)
        self.library.update_reading(better)
        if needs_parts(better, session):
            await self._index(better, session)
        return better

    async def fitted(self, memory: GistMemory, session: Session) -> GistMemory:
        """Return the memory as prompts show it: with an index above it if it is too long. An index is kept."""
        if memory.window is not None and memory.finer is not None:
            return memory
        whole = self.whole(memory)
        if session.plan.recent:
            ready = memory is not whole and not needs_parts(memory, session)
            return memory if ready else await fit(await self.aged(whole, session), session)
        if not needs_parts(whole, session):
            return whole
        return self._known_index(whole) or await self._index(whole, session)

    def _known_index(self, whole: GistMemory) -> GistMemory | None:
        """Return the index from the library, or None."""
        keys = [reading_key(whole.plan, whole.prompts, whole.model, INDEX, level) for level in (None, *_LEVELS)]
        top = self.library.memory(whole.document.id, key=keys[0])
        if top is None:
            return None
        below = whole
        for key in keys[1:]:
            level = self.library.memory(whole.document.id, key=key)
            if level is None or not _starts(top) <= _starts(level) <= _starts(below):
                break
            below = replace(level, finer=below)
        return replace(top, finer=below)

    async def _index(self, whole: GistMemory, session: Session) -> GistMemory:
        """Return a new index of a memory, and keep all of its levels; the top comes last, and finishes it."""
        self._start(whole, replace(whole, window=INDEX).key, INDEX)  # it stays unfinished if the model fails
        top = await fit(whole, session)
        levels, level = list[GistMemory](), top.finer
        while level is not None and level is not whole:
            levels.insert(0, level)
            level = level.finer
        for number, one in zip(_LEVELS, levels, strict=False):
            key = reading_key(whole.plan, whole.prompts, whole.model, INDEX, number)
            self.library.finish_reading(self._start(whole, key, INDEX), replace(one, trace=Trace()))
        return self.keep(top)

    def _start(self, memory: GistMemory, key: str, window: int | None) -> int:
        return self.library.start_reading(
            self.library.add(memory.document),
            key,
            model=memory.model,
            prompts=memory.prompts,
            plan=memory.plan,
            window=window,
        )

    async def aged(self, whole: GistMemory, session: Session) -> GistMemory:
        """Return the memory with its older gists shortened as the plan says; pinned gists stay as they are."""
        known = self.library.levels(whole.document.id, whole.key)
        levels = dict(known)
        memory = await shorten_older(whole, session, levels)
        if len(levels) > len(known):
            self.library.keep_levels(whole.document.id, whole.key, levels)
        return with_gists(memory, self.pinned(whole))

    def whole(self, memory: GistMemory) -> GistMemory:
        """Return the memory before any of its pages were merged, where it is known."""
        if memory.window is None or memory.finer is not None:
            return memory.whole
        key = reading_key(memory.plan, memory.prompts, memory.model)
        return self.library.memory(memory.document.id, key=key) or memory

    def pinned(self, memory: GistMemory) -> Mapping[Span, Gist]:
        """Return the pinned gists of a document, by the extent of their pages."""
        return self.library.pinned(memory.document.id, task=memory.plan.task)

    def grown(self, before: GistMemory, memory: GistMemory) -> GistMemory:
        """Keep the memory of a text that is longer now, in place of the one before."""
        self.library.grow(before.document.id if before.pages else None, memory)
        return memory

    def successor(self, memory: GistMemory) -> GistMemory | None:
        """Return the memory of the document that this one has grown into in the library, or None."""
        while (grown := self.library.successor(memory.document.id)) is not None:
            found = self.library.memory(grown, key=memory.key) or self.library.memory(grown, task=memory.plan.task)
            if found is not None or self.library.successor(memory.document.id) == grown:
                return found  # otherwise it has grown again at this moment
        return None

    def keep(self, memory: GistMemory) -> GistMemory:
        """Keep a memory, and return it with the gists that are pinned."""
        reading = self._start(memory, memory.key, memory.window)
        self.library.finish_reading(reading, memory)
        return with_gists(memory, self.pinned(memory))

    def keep_if_new(self, memory: GistMemory) -> None:
        """Keep a memory that the library does not have."""
        if self.library.memory(memory.document.id, key=memory.key) is None:
            self.keep(memory)

    def keep_answer(self, memory: GistMemory, answer: Answer, model: str, thread: str) -> Answer:
        """Keep an answer, and return it with its id. It is paid for: where it cannot be kept it has none."""
        try:
            grown = self.library.successor(memory.document.id) if memory.document.salt else None
            kept_with = grown or self.library.add(memory.document)
            kept = self.library.keep_answer(kept_with, memory.key, answer, model=model, thread=thread)
        except LibraryError as error:
            answer.trace.fallbacks.append(Fallback("keep", str(error), "the answer, which is not in the library"))
            return answer
        return replace(answer, id=kept)


def _starts(memory: GistMemory) -> set[int]:
    return {page.start for page in memory.pages}


class Fitting:
    """Fits a memory to the window of a session, and knows which one was ``shown``.

    Without ``keep`` the memory is that of a part of the text, which the library need not know.
    """

    def __init__(self, memories: Memories, memory: GistMemory, *, keep: bool) -> None:
        self._memories, self._keep = memories, keep
        self.shown = memory

    async def __call__(self, memory: GistMemory, session: Session) -> GistMemory:
        if not self._keep:
            return await shorten_and_fit(memory, session)
        self.shown = await self._memories.fitted(memory, session)
        return self.shown


def _in_mode_of(known: Plan, wanted: Plan) -> Plan:
    """Return the plan that is wanted; in the mode of a known one if its mode is to be found out."""
    return replace(wanted, mode=known.mode) if wanted.mode == "auto" else wanted


def reading_keys(session: Session) -> list[str]:
    """Return the key of a reading, and those that it had with earlier wordings of the built-in prompts.

    A reading whose mode is to be found out may have been finished in either of them.
    """
    modes: tuple[Mode, ...] = ("auto", "fast", "paper") if session.plan.mode == "auto" else (session.plan.mode,)
    plans = [replace(session.plan, mode=mode) for mode in modes]
    prompts = (session.prompts.fingerprint, *session.prompts.earlier)
    return [reading_key(plan, one, session.model.name) for plan in plans for one in prompts]
