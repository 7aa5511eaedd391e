"""Shorten a page to its gist. A useless reply is asked for once more; then the page's opening sentences are used."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass, replace

from readagent.core.escaping import escape_tags
from readagent.core.form import Form, Text, strip_thinking, unfenced
from readagent.core.gists.check import Check
from readagent.core.gists.sizes import Measure, asked_words, exchange, length_in_words
from readagent.core.memory import Gist, Origin, Page
from readagent.core.model import Ask, Material, Reply
from readagent.core.session import Reminders, Session, useless
from readagent.core.trace import Fallback, GistDone
from readagent.core.window import parts
from readagent.core.words import count_words, lead
from readagent.errors import UsageError

VERBATIM_WORDS = 30  # a page this short is its own gist
LEAD_SHARE = 0.15  # share of the page for the opening sentences that replace a gist
_LEAST = 10  # minimum words for the gist of a part, if there is a limit
_SHORTEST = 25  # minimum words for a gist, if there is no limit
_TOO_LONG = 1.5  # times the limit, or the words to aim at, that a gist may have
_ROOM = 4  # times the tokens of a gist; a reply that was cut later than that was not short of room
_LEAST_HALVED = 200  # tokens of a passage that is worth halving
_TEMPLATE = 128  # tokens that servers add to a prompt
_WORDS = Measure()

GIST = Form((Text("Gist"),))


@dataclass(frozen=True, slots=True)
class Place:
    """Where a passage is: offsets in the text of a document, whose other pages its gist is compared with."""

    document: str = ""
    start: int = 0
    end: int = 0


@dataclass(frozen=True, slots=True)
class Earlier:
    """The gist of a page that is to be improved, and a note on what matters."""

    text: str = ""
    note: str = ""


_NONE, _ALONE = Earlier(), Place()


async def gist_page(
    session: Session,
    page: Page,
    text: str,
    *,
    limit: int | None = None,
    known: Gist | None = None,
    unlike: str = "",
    document: str = "",
) -> Gist:
    """Return the gist of one page, made of parts if the page is too long for the window.

    ``limit`` is the maximum number of words; without it, the plan says what a page of this length gets. A ``known``
    gist is returned unchanged. A gist ``unlike`` this one is wanted, which is that of another page. ``document`` is the
    text that the page is from, if its gist is to be compared with other pages.
    """
    text = text.strip()
    if known is not None:
        gist = known
    elif length_in_words(text) <= min(VERBATIM_WORDS, _most(session, limit) or VERBATIM_WORDS):
        gist = Gist(text, page.words, "verbatim")
    else:
        place = Place(document, page.start, page.end) if document else _ALONE
        gist = await _shortened(session, page, text, limit, unlike, place)
    session.emit(GistDone(page.number, page.start, page.end, gist.text))
    return gist


async def _shortened(
    session: Session, page: Page, text: str, limit: int | None, unlike: str = "", place: Place = _ALONE
) -> Gist:
    """Return the gist of a text of any length; if its parts have gists that are too long together, shorten again."""
    measure, pieces = Measure.of(text), split_to_fit(session, text, limit)
    sizes, gists = [0 if limit is None else count_words(piece) for piece in pieces], []
    for piece, words in zip(pieces, sizes, strict=True):
        share = None if limit is None else max(_LEAST, limit * words // max(1, sum(sizes)))
        gists.append(await _one_part(session, page, piece, share, unlike, place))
    whole = " ".join(gist.text for gist in gists)
    origin: Origin = "lead" if any(gist.origin == "lead" for gist in gists) else "model"
    most = _most(session, limit)
    if len(pieces) > 1 and most is not None and measure.length(whole) > _TOO_LONG * most:
        if len(whole) > 0.75 * len(text):
            return _lead(session, page, whole, most, "its parts could not be shortened enough")
        again = await _shortened(session, page, whole, limit or _limit(session, text), unlike, place)
        return replace(again, origin="lead" if origin == "lead" else again.origin)
    return Gist(whole, count_words(whole), origin)


async def _one_part(session: Session, page: Page, passage: str, limit: int | None, unlike: str, place: Place) -> Gist:
    text, problem = await shorten(session, passage, limit, unlike=unlike, place=place)
    if not problem:
        return Gist(text, count_words(text))
    return _lead(session, page, passage, limit, problem)


def _lead(session: Session, page: Page, passage: str, limit: int | None, problem: str) -> Gist:
    """Return the opening sentences in place of a gist, and record the fallback."""
    size = length_in_words(passage)
    share = count_words(passage) / max(1, size)
    words = limit or _limit(session, passage) or max(_SHORTEST, int(LEAD_SHARE * size))
    text = lead(passage, max(1, int(share * words)))
    session.fell_back(Fallback("gist", problem, "the page's opening sentences", page.number, page.start))
    return Gist(text, count_words(text), "lead")


def split_to_fit(session: Session, text: str, limit: int | None, earlier: Earlier = _NONE) -> list[str]:
    """Return the text in parts that each fit the window with their prompt and their gist."""
    window, room = session.window, session.window.prompt
    if room is not None and window.tokens is not None:
        around = window.count(gist_prompt(session, "", limit, earlier)) + 64
        if room - around < 64:
            raise UsageError(
                f"the task or the instructions for gists are too long for a window of {window.tokens} tokens",
                hint="shorten them, or use a model with a larger window",
            )
        share = _wanted(session, text, limit, earlier) / max(1, Measure.of(text).length(text))
        gist = 1.2 * share  # of the passage; a short one is not cut for a gist of the least length
        gist = gist if _most(session, limit) else min(0.5, gist)
        template = min(_TEMPLATE, window.tokens // 16)
        with_gist = (window.tokens - 1.05 * around - template) / (1.05 + gist)  # as servers leave it for the reply
        room = min(room - around, max(64, int(with_gist)))
    return [piece for part in parts(text, room or sys.maxsize, window.count) if (piece := part.strip())]


async def shorten(
    session: Session,
    passage: str,
    limit: int | None,
    earlier: Earlier = _NONE,
    unlike: str = "",
    *,
    place: Place = _ALONE,
    halvings: int = 2,
) -> tuple[str, str]:
    """Return the shortened passage, and its problem after two tries; "" if there is none.

    A gist that is far longer than the words to aim at is asked for once more, and the shorter of the two is used. If
    that has not helped for several pages, it is not done any more. A passage that leaves no room for its gist is
    halved, at most as often as ``halvings`` says. ``place`` is where it is in its document.
    """
    measure, tokens = Measure.of(passage), session.window.count(passage)
    share = _wanted(session, passage, limit, earlier) / max(1, measure.length(passage))
    needed = int(share * tokens)
    ask = Ask(
        "gist",
        gist_prompt(session, passage, limit, earlier),
        material=Material(passages=(passage,), words=max(1, round(share * count_words(passage)))),
        form=GIST,
        min_reply=needed,
    )
    frame, wanted = gist_prompt(session, "", limit), _wanted(session, passage, limit, _NONE)
    check = replace(check_of(session, place, frame, wanted, note=earlier.note), unlike=unlike)
    aim = _aim(session, passage, limit, earlier)
    most = _most(session, limit)
    judge = _Judge(passage, measure, most, aim, check, session.reminders, session.window.count, _ROOM * needed)
    halvable = halvings > 0 and tokens >= _LEAST_HALVED
    text, problem = await session.judged(ask, judge, final=lambda: halvable and judge.no_room)
    if problem and halvable and judge.no_room:
        return await _halved(session, passage, limit, earlier, unlike, place, halvings - 1)
    return (judge.long, "") if problem and judge.long else (text, problem)


async def _halved(
    session: Session, passage: str, limit: int | None, earlier: Earlier, unlike: str, place: Place, halvings: int
) -> tuple[str, str]:
    """Return the shortened halves of a passage as one, and the first problem."""
    count, made = session.window.count, list[str]()
    halves = [half for part in parts(passage, count(passage) - 1, count) if (half := part.strip())]
    for half in halves:
        share = None if limit is None else max(_LEAST, limit * len(half) // len(passage))
        text, problem = await shorten(session, half, share, earlier, unlike, place=place, halvings=halvings)
        if problem:
            return text, problem
        made.append(text)
    return " ".join(made), ""


@dataclass(slots=True)
class _Judge:
    """Judges the first reply and, if there is one, the second. ``long`` is a good first gist of too many words.

    ``no_room`` says that a reply was cut before it had ``enough`` tokens, because the passage leaves no room for it.
    """

    passage: str
    measure: Measure
    limit: int | None
    aim: int
    check: Check
    reminders: Reminders
    count: Callable[[str], int]
    enough: int
    long: str = ""
    no_room: bool = False
    _asked_again: bool = False

    def __call__(self, reply: Reply) -> tuple[str, str]:
        tokens = reply.usage.reply_tokens or self.count(reply.text)
        self.no_room = reply.finish == "length" and tokens < self.enough
        text, problem = judge_gist(
            reply,
            self.measure.length(self.passage),
            self.limit,
            lambda text, labelled: self.check.problem(text, self.passage, labelled=labelled),
            self.measure,
        )
        length = self.measure.length
        if self.long:
            shorter = self.long if problem else min(text, self.long, key=length)
            self.reminders.sent(length(self.long), length(shorter))
            return shorter, ""
        too_long = self.aim and length(text) > _TOO_LONG * self.aim
        if not problem and not self._asked_again and too_long and self.reminders.useful:
            had, asked = map(self.measure.told, (length(text), self.aim))
            self.long, problem = text, f"it had {had}, and about {asked.split()[0]} were asked for"
        self._asked_again = True
        return text, problem


def check_of(session: Session, place: Place = _ALONE, frame: str = "", wanted: int = 0, *, note: str = "") -> Check:
    """Return the check for the gist of a passage. ``frame`` is the prompt around it, ``wanted`` the words asked for.

    ``note`` is what the user wrote about this gist, next to what the plan has.
    """
    plan = session.plan
    wishes = bool(plan.instructions or plan.task or note or plan.gist_language or not session.prompts.built_in)
    return Check(
        place.document, place.start, place.end, frame, wanted, wishes,
        language=plan.gist_language, off=session.simulated,
    )  # fmt: skip


def _most(session: Session, limit: int | None) -> int | None:
    """Return the maximum words of a gist: the limit given, or that of the plan for the longest pages."""
    return limit or session.plan.gist_words or None


def _limit(session: Session, passage: str) -> int:
    """Return the share of the plan's limit for this passage; 0 if the plan has none."""
    plan = session.plan
    return asked_words(plan, count_words(passage), 0) if plan.gist_words else 0


