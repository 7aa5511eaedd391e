"""What agents tell about whole texts: a summary, an outline, what is extracted, a comparison, notes."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain
from typing import Any, TypedDict, TypeVar, Unpack

from readagent.connection import Connection
from readagent.core.asking.position import memory_up_to, position
from readagent.core.memory import GistMemory
from readagent.core.overviews.entries import span_of, within
from readagent.core.overviews.lists import entities, extract, glossary, study_questions, timeline
from readagent.core.overviews.outline import outline
from readagent.core.overviews.people import people
from readagent.core.overviews.points import (
    Entity,
    Note,
    Overview,
    Person,
    Point,
    Section,
    StudyQuestion,
    Summary,
    Term,
    TimelineEvent,
    columns_in,
    headings_in,
)
from readagent.core.overviews.shelf_summary import compare
from readagent.core.overviews.write import summarize
from readagent.core.plan import Plan
from readagent.core.session import Session
from readagent.core.trace import Listener, Trace, calls_about, ignore
from readagent.core.window import Window
from readagent.embedded.local import needs_model
from readagent.errors import UsageError
from readagent.models.wire import fingerprint
from readagent.options import check_options
from readagent.sessions import Sessions
from readagent.source import require_memory

T = TypeVar("T")
R = TypeVar("R")


_Make = Callable[..., Awaitable[Sequence[T]]]  # of memory, session, page numbers, and a list for what is dropped
_EXTRACTED: Mapping[str, _Make[Any]] = {
    "people": people, "timeline": timeline, "entities": entities, "glossary": glossary, "questions": study_questions,
}  # fmt: skip


class OverviewOptions(TypedDict, total=False):
    """The keywords of all overviews. Places are given as for ``up_to`` of ``ask``."""

    chapter: str | None  # only this chapter
    start: str | None  # from this place on
    end: str | None  # up to and including this place
    up_to: int | str | None  # use the text only up to there: nothing after it is shown to the model
    check: bool | None  # let the model check statements against their pages
    retry: bool  # ask again where the model returned nothing usable before
    listen: Listener  # called with every event


def require_model(connection: Connection, what: str) -> None:
    """Raise UsageError if an overview is asked of the offline reader, which could only select sentences."""
    if connection.is_local:
        raise needs_model(what)


async def estimates_name(connection: Connection, memories: Sequence[GistMemory]) -> str:
    """Return the name under which the estimates of tokens for overviews of these texts are kept.

    Windows depend on them: with newer estimates, an overview that is repeated would ask for replies that it has. It is
    the same for a text that has grown, which begins with the same page.
    """
    firsts = [memory.whole.page_text(0) for memory in memories if memory.whole.pages]
    return f"overviews {fingerprint([(await connection.model()).name, firsts])}"


class Overviews:
    """The methods of an agent that go through all of a memory instead of looking up a few pages.

    Everything is made from the gists, which are paid for; pages are opened only to check a doubtful statement. All
    calls go through the cache: an interrupted overview continues where it was, and a repeated one costs nothing. Where
    the model returned nothing usable, it is asked again only with ``retry``.
    """

    sessions: Sessions

    async def summary(
        self, memory: GistMemory, *, words: int = 300, about: str = "", audience: str = "",
        **options: Unpack[OverviewOptions],
    ) -> Summary:  # fmt: skip
        """Return a summary in about so many words, in which every statement names its pages.

        With ``about`` it tells only what the text says on that. ``audience`` says for whom it is.
        """

        async def make(shown: GistMemory, session: Session, numbers: Sequence[int]) -> Summary:
            return await summarize(shown, session, words=words, numbers=numbers, about=about, audience=audience)

        return await self._over(memory, options, "summary", make)

    async def outline(self, memory: GistMemory, **options: Unpack[OverviewOptions]) -> Overview[Section]:
        """Return the chapters of the text, or the parts that its memory suggests, each with what is in it."""
        return await self._list(memory, options, "outline", outline)

    async def extract(
        self, memory: GistMemory, kind: str | Sequence[str], *, count: int = 10, **options: Unpack[OverviewOptions]
    ) -> Overview[Any]:
        """Return what the text says of one kind, each item with its pages.

        ``kind`` is "people", "timeline", "entities", "glossary" or "questions" (of which there are about ``count``); or
        headings of your own, as a list or as a text with commas, for rows of the type ``Extract``.
        """
        if not isinstance(count, int) or count < 1:
            raise UsageError(f"count must be a whole number of at least 1, not {count!r}")
        named = kind if isinstance(kind, str) and kind in _EXTRACTED else ""
        make: _Make[Any] = _EXTRACTED[named] if named else partial(extract, headings=columns_in(kind))
        if named == "questions":
            make = partial(make, count=count)
        return await self._list(memory, options, named or "extract", make)

    async def people(self, memory: GistMemory, **options: Unpack[OverviewOptions]) -> Overview[Person]:
        """Return who is in the text: ``extract(memory, "people")``."""
        return await self.extract(memory, "people", **options)

    async def timeline(self, memory: GistMemory, **options: Unpack[OverviewOptions]) -> Overview[TimelineEvent]:
        """Return what happens, in the order of the text: ``extract(memory, "timeline")``."""
        return await self.extract(memory, "timeline", **options)

    async def entities(self, memory: GistMemory, **options: Unpack[OverviewOptions]) -> Overview[Entity]:
        """Return the organisations, places and things that have a name: ``extract(memory, "entities")``."""
        return await self.extract(memory, "entities", **options)

    async def glossary(self, memory: GistMemory, **options: Unpack[OverviewOptions]) -> Overview[Term]:
        """Return the terms, places and things that the text explains: ``extract(memory, "glossary")``."""
        return await self.extract(memory, "glossary", **options)

    async def questions(
        self, memory: GistMemory, count: int = 10, **options: Unpack[OverviewOptions]
    ) -> Overview[StudyQuestion]:
        """Return about so many study questions with their answers: ``extract(memory, "questions", count=10)``."""
        return await self.extract(memory, "questions", count=count, **options)

    async def notes(
        self, memory: GistMemory, template: str | Sequence[str], *, words: int = 80, **options: Unpack[OverviewOptions]
    ) -> Overview[Note]:
        """Return what the text says on each heading of a template, in about so many words each.

        ``template`` has one heading on a line: lines that begin with # if there are any, else all lines. Text below a
        heading says what belongs there. It may also be a list of headings.
        """
        headings = headings_in(template)
        found: list[Note] = []
        for heading, about in headings:
            found.append(Note(heading, await self.summary(memory, words=words, about=about, **options)))
        traces = [note.summary.trace for note in found]
        calls, fallbacks = [one.calls for one in traces], [one.fallbacks for one in traces]
        trace = Trace(True, [*chain.from_iterable(calls)], [*chain.from_iterable(fallbacks)])
        dropped = tuple(point for note in found for point in note.summary.dropped)
        return Overview(tuple(found), found[0].summary.memory, dropped, trace)

    async def compare(
        self, memories: Sequence[GistMemory], *, words: int = 300, about: str = "", check: bool | None = None,
        retry: bool = False, listen: Listener = ignore,
    ) -> Summary:  # fmt: skip
        """Return what documents have in common and where they differ, in about so many words; with ``about`` on that.

        The pages of its points are those of ``Summary.memory``, which joins the documents.
        """
        connection, trace = self.sessions.connection, Trace()
        connection.require_open()
        connection.on_wait = listen
        for memory in memories:
            require_memory(memory)
        require_model(connection, "compare")
        plan = memories[0].plan if memories else Plan()

        async def attempt(window: Window) -> Summary:
            chosen = plan if check is None else replace(plan, check=check)
            session = await self.sessions.again(chosen, window, trace, listen, "retry" if retry else "keep")
            return await compare(memories, session, words=words, about=about)

        with calls_about(*(memory.document.id for memory in memories)):
            return await connection.within_window(attempt, await estimates_name(connection, memories), trace)

    async def _list(
        self,
        memory: GistMemory,
        options: OverviewOptions,
        caller: str,
        make: _Make[T],
    ) -> Overview[T]:
        async def made(shown: GistMemory, session: Session, numbers: Sequence[int]) -> Overview[T]:
            dropped: list[Point] = []
            items = await make(shown, session, numbers, dropped)
            return Overview(tuple(items), shown, tuple(dropped), session.trace)

        return await self._over(memory, options, caller, made)

    async def _over(
        self,
        memory: GistMemory,
        options: OverviewOptions,
        caller: str,
        make: Callable[[GistMemory, Session, Sequence[int]], Awaitable[R]],
    ) -> R:
        """Return what is made of the part of the text that the options name."""
        check_options(options, OverviewOptions, caller)
        require_memory(memory)
        whole, trace, listen = memory.whole, Trace(), options.get("listen", ignore)
        if not whole.pages:
            raise UsageError("there is nothing to tell: the text is empty")
        connection = self.sessions.connection
        connection.require_open()
        require_model(connection, caller)
        connection.on_wait = listen
        check, up_to, retry = options.get("check"), options.get("up_to"), options.get("retry", False)
        plan = whole.plan if check is None else replace(whole.plan, check=check)
        offset = None if up_to is None else position(memory, up_to)
        span = span_of(whole, options.get("chapter"), options.get("start"), options.get("end"))

        async def attempt(window: Window) -> R:
            session = await self.sessions.again(plan, window, trace, listen, "retry" if retry else "keep")
            shown = whole if offset is None else await memory_up_to(whole, offset, session)
            last = len(shown.document.text)
            if span[0] >= last:
                raise UsageError("this part of the text is after the place that you have read up to")
            shown, numbers = await within(shown, (span[0], min(span[1], last)), session)
            return await make(shown, session, numbers)

        with calls_about(memory.document.id):
            return await connection.within_window(attempt, await estimates_name(connection, [whole]), trace)
