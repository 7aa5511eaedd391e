"""Read in one pass: one call gets a window of many pages and returns where they end, with their gists.

Windows follow one another and are sent concurrently, so the text is read once. A window may have several sections.
Where two windows meet inside a section, the last page of one and the first of the next become one page if that is not
too long. A pause where no page may end is moved to the nearest place where one may. The gist of a page is what the
reply has for it or for its parts; if that is missing or useless, the gist is requested separately.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass

from readagent.core.concurrency import FirstCalls, one_error, together
from readagent.core.escaping import escape_tags
from readagent.core.gists.shorten import LEAD_SHARE, VERBATIM_WORDS, Place, check_of, length_problem
from readagent.core.gists.sizes import Measure, asked_words, exchange, length_in_words
from readagent.core.memory import Gist, Page, Span
from readagent.core.model import Ask, Material, Reply
from readagent.core.pages.breaks import PageBreaks
from readagent.core.pages.page_form import Pages
from readagent.core.pages.windows import Room, cut_windows, expected_labels, label_places, room_for
from readagent.core.session import Session, useless
from readagent.core.trace import Fallback
from readagent.core.words import count_words

_REPLY_SHARE = 0.35  # tokens of the reply (gists and labels) per token of text, with some to spare
_TOO_LONG = 1.5  # times the words asked for that all gists of a window may have
_MISFITS = 0.5  # share of the pages of a reply, above which their gists are about other places of the text


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of text up to ``end``: a page in a reply, or the rest of a window. ``named`` if the reply named it.

    It is not ``asked`` about if no page may end inside it.
    """

    end: int
    gist: str = ""
    named: bool = False
    asked: bool = True


Windows = Mapping[Span, list[Piece]]
Unusable = Callable[[str, Reply, int], None]
Named = list[tuple[int, str]]  # the offset where each page of a reply ends, and its gist


def runs(sections: Sequence[Span], pinned: Collection[Span]) -> list[Span]:
    """Return the sections with those that follow each other joined; pinned pages stay apart, for they are not sent."""
    joined: list[Span] = []
    for section in sections:
        if joined and not {joined[-1], section} & set(pinned):
            joined[-1] = joined[-1][0], section[1]
        else:
            joined.append(section)
    return joined


def window_room(text: PageBreaks, session: Session) -> Room | None:
    """Return the words of a window, or None if the model's window takes hardly more than a page."""
    room = _room(text, session)
    return None if room.aim < text.plan.page_words + text.plan.min_page_words else room


def _room(text: PageBreaks, session: Session) -> Room:
    """Return the words of a window: limited by quality, by the model's window and by the reply."""
    room = room_for(text)
    if session.window.tokens is None or session.window.prompt is None:
        return room
    count = session.window.count
    around = count(_prompt(session, Pages((0,), 0, 0), "")) + 64
    labelled = count(text.document.text) + expected_labels(text) * count("\n<1000>")
    a_word = 1.05 * labelled / max(1, len(text.index))  # some parts of a text have longer words than others
    tokens = min(session.window.prompt - around, (session.window.tokens - around) / (1 + _REPLY_SHARE))
    return room.at_most(max(1, int(tokens / a_word)))


async def one_pass(
    text: PageBreaks,
    start: int,
    end: int,
    room: Room,
    session: Session,
    calls: FirstCalls,
    found: Callable[[Page, Gist | None], None],
    read: Windows,
) -> None:
    """Find the pages of consecutive sections, and their gists if the replies have them.

    ``read`` are windows that were read already.
    """
    if is_one_page(text, start, end):
        found(text.page(0, start, end), None)
        return
    windows = cut_windows(text, start, end, room)

    async def pieces_of(window: Span) -> list[Piece]:
        if window in read:
            return read[window]
        async with calls:
            return await read_window(text, *window, session)

    with one_error():
        async with asyncio.TaskGroup() as tasks:
            under_way = [tasks.create_task(pieces_of(window)) for window in windows]
            pieces: list[Piece] = []  # those of which no page is made yet; the first of them begins at ``begin``
            begin, whole = start, True  # whether a section begins at ``start``
            for task, (_, known) in zip(under_way, windows, strict=True):
                pieces += await task
                while start < known:
                    section = text.section_end(start)
                    if known < min(section, text.index.after(start, text.plan.page_words)):
                        break
                    stop = _end(text, start, section, whole, pieces, session)
                    inside = [piece for piece in pieces if piece.end <= stop]
                    complete = bool(inside) and begin == start and inside[-1].end == stop
                    page = text.page(0, start, stop)
                    found(page, _gist(page, inside, session) if complete else None)
                    pieces = pieces[len(inside) :]
                    begin = inside[-1].end if inside else begin
                    start, whole = stop, stop == section


