"""Reader: makes memories of documents, and lets them grow, age and improve. The work behind an agent's ``read``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from readagent.core.document import Document
from readagent.core.gists.rewrite import improve
from readagent.core.gists.sizes import KEPT, choose_sizes, long_gists, warnings
from readagent.core.memory import GistMemory, reading_key, with_calls
from readagent.core.pages.growing import extend, grow, is_full, lengthen, rebase
from readagent.core.pages.paginate import needs_two_steps
from readagent.core.pages.windows import max_page_words
from readagent.core.plan import Plan
from readagent.core.trace import Listener, Trace, calls_about
from readagent.core.window import Window
from readagent.embedded.local import require_no_translation
from readagent.errors import NotInLibraryError
from readagent.library.token_facts import tree_of
from readagent.memories import Memories
from readagent.models.fair_queue import part_of
from readagent.sessions import Sessions


class Reader:
    """Reads with the model of an agent, and keeps memories in its library. See AsyncReadAgent for the methods."""

    def __init__(self, sessions: Sessions, memories: Memories) -> None:
        self._sessions, self._memories = sessions, memories
        self._connection = sessions.connection

    async def read(self, document: Document, wanted: Plan, *, listen: Listener) -> GistMemory:
        """Return the memory of a document: read now, or taken from the library. Its index is made, if it needs one."""
        if self._connection.is_local:
            require_no_translation(document.text, wanted.gist_language)
        trace = Trace(keep_text=False)
        self._connection.on_wait = listen
        wanted = await self._in_known_mode(document, wanted)
        chosen = await self.plan_for(document, wanted)

        async def attempt(window: Window) -> GistMemory:
            session = await self._sessions.again(chosen, window, trace, listen)
            most = max_page_words(document, session) if wanted.scale else None
            if most is not None and most < chosen.page_words:  # the window turned out to be smaller than reported
                session = replace(session, plan=choose_sizes(wanted, document, window))
            memory = await self._memories.read(document, session)
            after = replace(session, window=await self._connection.window(tree_of(reading)))
            await self._memories.fitted(memory, after)
            return replace(memory, warnings=warnings(memory, wanted, window) or long_gists(memory))

        reading = await self._reading(document, wanted)
        with part_of(document.id), calls_about(document.id):
            return with_calls(await self._connection.within_window(attempt, reading, trace), trace)

    async def plan_for(self, document: Document, wanted: Plan) -> Plan:
        """Return the plan that a document is read with, its sizes derived from the text where they are to be.

        Its mode stays ``auto`` if only the reading itself can show what suits the model.
        """
        wanted = await self._in_known_mode(document, wanted)
        if not wanted.scale:
            return wanted
        name = (await self._connection.model()).name
        fresh = await self._sized(document, wanted)
        begun = self._memories.earlier_plans(document, wanted, name, self._sessions.prompts)
        if any(known.reading() == fresh.reading() for known in begun):
            return fresh
        for known in begun:
            if known.page_words >= min(0.8 * fresh.page_words, *KEPT):
                sizes = ("page_words", "min_page_words", "gist_words", "max_pages", "by_importance")
                return replace(wanted, **{name: getattr(known, name) for name in sizes}, scale=False)
        return fresh

    async def _in_known_mode(self, document: Document, wanted: Plan) -> Plan:
        """Return the plan in the mode that a document was or must be read in, where that is known beforehand.

        Models that run here read in two steps. The embedded reader measures, and would not be faster in one pass. A
        GGUF file on a laptop is small and slow: the trial would take minutes, and so would stopping in the middle.
        """
        prompts = self._sessions.prompts
        if wanted.mode != "auto":
            return wanted
        if self._connection.runs_here or needs_two_steps(wanted, prompts):
            return replace(wanted, mode="paper")
        name = (await self._connection.model()).name
        sized = await self._sized(document, wanted) if wanted.scale else wanted
        return replace(wanted, mode=self._memories.mode(document, wanted, sized, name, prompts))

    async def _sized(self, document: Document, wanted: Plan) -> Plan:
        """Return a plan with the sizes that suit a text and the window of the model."""
        return choose_sizes(wanted, document, await self._connection.window(await self._reading(document, wanted)))

    async def retry(self, memory: GistMemory, listen: Listener) -> GistMemory:
        """Return the memory with gists for the pages that have none."""
        trace = Trace(keep_text=False)

        async def attempt(window: Window) -> GistMemory:
            session = await self._sessions.again(memory.plan, window, trace, listen)
            self._memories.keep_if_new(memory)
            return await self._memories.retried(memory, session)

        with calls_about(memory.document.id):
            return with_calls(await self._connection.within_window(attempt, trace=trace), trace)

    async def _reading(self, document: Document, plan: Plan) -> str:
        """Return the name of the reading of a document with a plan, before its sizes are chosen.

        A reading that begins in the mode ``auto`` has the name that it has if it goes on in one pass.
        """
        name = (await self._connection.model()).name
        plan = replace(plan, mode="fast") if plan.mode == "auto" else plan
        return f"{document.id} {reading_key(plan, self._sessions.prompts.fingerprint, name)} {plan.scale}"

    async def append(self, memory: GistMemory, more: str | Document, *, live: bool, listen: Listener) -> GistMemory:
        """Return the memory with more text at its end."""
        whole = self._memories.whole(memory)
        document = lengthen(whole.document, more)
        if document.text == whole.document.text:
            return memory
        same = isinstance(more, Document) and more.text.startswith(whole.document.text)
        while True:
            try:
                if live:  # keep the text before a model is asked
                    return await self.close_pages(self.kept(whole, document), listen)
                return await self._append(whole, document, live, listen)
            except NotInLibraryError:
                newer = self._memories.successor(whole)
                if newer is None:
                    raise
                if same and newer.document.text.startswith(document.text):  # another process has added the same
                    return newer
                whole, document = newer, rebase(whole.document, document, newer.document)

    def kept(self, memory: GistMemory, document: Document) -> GistMemory:
        """Keep a longer text, its end as an open page, and return its memory. The model is not asked.

        Raise NotInLibraryError if another process has changed the document meanwhile.
        """
        whole = self._memories.whole(memory)
        return self._memories.grown(whole, extend(whole, document, self._memories.pinned(whole)))

    async def close_pages(self, memory: GistMemory, listen: Listener) -> GistMemory:
        """Return the memory with its open page divided, if that is full; or a newer one of another process."""
        if not is_full(memory):
            return memory
        try:
            return await self._append(memory, memory.document, True, listen)
        except NotInLibraryError:
            return self._memories.successor(memory) or memory

    async def _append(self, whole: GistMemory, document: Document, live: bool, listen: Listener) -> GistMemory:
        """Return the memory of the longer document; raise NotInLibraryError if it has grown otherwise meanwhile."""
        trace = Trace(keep_text=False)

        async def attempt(window: Window) -> GistMemory:
            session = await self._sessions.again(whole.plan, window, trace, listen)
            return await grow(whole, document, session, pinned=self._memories.pinned(whole), live=live)

        with calls_about(whole.document.id):
            grown = await self._connection.within_window(attempt, trace=trace)
        return self._memories.grown(whole, grown)

    async def aged(self, memory: GistMemory) -> GistMemory:
        """Return the memory with its older gists shortened as its plan says; ``finer`` is the whole one."""

        async def attempt(window: Window) -> GistMemory:
            session = await self._sessions.new(memory.plan, window=window)
            return await self._memories.aged(self._memories.whole(memory), session)

        with calls_about(memory.document.id):
            return await self._connection.within_window(attempt)

    def recall(self, document_id: str, *, task: str) -> GistMemory | None:
        """Return the newest memory of a document in the library; None if there is none."""
        newest = self._memories.library.memory(document_id, task=task)
        return None if newest is None else self._memories.whole(newest)

    async def improve(self, memory: GistMemory, numbers: Sequence[int], *, note: str, listen: Listener) -> GistMemory:
        """Return the memory with better gists for these pages, which are pinned."""
        trace = Trace(keep_text=False)

        async def attempt(window: Window) -> GistMemory:
            session = await self._sessions.again(memory.plan, window, trace, listen)
            self._memories.keep_if_new(memory)
            made = await improve(memory, numbers, session, note)
            return self._memories.library.pin(replace(memory, trace=session.trace), made)

        with calls_about(memory.document.id):
            return await self._connection.within_window(attempt, trace=trace)
