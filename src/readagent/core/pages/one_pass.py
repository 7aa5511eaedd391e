"""Read in one pass: one call gets a window of many pages and returns where they end, with their gists.

The windows of a section follow one another and are sent concurrently, so the text is read once. Where two windows meet,
the last page of one and the first of the next become one page if that is not too long. A pause where no page may end is
moved to the nearest place where one may. The gist of a page is what the reply has for it or for its parts; if that is
missing or useless, the gist is requested separately.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass

from readagent.core.concurrency import one_error, together
from readagent.core.form import Pages
from readagent.core.gists.measure import Measure, length_in_words
from readagent.core.gists.shorten import LEAD_SHARE, VERBATIM_WORDS, check_of, judge_gist
from readagent.core.gists.sizes import aimed_words
from readagent.core.memory import Gist, Page
from readagent.core.model import Ask, Material, Reply
from readagent.core.pages.breaks import PageBreaks
from readagent.core.session import Session, useless
from readagent.core.tags import escape_tags
from readagent.core.trace import Fallback
from readagent.core.words import count_words

WORDS = 5000  # maximum words of a window; gists get careless if one reply covers more
_PAGES = 3  # pages of maximum length that a window may have even if they are longer than that
_AT_ONCE = 16  # windows that a shorter text is divided into, so that they can be read concurrently,
_ENOUGH = 4, 2000  # if each has at least this many pages of maximum length, and this many words
_REPLY_SHARE = 0.35  # tokens of the reply (gists and labels) per token of text, with some to spare
_TOO_LONG = 1.5  # times the words to aim at that all gists of a window may have
_LABELS = 30  # maximum labels per page, because labels cost words too


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of text up to ``end``: a page in a reply, or the rest of a window. ``named`` if the reply named it."""

    end: int
    gist: str = ""
    named: bool = False


def most_words(page_words: int) -> int:
    """Return how many words a window may have at most, whatever the model: some more than it aims at."""
    return round(1.2 * max(WORDS, _PAGES * page_words))