def _aim(session: Session, passage: str, limit: int | None, earlier: Earlier = _NONE) -> int:
    """Return the words that a gist should have; 0 if a limit is given or the plan names none.

    An improved gist may have half more, for what was missing.
    """
    if limit:
        return 0
    length = Measure.of(passage).length(passage)
    words = asked_words(session.plan, count_words(passage), int(length * (1.5 if earlier.text else 1)))
    return round(words * exchange(passage, session.plan.gist_language))


def _wanted(session: Session, passage: str, limit: int | None, earlier: Earlier) -> int:
    """Return the words that a gist of this passage is expected to have."""
    length = Measure.of(passage).length(passage)
    words = limit or _aim(session, passage, limit, earlier) or max(_SHORTEST, int(LEAD_SHARE * length))
    return min(words, max(1, length))


def gist_prompt(session: Session, passage: str, limit: int | None, earlier: Earlier = _NONE) -> str:
    """Return the prompt to shorten a passage: to at most ``limit`` words, or to about as many as the plan aims at.

    A limit is told as a length to aim at if the gist is measured in characters.
    """
    limit = limit or _limit(session, passage) or None
    measure = Measure.of_gist(passage, session.plan.gist_language)
    in_characters = bool(limit and measure.characters)
    return session.prompts.fill(
        "gist",
        form=GIST,
        passage=escape_tags(passage),
        instructions=session.plan.instructions,
        task=session.plan.task,
        language=session.plan.gist_language,
        limit=None if in_characters and session.prompts.built_in else limit,
        aim=measure.told(limit if in_characters and limit else _aim(session, passage, limit, earlier)),
        earlier=escape_tags(earlier.text),
        note=earlier.note,
    )


