"""Prepare a question: fit the memory to one prompt, search for likely pages; or choose pages without answering."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace

from readagent.core.asking.lookup import look_up, nearest
from readagent.core.asking.position import memory_up_to
from readagent.core.asking.situation import Situation
from readagent.core.asking.snippets import snippets
from readagent.core.asking.view import pages_of, view_of
from readagent.core.clauses import clauses_in
from readagent.core.gists.parts import Room, fit, room_for
from readagent.core.gists.rewrite import shorten_older
from readagent.core.memory import GistMemory
from readagent.core.model import Hint
from readagent.core.question import Question, Quote, Turn
from readagent.core.session import Session
from readagent.core.window import largest
from readagent.errors import UsageError

Fit = Callable[[GistMemory, Session], Awaitable[GistMemory]]
_SNIPPETS = 50  # pages that may have one, of those in an index
_PASSAGES = 6  # the same, where all gists are shown
_CLAUSE = 0.25  # of the room, at most, for a clause that the question names
_SHARE = 0.2  # of the best score that a page must have to be likely


async def shorten_and_fit(memory: GistMemory, session: Session) -> GistMemory:
    """Return the memory with older gists shortened as the plan says, and with an index if it is too long."""
    return await fit(await shorten_older(memory, session), session)


async def prepare(
    memory: GistMemory,
    question: Question,
    session: Session,
    history: Sequence[Turn] = (),
    up_to: int | None = None,
    fit_memory: Fit = shorten_and_fit,
    *,
    passages: bool = False,
) -> Situation:
    """Return the question with a view of the memory, and as many of the latest turns as fit.

    With ``up_to`` the text ends at that offset, and turns that know more are left out. ``fit_memory`` makes the index
    where one is needed; one that knows a library need not make it again. With ``passages``, words of the pages that a
    search finds first stand above their gists also where all gists are shown. A clause that the question names always
    does, and its page is the likeliest.
    """
    if up_to is not None:
        memory = await memory_up_to(memory.whole, up_to, session)
        history = [turn for turn in history if turn.up_to is not None and turn.up_to <= up_to]
    turns = _turns(question, session, history)
    memory = await fit_memory(memory, session)
    whole = pages_of(memory)
    wanted = _with_last(question, history)
    hints: Sequence[Hint] = () if session.hinter is None else await session.hinter.hints(whole, wanted)
    found = likely_pages(hints, share=0)
    most = _SNIPPETS if memory is not whole else _PASSAGES if passages else 0
    near = snippets(whole, found[:most], wanted.shown())
    room = room_for(memory, session)
    clauses = _clauses(whole, question.text, room)
    found = tuple(dict.fromkeys((*clauses, *found)))
    near |= {page: text for page, text in clauses.items() if whole.gists[page].origin != "verbatim"}
    return Situation(view_of(memory, found, room.tokens, room.count, near), question, turns, found)


def _clauses(memory: GistMemory, question: str, room: Room) -> dict[int, str]:
    """Return the clauses that a question names by the page on which they begin, as far as they have room."""

    def fitting(words: list[str]) -> str:
        kept = largest(len(words), lambda most: room.count(" ".join(words[:most])) <= room.tokens * _CLAUSE)
        return " ".join(words[:kept])

    found = defaultdict[int, list[str]](list)
    for start, text in clauses_in(memory.document, question):
        found[memory.page_at(start)].append(text.strip())
    return {page: fitting(" … ".join(texts).split()) for page, texts in found.items()}


def _with_last(question: Question, history: Sequence[Turn]) -> Question:
    """Return what is searched for: a question that follows another one may not say what it is about."""
    return replace(question, text=f"{history[-1].question} {question.text}") if history else question


def likely_pages(hints: Sequence[Hint], share: float = _SHARE) -> tuple[int, ...]:
    """Return the pages that are better than most and have a share of the best score, best first."""
    least = share * max((hint.score for hint in hints), default=0.0)
    return tuple(dict.fromkeys(hint.page for hint in hints if hint.score > 0 and hint.score >= least))


def _turns(question: Question, session: Session, history: Sequence[Turn]) -> str:
    """Return the latest turns that fit next to the question, as text."""
    room = session.window.question - session.window.count(question.shown())
    if room < 0 and session.window.tokens is not None:
        raise UsageError(
            f"the question is too long for a window of {session.window.tokens} tokens",
            hint=f"shorten it to about {session.window.question * 2 // 3} words, or use a model with a larger window",
        )
    shown: list[str] = []
    for turn in reversed(history):
        text = f"Question: {turn.question}\nAnswer: {turn.answer}"
        room -= session.window.count(text)
        if room < 0:
            break
        shown.insert(0, text)
    return "\n\n".join(shown)


async def choose_passages(
    memory: GistMemory,
    question: Question,
    session: Session,
    history: Sequence[Turn] = (),
    up_to: int | None = None,
    *,
    fit_memory: Fit = shorten_and_fit,
    passages: bool = False,
) -> tuple[Quote, ...]:
    """Return the pages that the model chooses to open for a question, as passages, in the order of its choice.

    They are pages of ``memory.whole``. If the model wants none, because the gists tell it enough, the page that a
    search finds nearest is returned. The parameters are those of ``ask``.
    """
    situation = await prepare(memory, question, session, history, up_to, fit_memory, passages=passages)
    if session.plan.look_up != "sequential":
        session = replace(session, plan=replace(session.plan, look_up="parallel"))
    chosen = (await look_up(situation, session, lambda opened: True)).pages
    if not chosen and session.plan.max_pages:
        chosen = tuple(nearest(situation)[:1])
    return pages_as_passages(situation.memory, chosen)


def pages_as_passages(memory: GistMemory, numbers: Sequence[int]) -> tuple[Quote, ...]:
    """Return pages as passages of the text, without the white space around them."""
    texts = [memory.page_text(number) for number in numbers]
    starts = [
        memory.pages[number].start + len(text) - len(text.lstrip()) for number, text in zip(numbers, texts, strict=True)
    ]
    return tuple(
        Quote(text.strip(), number, _paragraph(memory, start), start, start + len(text.strip()), place)
        for number, text, start, place in zip(numbers, texts, starts, memory.document.places(starts), strict=True)
    )


def _paragraph(memory: GistMemory, offset: int) -> int:
    found = memory.document.paragraph_at(offset)
    return 0 if found is None else found.index
