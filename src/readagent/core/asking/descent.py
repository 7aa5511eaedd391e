"""Prepare a question: fit the memory to the window, go down its tree, find hints; or choose pages without answering."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import replace

from readagent.core.asking.lookup import as_seen_in, closest, find_hints, look_up, pages_to_show
from readagent.core.asking.position import memory_up_to
from readagent.core.asking.situation import Situation, Span
from readagent.core.asking.zoom import below, how_many, is_part, looked_up_in, split_parts, with_pages, with_snippets
from readagent.core.form import Choice
from readagent.core.gists.merge import fit, fits
from readagent.core.gists.rewrite import shorten_older
from readagent.core.memory import GistMemory
from readagent.core.model import Ask, Hint, number_ranges
from readagent.core.question import Lookup, Question, Quote, Searched, Turn
from readagent.core.session import Session
from readagent.errors import UsageError

MOST_PARTS = 2  # chosen at a time
MOST_CALLS = 8  # to choose parts and pages and to answer, before nothing else is looked into
_AFTER = 2  # calls after parts are chosen: look-up and answer


async def go_down(situation: Situation, session: Session) -> Situation:
    """Return the situation with the pages of the parts that the model chooses; the same one if there are no parts."""
    tree = situation.memory
    if session.plan.max_pages == 0 or session.plan.look_up == "none" or not _parts(tree):
        return situation
    return await _from(replace(situation, tree=tree), session, ())


async def look_elsewhere(situation: Situation, session: Session, lookup: Lookup) -> Situation | None:
    """Return another view of the tree, or None if there is no other part or no call left.

    Parts that the model asked for among the pages are looked into without choosing again.
    """
    tree = situation.tree
    if tree is None:
        return None
    wanted = [situation.memory.pages[number] for number in lookup.did_not_fit if is_part(situation.memory, number)]
    spans = {(page.start, page.end) for page in wanted}
    asked = [number for number in _parts(tree) if _span(tree, number) in spans - situation.seen]
    left = [number for number in _parts(tree) if _span(tree, number) not in situation.seen]
    calls = sum(call.step in ("look_up", "direct", "respond") for call in session.trace.calls[situation.before :])
    if not left or calls + _depth(tree) + _AFTER > MOST_CALLS:
        return None
    opened = {_span(situation.memory, number) for number in lookup.pages}
    earlier = (*situation.earlier, (situation.memory, lookup))
    back = replace(situation, memory=tree, seen=situation.seen | opened, earlier=earlier)
    return await _from(back, session, asked)


def searched(situation: Situation, of: GistMemory) -> Searched:
    """Return the pages of a memory whose gists were shown, in all views, and the parts that were looked into."""
    views = [situation.memory, *(memory for memory, _ in situation.earlier)]
    shown = {_span(view, page.number) for view in views for page in view.pages}
    pages = sum((page.start, page.end) in shown for page in of.whole.pages)
    top = situation.tree or situation.memory
    parts = [_span(top, number) for number in _parts(top)]
    return Searched(pages, len(of.whole.pages), sum(part in situation.seen for part in parts), len(parts))


async def _from(situation: Situation, session: Session, chosen: Sequence[int]) -> Situation:
    """Return the situation after parts were chosen, on each level, until pages are shown."""
    tree = view = situation.memory
    hints, seen = await _hints(tree, situation, session), situation.seen
    offered = [number for number in _parts(tree) if _span(tree, number) not in seen]
    while offered:
        shown = replace(situation, memory=view, hints=as_seen_in(view, hints))
        chosen = chosen or (offered if len(offered) == 1 else await _choose(shown, session, offered))
        inside = {(page.start, page.end) for number in chosen for page, _ in below(view, number)}
        before, view = view, split_parts(view, chosen, session)
        if before is tree:
            left = {(page.start, page.end) for page in view.pages}
            seen |= {_span(tree, number) for number in chosen} - left
        offered = [number for number in _parts(view) if _span(view, number) in inside]
        chosen = ()
    most = situation.most_hints(session.plan.max_pages)
    if hints and not session.plan.memory_words:
        most = max(most, how_many(session.window, tree.whole.page_text(hints[0].page)))
    view = with_pages(view, pages_to_show(hints, most, share=0))
    near = as_seen_in(view, hints)
    found = [page for page in pages_to_show(near, most, share=0) if not is_part(view, page)]
    seen |= {_span(view, page) for page in found}
    view = with_snippets(view, found, situation.question.shown())
    return replace(situation, memory=view, hints=near, seen=seen)


async def _hints(tree: GistMemory, situation: Situation, session: Session) -> tuple[Hint, ...]:
    """Return hints to the pages of the whole memory that were not found or opened yet, if the plan wants any."""
    if session.plan.hints is False:
        return ()
    whole = tree.whole
    found = await find_hints(whole, situation.question, session.hinter)
    return tuple(hint for hint in found if _span(whole, hint.page) not in situation.seen)


async def _choose(situation: Situation, session: Session, offered: Sequence[int]) -> tuple[int, ...]:
    """Return the parts that the model wants to look into; the closest one if it names none."""
    memory = situation.memory
    values = tuple(map(str, offered))
    most = min(MOST_PARTS, len(values))
    hints = [page for page in pages_to_show(situation.hints, len(memory.pages)) if page in offered]
    seen = [page.number for page in memory.pages if (page.start, page.end) in situation.seen]
    choice = Choice(values, most=most, label="Parts")
    prompt = situation.prompt(
        session,
        "look_up_parts",
        form=choice,
        most=most,
        offered=number_ranges(offered),
        hints=", ".join(f"Part {number}" for number in hints[: situation.most_hints(session.plan.max_pages)]),
        seen=", ".join(f"Part {number}" for number in seen),
    )
    ask = Ask("look_up", prompt, choice, situation.material())

    def fallback() -> tuple[str, ...]:
        near = [str(page) for page in hints] or [one for one in closest(situation) if one in values]
        return tuple((near or list(values))[:1])

    return tuple(map(int, await session.decide(ask, fallback, about="parts", name="part {}".format)))


def _parts(memory: GistMemory) -> list[int]:
    return [page.number for page in memory.pages if is_part(memory, page.number)]


def _span(memory: GistMemory, number: int) -> Span:
    return memory.pages[number].start, memory.pages[number].end


def _depth(tree: GistMemory) -> int:
    """Return how many times parts are chosen before pages are shown."""
    depth, level, pages = 0, tree.finer, len(tree.pages)
    while level is not None:
        depth, pages, level = depth + (len(level.pages) > pages), len(level.pages), level.finer
    return depth


Fit = Callable[[GistMemory, Session], Awaitable[GistMemory]]


async def shorten_and_fit(memory: GistMemory, session: Session) -> GistMemory:
    """Return the memory with older gists shortened as the plan says, and with a tree above it if it is too long."""
    return await fit(await shorten_older(memory, session), session)


async def prepare(
    memory: GistMemory,
    question: Question,
    session: Session,
    history: Sequence[Turn] = (),
    fit_memory: Fit = shorten_and_fit,
) -> Situation:
    """Return the question with a memory that fits the window, and as many of the latest turns as fit.

    ``fit_memory`` makes the memory fit the window; one that knows a library need not merge pages again.
    """
    turns, before = _turns(question, session, history), len(session.trace.calls)
    memory = await fit_memory(memory, session)
    too_long = memory.window is not None or not fits(memory, session)
    situation = Situation(memory, question, turns, may_cut=too_long, before=before)
    shown = await go_down(situation, session)
    if shown is not situation or not (too_long if session.plan.hints is None else session.plan.hints):
        return shown
    return replace(situation, hints=await find_hints(memory, question, session.hinter))


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
) -> tuple[Quote, ...]:
    """Return the pages that the model chooses to open for a question, as passages, in the order of its choice.

    They are pages of ``memory.whole``. If the model wants none, because the gists tell it enough, the page that shares
    the rarest words with the question is returned. The parameters are those of ``ask``.
    """
    plan = session.plan
    one_by_one = plan.look_up == "sequential"
    session = replace(session, plan=plan if one_by_one else replace(plan, look_up="parallel"))
    whole = memory.whole
    if up_to is not None:
        memory = whole = await memory_up_to(whole, up_to, session)
        history = [turn for turn in history if turn.up_to is not None and turn.up_to <= up_to]
    situation = await prepare(memory, question, session, history, fit_memory)
    chosen = await look_up(situation, session, lambda opened: not is_part(situation.memory, opened[-1]))
    numbers: Iterable[int] = looked_up_in(whole, [(situation.memory, Lookup(chosen.pages))]).pages
    if not numbers and plan.max_pages:
        numbers = map(int, closest(replace(situation, memory=whole)))
    return pages_as_passages(whole, tuple(numbers))


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
