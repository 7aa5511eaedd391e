"""ClientReading: a document that the client's own model reads, page by page.

The client stands in for the model of an ordinary reading: what it chooses and writes is kept in the library as the
replies to the same asks, judged by the same rules. So every page is a checkpoint, and the finished memory is like any
other.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise

from readagent.core.document import Document
from readagent.core.gists.rewrite import repeats
from readagent.core.gists.shorten import gist_page
from readagent.core.gists.sizes import choose_sizes
from readagent.core.memory import Gist, GistMemory, Page
from readagent.core.model import Ask, Reply
from readagent.core.pages.breaks import PageBreaks
from readagent.core.pages.paginate import labelled, pause
from readagent.core.plan import Plan
from readagent.core.prompts import Prompts
from readagent.core.session import Session
from readagent.core.trace import Trace
from readagent.core.window import Window
from readagent.core.words import count_words
from readagent.errors import UsageError
from readagent.library import Library
from readagent.memories import Memories, reading_keys
from readagent.models.cache import ask_key

CLIENT = "mcp-client"  # the name of the model in the library, whatever client it is: one can go on for another


class _WantedError(Exception):
    """An ask that the client has not answered yet."""

    def __init__(self, ask: Ask) -> None:
        super().__init__(ask.step)
        self.ask = ask


class _Kept:
    """A model that replies with what the client said before. What it did not say is wanted; refused, at the end."""

    name = CLIENT

    def __init__(self, library: Library, *, at_end: bool = False) -> None:
        self._library, self._at_end = library, at_end

    async def complete(self, ask: Ask) -> Reply:
        known = self._library.get(ask_key(CLIENT, ask))
        if known is None and not self._at_end:
            raise _WantedError(ask)
        return known or Reply("", "refused", paid=False)


class _Offered:
    """A model that replies to everything with the gist that the client offers."""

    name = CLIENT

    def __init__(self, gist: str) -> None:
        self._gist = gist
        self.asks: list[Ask] = []

    async def complete(self, ask: Ask) -> Reply:
        self.asks.append(ask)
        return Reply(self._gist)


@dataclass(frozen=True, slots=True)
class Place:
    """A place to pause: where it is, the words of the page that it ends, and about how many words its gist has."""

    end: int
    words: int
    gist_words: int


@dataclass(frozen=True, slots=True)
class Passage:
    """The text that the next page is the beginning of, with the labels of its places. ``page`` is its number."""

    page: int
    text: str
    places: tuple[Place, ...]


class ClientReading:
    """The reading of one document. ``pages`` are those kept so far."""

    def __init__(self, document: Document, plan: Plan, prompts: Prompts, library: Library) -> None:
        sized = choose_sizes(plan, document, Window())
        self.document, self._library = document, library
        self._plan = replace(sized, mode="paper", pauses="model", scale=False)
        self._prompts = prompts
        self._pinned = library.pinned(document.id, task=plan.task)
        self._text = PageBreaks(document, self._plan, self._pinned)
        self.pages: list[Page] = []
        self._gists: list[Gist] = []

    async def next(self) -> Passage | None:
        """Return the next passage; None if all of the text is read."""
        session = self._session(_Kept(self._library))
        while (start := self._start) < len(self.document.text):
            try:
                end = await pause(self._text, start, self._section, self._previous, session)
                page = self._page(end)
                gist = await self._gist(page, session)
            except _WantedError as wanted:
                asked = wanted.ask.step == "paginate"
                return await self._passage(self._text.legal(start, self._section)[0] if asked else [end])
            self._keep(page, gist)
        return None

    async def keep(self, number: int, label: int, gist: str) -> Page:
        """Keep a page: the one of this number, which ends at a label, with its gist. Raise UsageError if it cannot be.

        Once this returns, the page is in the library. A page that was kept with this end and gist is left as it is, so
        that a client whose answer got lost can repeat the call.
        """
        passage = await self.next()
        if 0 <= number < len(self.pages) and await self._was_kept(self.pages[number], label, gist):
            return self.pages[number]
        if passage is None:
            raise UsageError("all pages of this document are kept", hint="read them with memory and open_pages")
        if number != passage.page:
            raise UsageError(f"the next page is {passage.page + 1}, not {number + 1}", hint="call next_passage")
        if not 1 <= label <= len(passage.places):
            raise UsageError(f"pause must be one of the labels 1 to {len(passage.places)}, not {label}")
        start, end = self._start, passage.places[label - 1].end
        page = self._page(end)
        asks = await self._judged(page, gist)
        keys = reading_keys(self._session(_Kept(self._library)))
        self._library.add(self.document)
        self._library.start_reading(
            self.document.id, keys[0], model=CLIENT, prompts=self._prompts.fingerprint, plan=self._plan, window=None
        )
        for ask in asks:
            self._put(ask, gist)
        try:
            known = await pause(self._text, start, self._section, self._previous, self._session(_Kept(self._library)))
        except _WantedError as wanted:
            self._put(wanted.ask, f"Break point: <{label}>")  # last, since it is what makes the page one
            return page
        if known != end:
            raise UsageError(f"page {number + 1} was kept by another program meanwhile", hint="call next_passage")
        return page

    def so_far(self) -> GistMemory:
        """Return the memory of the pages that are kept; call ``next`` first, to find those of other programs too."""
        fingerprint = self._prompts.fingerprint
        return GistMemory(self.document, tuple(self.pages), tuple(self._gists), self._plan, CLIENT, fingerprint)

    async def finish(self) -> GistMemory:
        """Return the memory of the document, of which all pages are kept; it is in the library then."""
        return await Memories(self._library).read(self.document, self._session(_Kept(self._library, at_end=True)))

    async def _judged(self, page: Page, text: str) -> list[Ask]:
        """Return the asks that the gist of a page is the reply to; raise UsageError if the reading could not use it."""
        offered = _Offered(text)
        session = self._session(offered)
        gist = await self._gist(page, session)
        problems = [fallback.reason for fallback in session.trace.fallbacks]
        if not problems and len(offered.asks) > 1:
            problems = [f"it has {count_words(text)} words"]
        if not problems and self._repeats(page, gist):
            problems = ["it is the gist of an earlier page"]
        if problems:
            hint = f"shorten page {page.number + 1} up to the label, to about {offered.asks[0].material.words} words"
            raise UsageError(f"this gist cannot be kept: {problems[0]}", hint=hint)
        return offered.asks

    async def _was_kept(self, page: Page, label: int, text: str) -> bool:
        """Return whether a page was kept with this label as its end, and with this gist."""
        places, asked = self._text.legal(page.start, self._text.section_end(page.start))
        if (places[label - 1 : label] if asked else [page.end] * (label == 1)) != [page.end]:
            return False
        return (await self._gist(page, self._session(_Offered(text)))).text == self._gists[page.number].text

    def _repeats(self, page: Page, gist: Gist) -> bool:
        texts = [self.document.text[one.start : one.end] for one in (*self.pages, page)]
        return len(self.pages) in repeats(texts, [*self._gists, gist])

    async def _passage(self, ends: list[int]) -> Passage:
        """Return the passage up to a page's length, with places at these offsets."""
        places = []
        for end in ends:
            page = self._page(end)
            offered = _Offered("")
            await self._gist(page, self._session(offered))
            places.append(Place(end, page.words, offered.asks[0].material.words if offered.asks else page.words))
        if len(ends) == 1:
            pieces = [self.document.text[first:last].strip() for first, last in pairwise([self._start, *ends])]
        else:
            pieces = self._text.pieces(self._start, ends, self._section)
        return Passage(len(self.pages), labelled(pieces, len(ends)), tuple(places))

    async def _gist(self, page: Page, session: Session) -> Gist:
        span = page.start, page.end
        text = self.document.text
        known = self._pinned.get(span)
        return await gist_page(session, page, text[page.start : page.end], known=known, document=text)

    def _keep(self, page: Page, gist: Gist) -> None:
        self.pages.append(page)
        self._gists.append(gist)

    def _put(self, ask: Ask, text: str) -> None:
        self._library.put(ask_key(CLIENT, ask), CLIENT, ask, Reply(text))

    def _session(self, model: _Kept | _Offered) -> Session:
        return Session(model, self._prompts, self._plan, trace=Trace(keep_text=False))

    def _page(self, end: int) -> Page:
        return self._text.page(len(self.pages), self._start, end)

    @property
    def _start(self) -> int:
        return self.pages[-1].end if self.pages else 0

    @property
    def _section(self) -> int:
        return self._text.section_end(self._start)

    @property
    def _previous(self) -> str:
        """The text of the page before, if it is in the same section."""
        if not self.pages or self._start in self._text.sections:
            return ""
        return self.document.text[self.pages[-1].start : self.pages[-1].end]