def _end(text: PageBreaks, start: int, section: int, whole: bool, pieces: list[Piece], session: Session) -> int:
    """Return where the page from ``start`` ends, and record a fallback if a pause had to be moved for that.

    A ``whole`` section that fits a page is one.
    """
    ends = [piece.end for piece in pieces if piece.end <= section]
    named = [piece.end for piece in pieces if piece.named and start < piece.end <= section]
    one_page = whole and text.legal(start, section)[0] == [section]
    end = section if one_page else text.nearest(start, section, named, ends)
    for _ in range(sum(pause < end for pause in named)):
        session.fell_back(Fallback("read", "a pause was named where no page may end", "the next legal place", at=start))
    if end not in ends and next((piece.asked for piece in pieces if piece.end > end), True):
        sizes = f"{text.plan.min_page_words} to {text.plan.page_words} words"
        missing = "where a section ends" if end == section else f"after {sizes}"
        taken = "the end of the section" if end == section else "a place in that range"
        session.fell_back(Fallback("read", f"no pause was named {missing}", taken, at=start))
    return end


def _gist(page: Page, pieces: list[Piece], session: Session) -> Gist | None:
    """Return the gists of the pieces of a page as one; None if one is missing, or they are too long together."""
    if page.words <= VERBATIM_WORDS or not all(piece.gist for piece in pieces):
        return None
    whole = " ".join(piece.gist for piece in pieces)
    limit = session.plan.gist_words
    too_long = limit and length_in_words(whole) > limit and len(pieces) > 1
    return None if too_long else Gist(whole, count_words(whole))


def is_one_page(text: PageBreaks, start: int, end: int) -> bool:
    """Return whether a stretch is a section that fits a page: the model is not asked where it ends."""
    return text.legal(start, end)[0] == [end] and end == text.section_end(start)


def is_asked(text: PageBreaks, start: int, end: int, places: list[int]) -> bool:
    """Return whether the model is asked about a window with labels at these places.

    If not, it is one page, whose gist is requested alone.
    """
    return len(places) > 1 and text.index.count(start, end) > text.plan.min_page_words


async def read_window(text: PageBreaks, start: int, end: int, session: Session) -> list[Piece]:
    """Return the pieces of a window; where the model named no page, record that it is divided evenly."""
    failed = False

    def unusable(problem: str, reply: Reply, at: int) -> None:
        nonlocal failed
        failed = True
        session.fell_back(divided_evenly(problem, at))

    pieces = await tried_window(text, start, end, session, unusable)
    session.modes.read(usable=not failed)
    return pieces


def divided_evenly(problem: str, at: int) -> Fallback:
    """Return the fallback for a window of which the model named no page."""
    return Fallback("read", problem, "pages of even length, and each gist requested separately", at=at)