def judge_gist(
    reply: Reply,
    page_words: int,
    limit: int | None = None,
    check: Callable[[str, bool], str] = lambda text, labelled: "",
    measure: Measure = _WORDS,
) -> tuple[str, str]:
    """Return the gist in a reply, and why it is useless; "" if it can be used.

    ``check`` looks at its content, and is told whether it had its label. ``page_words`` and ``limit`` are lengths by
    the ``measure``.
    """
    if problem := useless(reply):
        return "", problem
    text, labelled = read_gist(reply.text)
    if not measure.length(text):
        return "", "it was empty"
    if reply.finish == "length":
        return text, "it was cut off by the token limit"
    return text, check(text, labelled) or length_problem(text, page_words, limit, measure)


def length_problem(text: str, page_words: int, limit: int | None, measure: Measure = _WORDS) -> str:
    """Return why a gist is too long for a page of this length or for the limit; "" if it is not."""
    words = measure.length(text)
    if words > page_words:
        return "it was longer than the passage"
    if limit is not None and words > _TOO_LONG * limit:
        return f"it was longer than {measure.told(limit)}"
    return ""


def read_gist(reply: str) -> tuple[str, bool]:
    """Return the gist in a reply, and whether it stands after its label; without one it is the whole reply."""
    filled = GIST.parse(reply)
    if filled is not None and "Gist" in filled.texts:
        return filled.texts["Gist"].strip(), True
    return unfenced(strip_thinking(reply)), False
