"""Windows for one pass: stretches of text of several pages; and how many words a page may have to fit a window."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from dataclasses import dataclass
from itertools import pairwise

from readagent.core.document import Document
from readagent.core.form import Choice
from readagent.core.pages.breaks import PageBreaks
from readagent.core.plan import Plan
from readagent.core.session import Session
from readagent.errors import UsageError

WORDS = 5000  # maximum words of a window; gists get careless if one reply covers more
_PAGES = 3  # pages of maximum length that a window may have even if they are longer than that
_AT_ONCE = 16  # windows that a shorter text is divided into, so that they can be read concurrently,
_ENOUGH = 4, 2000  # if each has at least this many pages of maximum length, and this many words
_LONGER, _SHORTER = 1.2, 0.75  # times the words to aim at that a window may have to end with a section
_LABELS = 30  # maximum labels per page, because labels cost words too


@dataclass(frozen=True, slots=True)
class Room:
    """The words of a window: those to aim at, and the maximum."""

    aim: int
    most: int

    def at_most(self, words: int) -> Room:
        """Return the same for a model that takes about so many words at once."""
        return Room(min(self.aim, words), min(self.most, round(1.05 * words)))


def most_words(page_words: int) -> int:
    """Return how many words a window may have at most, whatever the model: some more than it aims at."""
    return round(_LONGER * max(WORDS, _PAGES * page_words))


def room_for(text: PageBreaks) -> Room:
    """Return the words of windows for this text, without regard to the model."""
    words, longest = len(text.index), text.plan.page_words
    enough = max(_ENOUGH[0] * longest, _ENOUGH[1])
    count = max(-(-words // max(WORDS, _PAGES * longest)), min(_AT_ONCE, words // enough), 1)
    aim = max(2 * longest, -(-words // count))
    return Room(aim, min(most_words(longest), round(_LONGER * aim)))


def cut_windows(text: PageBreaks, start: int, end: int, room: Room) -> list[tuple[int, int]]:
    """Return windows of about equal length from ``start`` to ``end``."""
    words = text.index.count(start, end)
    count = 1 if words <= room.most else -(-words // room.aim)
    cuts = [start]
    while True:
        left = text.index.count(cuts[-1], end)
        more = max(count - len(cuts) + 1, -(-left // room.most))
        if more <= 1:
            return list(pairwise([*cuts, end]))
        cuts.append(_cut(text, cuts[-1], left // more, room.most))


def _cut(text: PageBreaks, start: int, words: int, most: int) -> int:
    """Return where a window of about ``words`` words ends.

    Inside a section it leaves enough for a page on both sides.
    """
    count, before, least = text.index.count, text.index.count(0, start), text.plan.min_page_words
    exact, low, high = (text.index.after(0, before + off) for off in (words, int(_SHORTER * words), most))
    near = text.sections[bisect_left(text.sections, low) : bisect_right(text.sections, high)]
    if near:
        return min(near, key=lambda end: abs(end - exact))
    section, slack = text.section_end(exact), min(words // 20, most - words)
    begin = max([start, *text.sections[: bisect_right(text.sections, exact)]])
    earliest, latest = count(0, begin) + least + slack, count(0, section) - least - slack
    if not earliest <= min(latest, before + most - slack):
        return begin if begin > start else text.anchor(start, before + words, slack)
    return text.anchor(start, min(max(before + words, earliest), latest), slack)


def label_places(text: PageBreaks, start: int, end: int) -> tuple[list[int], list[int]]:
    """Return where to put labels in a window, the last at its end; and those before it where a section ends.

    A section that is one page has a label at its end only.
    """
    places: list[int] = []
    sections = text.sections[bisect_right(text.sections, start) : bisect_left(text.sections, end)]
    for first, last in pairwise([start, *sections, end]):
        section = text.section_end(first)
        if section > last or text.legal(first, section)[0] != [section]:
            places += _inner_places(text, first, last)
        places.append(last)
    return places, sections


def expected_labels(text: PageBreaks) -> int:
    """Return about how many labels the whole text gets: at paragraph ends, and in paragraphs that are long."""
    apart = _apart(text.plan)
    labels = words = 0  # words after the last label
    for paragraph in text.document.paragraphs:
        size = text.index.count(paragraph.start, paragraph.end)
        words += size
        if words >= apart:
            labels += size // apart if size > text.long_paragraph else 1
            words = 0
    return labels


def _apart(plan: Plan) -> int:
    """Return how many words are at least between two labels."""
    return max(1, plan.page_words // _LABELS)


def _inner_places(text: PageBreaks, start: int, end: int) -> list[int]:
    """Return where to put labels before the end of a stretch: not too close to it or together, and at scene ends."""
    apart, left = _apart(text.plan), text.plan.min_page_words
    places, last = [], start
    for place in text.ends(start, end):
        if text.index.count(place, end) < left:
            break
        if text.index.count(last, place) >= apart:
            places.append(place)
        elif places and text.ends_scene(place):
            places[-1] = place
        last = places[-1] if places else start
    more = _last_choice(text, start, end, last)
    return places if more is None else [*places, more]


def _last_choice(text: PageBreaks, start: int, end: int, last: int) -> int | None:
    """Return one more place, if the last label leaves so much that it may be too long for a page.

    It is the last sentence end that leaves enough text for a page: wherever the page before ends, it can end there.
    """
    least, most = text.plan.min_page_words, text.plan.page_words
    words = text.index.count(start, end)
    if words < 2 * least or text.index.count(last, end) <= most - least:
        return None
    before = text.index.count(0, end)
    first, final = text.index.after(0, before - most + least), text.index.after(0, before - least)
    inside = [place for place in text.inner_ends(first, final + 1) if text.index.count(place, end) >= least]
    return inside[-1] if inside and inside[-1] > last else None


def max_page_words(document: Document, session: Session) -> int | None:
    """Return the maximum words of a page of this document, or None if the window is unknown."""
    if session.window.prompt is None:
        return None
    around = max(session.window.count(session.prompts.fill("paginate", form=Choice(("1",)), passage="")), 100) + 100
    a_word = session.window.count(document.text) / max(1, document.words)
    return int((session.window.prompt - around) / a_word)


def check_page_fits(document: Document, words: int, session: Session) -> None:
    """Raise UsageError if a page of the plan's size does not fit the window; ``words`` are those of the document."""
    possible = max_page_words(document, session)
    if possible is not None and min(words, session.plan.page_words) > possible:
        raise UsageError(
            f"a window of {session.window.tokens} tokens cannot take a page of {session.plan.page_words} words",
            hint=f"use pages of at most {possible // 10 * 10} words, or a larger window"
            if possible >= 10
            else "use a larger window",
        )