def window_words(text: PageBreaks, session: Session) -> int:
    """Return the maximum words of a window: limited by quality, by the model's window and by the reply."""
    words, longest = len(text.index), text.plan.page_words
    enough = max(_ENOUGH[0] * longest, _ENOUGH[1])
    count = max(-(-words // max(WORDS, _PAGES * longest)), min(_AT_ONCE, words // enough), 1)
    most = max(2 * longest, -(-words // count))
    if session.window.tokens is None or session.window.prompt is None:
        return most
    around = session.window.count(_prompt(session, Pages((0,), 0, 0), "")) + 64
    a_word = (
        session.window.count(text.document.text) / max(1, words) * 1.15
    )  # with labels, and with room for windows that are somewhat longer
    room = min(session.window.prompt - around, (session.window.tokens - around) / (1 + _REPLY_SHARE))
    return min(most, int(room / a_word))


async def one_pass(
    text: PageBreaks, start: int, section: int, room: int, session: Session, found: Callable[[Page, Gist | None], None]
) -> None:
    """Find the pages of one section in windows of at most ``room`` words, and their gists if the replies have them."""
    if text.legal(start, section)[0] == [section]:
        found(text.page(0, start, section), None)
        return
    windows = _windows(text, start, section, room)
    with one_error():
        async with asyncio.TaskGroup() as tasks:
            under_way = [tasks.create_task(_read(text, begin, end, section, session)) for begin, end in windows]
            pieces: list[Piece] = []  # those of which no page is made yet; the first of them begins at ``begin``
            begin = start
            for task, (_, known) in zip(under_way, windows, strict=True):
                pieces += await task
                while start < section and (known == section or text.index.after(start, text.plan.page_words) <= known):
                    end = _end(text, start, section, pieces, session)
                    inside = [piece for piece in pieces if piece.end <= end]
                    whole = bool(inside) and begin == start and inside[-1].end == end
                    page = text.page(0, start, end)
                    found(page, _gist(page, inside, session) if whole else None)
                    pieces = pieces[len(inside) :]
                    begin = inside[-1].end if inside else begin
                    start = end


def _windows(text: PageBreaks, start: int, section: int, room: int) -> list[tuple[int, int]]:
    """Return windows of equal length for a section, each ending with a scene, a paragraph or at least a sentence."""
    words, before = text.index.count(start, section), text.index.count(0, start)
    count = -(-words // room)
    ends = [start]
    for i in range(1, count):
        ends.append(text.anchor(ends[-1], before + i * words // count, room // 20))
    return list(zip(ends, [*ends[1:], section], strict=True))


def _end(text: PageBreaks, start: int, section: int, pieces: list[Piece], session: Session) -> int:
    """Return where the page from ``start`` ends, and record a fallback if a pause had to be moved for that."""
    named = [piece.end for piece in pieces if piece.named and piece.end > start]
    end = text.nearest(start, section, named, [piece.end for piece in pieces])
    for _ in range(sum(pause < end for pause in named)):
        session.fell_back(Fallback("read", "a pause was named where no page may end", "the next legal place", at=start))
    if end < section and not any(piece.end == end for piece in pieces):
        sizes = f"{text.plan.min_page_words} to {text.plan.page_words} words"
        session.fell_back(Fallback("read", f"no pause was named after {sizes}", "a place in that range", at=start))
    return end


def _gist(page: Page, pieces: list[Piece], session: Session) -> Gist | None:
    """Return the gists of the pieces of a page as one; None if one is missing, or they are too long together."""
    if page.words <= VERBATIM_WORDS or not all(piece.gist for piece in pieces):
        return None
    whole = " ".join(piece.gist for piece in pieces)
    limit = session.plan.gist_words
    too_long = limit and length_in_words(whole) > limit and len(pieces) > 1
    return None if too_long else Gist(whole, count_words(whole))


async def _read(text: PageBreaks, start: int, end: int, section: int, session: Session) -> list[Piece]:
    """Return the pieces of a window, from one reply or as many as are needed."""
    if text.index.count(start, end) <= text.plan.min_page_words:
        return [Piece(end)]
    places = _places(text, start, end, section)
    form = Pages(
        tuple(text.index.count(start, place) for place in places), text.plan.min_page_words, text.plan.page_words
    )
    ask = _ask(text, start, places, form, session)
    if not session.window.fits(ask.prompt):
        if len(places) < 2:
            return [Piece(end)]
        middle = places[(len(places) - 1) // 2]
        halves = (start, middle), (middle, end)
        first, second = await together(_read(text, *half, section, session) for half in halves)
        return first + second
    reply, named = await _named(
        session, ask, form, start, _aim(session, length_in_words(text.document.text[start:end]))
    )
    by_label = dict(zip(form.labels, places, strict=True))
    if reply.finish == "length" and named:
        named.pop()  # it may have been cut off
    found = _pieces(text, start, end, [(by_label[label], gist) for label, gist in named], session)
    last = found[-1].end if found else start
    if last == end:
        return found
    if reply.finish == "length" and found:
        return found + await _read(text, last, end, section, session)
    return [*found, Piece(end)]


def _ask(text: PageBreaks, start: int, places: list[int], form: Pages, session: Session) -> Ask:
    """Return the ask for a window from ``start``, with a label at each of the places."""
    pieces = [text.document.text[a:b].strip() for a, b in zip([start, *places], places, strict=False)]
    passage = "\n".join(f"{escape_tags(piece)}\n<{label}>" for piece, label in zip(pieces, form.labels, strict=True))
    words = text.plan.gist_words or _aim(session, text.plan.page_words) or int(LEAD_SHARE * text.plan.page_words)
    material = Material(passages=tuple(pieces), words=words)
    return Ask("read", _prompt(session, form, passage), material=material, form=form)


async def _named(session: Session, ask: Ask, form: Pages, start: int, aim: int) -> tuple[Reply, list[tuple[int, str]]]:
    """Return the reply and the pages that it names; if there are none after a reminder, record the fallback.

    Gists that together are far longer than the words to ``aim`` at are asked for once more.
    """
    replies: list[tuple[Reply, list[tuple[int, str]]]] = []  # those that name pages

    def judge(reply: Reply) -> tuple[tuple[Reply, list[tuple[int, str]]], str]:
        problem = useless(reply)
        named = [] if problem else form.parse(reply.text)
        if not named:
            return (replies[0], "") if replies else ((reply, []), problem or "it named no page")
        replies.append((reply, named))
        words = _words(named)
        if len(replies) == 1 and aim and words > _TOO_LONG * aim and session.reminders.useful:
            return replies[0], f"the shortened pages had {words} words, and about {aim} were asked for"
        if len(replies) > 1:
            session.reminders.sent(_words(replies[0][1]), words)
        return min(replies, key=lambda one: (one[0].finish == "length", _words(one[1]))), ""

    found, problem = await session.judged(ask, judge)
    if problem and not replies:
        session.fell_back(
            Fallback("read", problem, "pages of even length, and each gist requested separately", at=start)
        )
    return found


def _words(named: list[tuple[int, str]]) -> int:
    return sum(length_in_words(gist) for _, gist in named)


def _aim(session: Session, words: int) -> int:
    """Return the words to aim at for the gists of a passage with this many words; 0 if there is a limit instead."""
    plan = session.plan
    return 0 if plan.gist_words or not plan.aim else aimed_words(plan.page_words, words)


def _pieces(text: PageBreaks, start: int, end: int, named: list[tuple[int, str]], session: Session) -> list[Piece]:
    """Return the pages of a reply as pieces; useless gists are left out. The end of a window is not a pause."""
    found, check = [], check_of(session)
    for pause, gist in named:
        page = text.document.text[start:pause]
        shortened, problem = judge_gist(
            Reply(gist),
            (measure := Measure.of(page)).length(page),
            session.plan.gist_words or None,
            lambda shortened, page=page: check.problem(shortened, page),  # type: ignore[misc]
            measure,
        )
        found.append(Piece(pause, "" if problem else shortened, named=pause < end))
        start = pause
    return found


def _places(text: PageBreaks, start: int, end: int, section: int) -> list[int]:
    """Return where to put labels in a window, the last at its end: not too close together, and at scene ends."""
    apart = max(1, text.plan.page_words // _LABELS)
    left = text.plan.min_page_words if end == section else apart
    places, last = [], start
    for place in text.ends(start, end):
        if text.index.count(place, end) < left:
            break
        if text.index.count(last, place) >= apart:
            places.append(place)
        elif places and text.ends_scene(place):
            places[-1] = place
        last = places[-1] if places else start
    return [*places, end]


def _prompt(session: Session, form: Pages, passage: str) -> str:
    measure, limit = Measure.of(passage), session.plan.gist_words
    in_characters = bool(limit and measure.characters)
    longest = form.most * measure.length(passage) // max(1, count_words(passage))
    return session.prompts.fill(
        "read",
        passage=passage,
        instructions=session.plan.instructions,
        task=session.plan.task,
        limit=0 if in_characters and session.prompts.built_in else limit,
        aim=measure.told(limit if in_characters else _aim(session, longest)),
        least=form.least,
        most=form.most,
        last=form.labels[-1],
    )