async def tried_window(text: PageBreaks, start: int, end: int, session: Session, unusable: Unusable) -> list[Piece]:
    """Return the pieces of a window, from one reply or as many as are needed.

    ``unusable`` is called with the problem, the reply and the offset where the model named no page.
    """
    places, sections = label_places(text, start, end)
    if not is_asked(text, start, end, places):
        return [Piece(end, asked=False)]
    labels = [text.index.count(start, place) for place in places]
    breaks = tuple(text.index.count(start, place) for place in sections)
    form = Pages(tuple(labels), text.plan.min_page_words, text.plan.page_words, breaks)
    ask = _ask(text, start, places, form, session)
    if not session.window.fits(ask.prompt):
        middle = places[(len(places) - 1) // 2]
        halves = (start, middle), (middle, end)
        first, second = await together(tried_window(text, *half, session, unusable) for half in halves)
        return first + second
    passage = text.document.text[start:end]
    wanted = asked_words(session.plan, labels[-1], length_in_words(passage))
    wanted = round(wanted * exchange(passage, session.plan.gist_language))
    by_label = dict(zip(labels, places, strict=True))

    def pages(reply: Reply) -> Named:
        return [(by_label[label], gist) for label, gist in form.parse(reply.text)]

    def misfits(named: Named) -> bool:
        return _are_misfits(text, start, named, session)

    reply, named, problem = await _named(session, ask, pages, misfits, wanted)
    if problem and not named:
        unusable(problem, reply, start)
    if reply.finish == "length" and named:
        named.pop()  # it may have been cut off
    found = _pieces(text, start, end, named, session)
    last = found[-1].end if found else start
    if last == end:
        return found
    if reply.finish == "length" and found:
        return found + await tried_window(text, last, end, session, unusable)
    return [*found, Piece(end, asked=bool(found))]  # without any page, that is the problem, and not each pause


def _ask(text: PageBreaks, start: int, places: list[int], form: Pages, session: Session) -> Ask:
    """Return the ask for a window from ``start``, with a label at each of the places."""
    pieces = [text.document.text[a:b].strip() for a, b in zip([start, *places], places, strict=False)]
    passage = "\n".join(f"{escape_tags(piece)}\n<{label}>" for piece, label in zip(pieces, form.labels, strict=True))
    words = asked_words(text.plan, text.plan.page_words, text.plan.page_words) or int(LEAD_SHARE * text.plan.page_words)
    material = Material(passages=tuple(pieces), words=words)
    return Ask("read", _prompt(session, form, passage), material=material, form=form)


async def _named(
    session: Session, ask: Ask, pages: Callable[[Reply], Named], misfits: Callable[[Named], bool], wanted: int
) -> tuple[Reply, Named, str]:
    """Return the reply, the pages that it names, and the problem if there are none after a reminder.

    A reply most of whose gists are ``misfits`` names none. Gists that together are far longer than the words that are
    ``wanted`` are asked for once more.
    """
    replies: list[tuple[Reply, Named]] = []  # those that name pages

    def judge(reply: Reply) -> tuple[tuple[Reply, Named], str]:
        problem = useless(reply)
        named = [] if problem else pages(reply)
        if misfits(named):
            problem, named = "most of its shortened pages were about other pages", []
        if not named:
            return (replies[0], "") if replies else ((reply, []), problem or "it named no page")
        replies.append((reply, named))
        words = _words(named)
        if len(replies) == 1 and wanted and words > _TOO_LONG * wanted and session.reminders.useful:
            return replies[0], f"the shortened pages had {words} words, and about {wanted} were asked for"
        if len(replies) > 1:
            session.reminders.sent(_words(replies[0][1]), words)
        return min(replies, key=lambda one: (one[0].finish == "length", _words(one[1]))), ""

    (reply, named), problem = await session.judged(ask, judge)
    return reply, named, problem


def _words(named: Named) -> int:
    return sum(length_in_words(gist) for _, gist in named)


def _are_misfits(text: PageBreaks, start: int, named: Named, session: Session) -> bool:
    """Return whether most gists of a reply are about other pages, as where each is given one page late."""
    wrong, source = 0, text.document.text
    for end, gist in named:
        wrong += bool(gist and check_of(session, Place(source, start, end)).misfit(gist, source[start:end]))
        start = end
    return wrong > max(1, _MISFITS * len(named))


def _pieces(text: PageBreaks, start: int, end: int, named: Named, session: Session) -> list[Piece]:
    """Return the pages of a reply as pieces; useless gists are left out. The end of a window is not a pause."""
    found, source, plan = list[Piece](), text.document.text, session.plan
    frame = _prompt(session, Pages((0,), 0, 0), "")
    for pause, gist in named:
        page, place = source[start:pause], Place(source, start, pause)
        measure = Measure.of(page)
        length = measure.length(page)
        wanted = round(asked_words(plan, count_words(page), length) * exchange(page, plan.gist_language))
        problem = check_of(session, place, frame, wanted).problem(gist, page) if gist else "it was empty"
        problem = problem or length_problem(gist, length, plan.gist_words or None, measure)
        found.append(Piece(pause, "" if problem else gist, named=pause < end))
        start = pause
    return found


def _prompt(session: Session, form: Pages, passage: str) -> str:
    plan, measure = session.plan, Measure.of(passage)
    of_gist = Measure.of_gist(passage, plan.gist_language)
    in_characters = bool(plan.gist_words and of_gist.characters)
    limited = bool(plan.gist_words) and not (in_characters and session.prompts.built_in)
    a_word = measure.length(passage) / max(1, count_words(passage))
    rate = 1 if plan.gist_words else exchange(passage, plan.gist_language)
    sizes = (asked_words(plan, words, int(words * a_word)) for words in (form.most, form.least))
    longest, shortest = (round(rate * words) for words in sizes)
    return session.prompts.fill(
        "read",
        passage=passage,
        instructions=plan.instructions,
        task=plan.task,
        language=plan.gist_language,
        limit=longest if limited else 0,
        aim=of_gist.told(longest) if in_characters or not plan.gist_words else "",
        shortest=shortest if limited else of_gist.told(shortest),
        least=form.least,
        most=form.most,
        last=form.labels[-1],
        sections=", ".join(f"<{label}>" for label in form.breaks),
    )
