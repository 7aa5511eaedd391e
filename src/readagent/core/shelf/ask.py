"""Answer a question from several documents at once, whose memories are joined into one."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Awaitable, Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise, zip_longest

from readagent.core.asking.prepare import choose_passages, shorten_and_fit
from readagent.core.asking.view import cut_short
from readagent.core.document import Document
from readagent.core.gists.parts import fit
from readagent.core.memory import Gist, GistMemory, Page, Part
from readagent.core.plan import Plan
from readagent.core.question import Answer, Question, Quote, Turn
from readagent.core.reading import ask
from readagent.core.session import Session
from readagent.core.shelf.shelf_answer import Card, Citation, PageOf, ShelfAnswer
from readagent.core.words import Paragraph

_BETWEEN = "\n\n"
_SHORTEST = 6  # words of each gist and entry that must fit


@dataclass(frozen=True, slots=True)
class Member:
    """A document of a joined memory: its card and its own memory."""

    card: Card
    memory: GistMemory

    @property
    def whole(self) -> GistMemory:
        """The memory before any pages were merged; citations refer to its pages."""
        return self.memory.whole


@dataclass(frozen=True, slots=True)
class JoinedMemory:
    """The joined memory, its members, and the offset of each member in the joined text."""

    memory: GistMemory
    members: tuple[Member, ...]
    starts: tuple[int, ...]

    def pages(self, numbers: Iterable[int]) -> tuple[PageOf, ...]:
        """Return pages of the joined memory, numbered as before any were merged, as pages of their own documents."""
        found = []
        for number in numbers:
            page = self.memory.whole.pages[number]
            member, offset = self._at(page.start)
            own = member.whole.page_at(page.start - offset)
            place = member.whole.document.place_at(member.whole.pages[own].start)
            found.append(PageOf(member.card.document, member.card.title, own, place))
        return tuple(found)

    def cite(self, quote: Quote) -> Citation | None:
        """Return a quote from the joined text as one from its own document, or None if it crosses documents."""
        member, offset = self._at(quote.start)
        start, end = quote.start - offset, quote.end - offset
        document = member.whole.document
        if end > len(document.text):
            return None
        paragraph = document.paragraph_at(start)
        own = replace(
            quote,
            page=member.whole.page_at(start),
            paragraph=0 if paragraph is None else paragraph.index,
            start=start,
            end=end,
            place=document.place_of(start, end),
        )
        return Citation(member.card.document, member.card.title, own)

    def _at(self, offset: int) -> tuple[Member, int]:
        """Return the member that contains an offset of the joined text, and the offset where the member begins."""
        number = bisect_right(self.starts, offset) - 1
        return self.members[number], self.starts[number]


def titled(members: Sequence[Member]) -> list[Member]:
    """Return the members with titles that tell them apart: those that several have are numbered."""
    names = [member.card.title for member in members]
    return [
        replace(member, card=replace(member.card, title=f"{name} ({names[: at + 1].count(name)})"))
        if names.count(name) > 1
        else member
        for at, (member, name) in enumerate(zip(members, names, strict=True))
    ]


def join(members: Sequence[Member], plan: Plan) -> JoinedMemory:
    """Return the memories of these members as one; a single memory is used as it is.

    Indexes are joined level by level, from the top; a memory with fewer levels has its pages on the others.
    """
    if len(members) == 1:
        return JoinedMemory(members[0].memory, tuple(members), (0,))
    texts: list[str] = []
    starts: list[int] = []
    paragraphs: list[Paragraph] = []
    at = 0
    for member in members:
        document = member.memory.document
        starts.append(at)
        texts.append(document.text + _BETWEEN)
        for one in document.paragraphs:
            paragraphs.append(replace(one, index=len(paragraphs), start=one.start + at, end=one.end + at))
        at += len(texts[-1])
        if document.paragraphs:
            paragraphs[-1] = replace(paragraphs[-1], end=at)
    text = Document("".join(texts), tuple(paragraphs), joins=tuple(starts))
    parts = tuple(Part(member.card.title, start) for member, start in zip(members, starts, strict=True))
    joined: GistMemory | None = None
    for level in reversed(list(zip_longest(*(_levels(member.memory) for member in members)))):
        own = [member.whole if one is None else one for member, one in zip(members, level, strict=True)]
        pages, gists = _side_by_side(own, [*starts, at])
        window = next((one.window for one in own if one.window is not None), None)
        joined = GistMemory(text, pages, gists, plan, window=window, finer=joined, parts=parts)
    assert joined is not None
    return JoinedMemory(joined, tuple(members), tuple(starts))


def _levels(memory: GistMemory) -> Iterator[GistMemory]:
    """Yield the levels of an index, the top first."""
    level: GistMemory | None = memory
    while level is not None:
        yield level
        level = level.finer


def _side_by_side(memories: Sequence[GistMemory], bounds: Sequence[int]) -> tuple[tuple[Page, ...], tuple[Gist, ...]]:
    """Return the pages and gists of these memories, whose texts are between these offsets of the joined text."""
    pages: list[Page] = []
    for memory, (at, end) in zip(memories, pairwise(bounds), strict=True):
        for page in memory.pages:
            pages.append(replace(page, number=len(pages), start=page.start + at, end=page.end + at))
        pages[-1] = replace(pages[-1], end=end)
    return tuple(pages), tuple(gist for memory in memories for gist in memory.gists)


async def ask_several(
    members: Sequence[Member],
    question: Question,
    session: Session,
    history: Sequence[Turn] = (),
    *,
    over_all: Callable[[GistMemory, Session], Awaitable[ShelfAnswer]] | None = None,
) -> ShelfAnswer:
    """Return one answer from these documents; pages and quotes are numbered as in their own documents.

    A memory that is too long alone has an index. If the indexes and the other gists are too long together, they are
    cut, except those that a search finds; if that is still too long, the last documents are left out. ``over_all``
    answers a question about all of the text.
    """
    joined = await _joined(members, session)
    memory, fit_memory = joined.memory, shorten_and_fit if len(joined.members) == 1 else _unchanged
    answer = await ask(memory, question, session, history, fit_memory=fit_memory, over_all=over_all, passages=True)
    if isinstance(answer, ShelfAnswer):
        return answer
    cited = [joined.cite(quote) for quote in answer.quotes]
    quotes = tuple(one for one in cited if one is not None)
    return ShelfAnswer(
        question,
        answer.text,
        answer.choice,
        tuple(member.card for member in joined.members),
        tuple(member.card for member in members[len(joined.members) :]),
        pages=joined.pages(answer.pages),
        did_not_fit=joined.pages(answer.did_not_fit),
        quotes=quotes,
        false_quotes=answer.false_quotes + sum(not quote.by_us for quote in answer.quotes) - _own(quotes),
        found_in_text=answer.found_in_text,
        words=round((1 - answer.compression) * joined.memory.full_words),
        trace=session.trace,
        support=answer.support.with_quotes([at for at, one in enumerate(cited) if one is not None]),
        searched=answer.searched,
    )


async def look_up_in_several(
    members: Sequence[Member], question: Question, session: Session, history: Sequence[Turn] = ()
) -> tuple[Citation, ...]:
    """Return the pages of these documents that matter to a question, as passages, without answering it."""
    joined = await _joined(members, session)
    fit_memory = shorten_and_fit if len(joined.members) == 1 else _unchanged
    found = await choose_passages(joined.memory, question, session, history, fit_memory=fit_memory, passages=True)
    return tuple(cited for one in found if (cited := joined.cite(one)) is not None)


async def _joined(members: Sequence[Member], session: Session) -> JoinedMemory:
    return join_fitting([replace(member, memory=await fit(member.memory, session)) for member in members], session)


async def ask_one(member: Member, question: Question, session: Session, history: Sequence[Turn] = ()) -> Answer:
    """Return an answer from one document, with pages numbered as before any were merged."""
    return await ask(member.memory, question, session, history)


async def _unchanged(memory: GistMemory, session: Session) -> GistMemory:
    """Return a joined memory as it is: its members have been fitted to the window."""
    return memory


def _own(quotes: Sequence[Citation]) -> int:
    """Return how many quotes are the model's."""
    return sum(not cited.quote.by_us for cited in quotes)


def join_fitting(members: Sequence[Member], session: Session) -> JoinedMemory:
    """Return the joined memory of as many documents, from the first on, as one prompt holds with their gists cut."""
    for count in range(len(members), 1, -1):
        joined = join(members[:count], session.plan)
        short = replace(joined.memory, gists=tuple(cut_short(gist, _SHORTEST) for gist in joined.memory.gists))
        if not session.window.index or session.window.count(short.render()) <= session.window.index:
            return joined
    return join(members[:1], session.plan)
