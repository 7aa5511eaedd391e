"""ClientReading: a document that the client's own model reads, page by page.

The client stands in for the model of an ordinary reading: what it chooses and writes is kept in the library as the
replies to the same asks, judged by the same rules. So every page is a checkpoint, and the finished memory is like any
other.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise

from readagent.core.document import Document
from readagent.core.escaping import escape_tags
from readagent.core.gists.rewrite import repeats
from readagent.core.gists.shorten import gist_page
from readagent.core.gists.sizes import asked_words, choose_sizes
from readagent.core.memory import Gist, GistMemory, Page
from readagent.core.model import Ask, Reply
from readagent.core.pages.breaks import PageBreaks
from readagent.core.pages.paginate import pause
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
_AT_ONCE = 4000  # words of a passage
_APART = 8  # parts of the shortest page; places to end a page are at least one of them apart


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
class Passage:
    """The text that the next pages are in, with a label wherever one may end, and the rules for pages and gists.

    A label is the number of words of the document up to it, so that it stays the same in every passage.
    """

    begins: int
    text: str
    rules: str


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
            except _WantedError:
                return self._passage()
            self._keep(page, gist)
        return None

    async def keep(self, label: int, gist: str) -> None:
        """Keep the next page, which ends at a label, with its gist. Raise UsageError if it cannot be kept.

        Once this returns, the page is in the library. A page that was kept with this end and gist is left as it is, so
        that a client whose answer got lost can repeat the call.
        """
        await self.next()
        start = self._start
        if label <= self._label(start):
            for page in self.pages:
                if self._label(page.end) == label and await self._was_kept(page, gist):
                    return
            raise UsageError(f"the text up to <{self._label(start)}> is kept already", hint="call next_passage")
        end, number = self._end_at(start, label)
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
            self._put(wanted.ask, f"Break point: <{number}>")  # last, since it is what makes the page one
            return
        if known != end:
            raise UsageError(f"page {page.number + 1} was kept by another program meanwhile", hint="call next_passage")

    def _end_at(self, start: int, label: int) -> tuple[int, int]:
        """Return where the next page ends if it ends at this label, and the number of that place among the possible."""
        places, asked = self._text.legal(start, self._section)
        possible = {self._label(end): (end, at) for at, end in enumerate(places, start=1) if asked or at == len(places)}
        if label not in possible:
            said = f"page {len(self.pages) + 1} begins at <{self._label(start)}>, and cannot end at <{label}>"
            raise UsageError(said, hint=f"it can end at {', '.join(f'<{one}>' for one in possible)}")
        return possible[label]

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
            words = offered.asks[0].material.words
            where = f"page {page.number + 1}, up to the label"
            hint = f"tell in about {words} words what is on {where}, and on no other: its own names, numbers and events"
            raise UsageError(f"this gist cannot be kept: {problems[0]}", hint=hint)
        return offered.asks

    async def _was_kept(self, page: Page, text: str) -> bool:
        """Return whether a page was kept with this gist."""
        return (await self._gist(page, self._session(_Offered(text)))).text == self._gists[page.number].text

    def _repeats(self, page: Page, gist: Gist) -> bool:
        texts = [self.document.text[one.start : one.end] for one in (*self.pages, page)]
        return len(self.pages) in repeats(texts, [*self._gists, gist])

    def _passage(self) -> Passage:
        """Return the text of the next pages, up to the last place in it where one may end."""
        start, text = self._start, self.document.text
        latest = self._text.index.after(start, max(_AT_ONCE, self._plan.page_words))
        if 0 < self._left(latest) <= self._plan.page_words:
            latest = self._text.section_end(latest)
        places = {*self._text.legal(start, self._section)[0], *self._places(start, latest)}
        labels = {self._label(place): place for place in sorted(places)}  # the last of those with the same words
        bounds = pairwise([start, *labels.values()])
        pieces = (f"{escape_tags(text[a:b].strip())}\n<{label}>" for label, (a, b) in zip(labels, bounds, strict=True))
        return Passage(self._label(start), "\n".join(pieces), self._rules())

    def _places(self, start: int, latest: int) -> list[int]:
        """Return ends of paragraphs, not all where these are short, and of sentences where they are very long.

        Those are left out that leave too little of a chapter for a page, if there are others before them.
        """
        index, plan, found, before = self._text.index, self._plan, list[int](), start
        cuts = [one.start for one in self.document.paragraphs if start < one.start <= latest]
        for first, last in pairwise([start, *cuts, *([latest] if latest == len(self.document.text) else [])]):
            if index.count(first, last) > plan.page_words - plan.min_page_words:
                found += self._text.inner_ends(first, last)
            if index.count(before, last) >= plan.min_page_words // _APART or not self._left(last):
                before = last
                found.append(last)
        room = {self._text.section_end(one - 1) for one in found if self._is_page(self._left(one))}
        few = plan.min_page_words if len(self._text.sections) > 1 else 0
        return [one for one in found if not 0 < self._left(one) < few or self._text.section_end(one - 1) not in room]

    def _left(self, end: int) -> int:
        """Return how many words of its chapter come after a place."""
        return self._text.index.count(end, self._text.section_end(end - 1))

    def _is_page(self, words: int) -> bool:
        return self._plan.min_page_words <= words <= self._plan.page_words

    def _rules(self) -> str:
        """Return how long pages and their gists may be, as the labels count words."""
        plan, chapters = self._plan, len(self._text.sections) > 1
        pages = f"A page has {plan.min_page_words} to {plan.page_words} words; its label counts all words up to there."
        rest = (
            f" What is left of a chapter is one page if it has at most {plan.page_words} words, and is never shorter "
        )
        rest += f"than {plan.min_page_words}."
        share = asked_words(plan, plan.page_words, plan.page_words) / plan.page_words
        aim = f"about {100 * share:.0f} %, and at most {140 * share:.0f} %, of" if share else "far fewer than"
        return f"{pages}{rest if chapters else ''} A gist has {aim} the words of its page."

    def _label(self, end: int) -> int:
        return self._text.index.count(0, end)

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
