"""People: who is in a text, under which names, what they do, how they are related, and where they appear."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from itertools import combinations

from readagent.core.escaping import escape_tags
from readagent.core.form import strip_thinking
from readagent.core.memory import GistMemory
from readagent.core.model import Ask, Reply
from readagent.core.overviews.collect import PEOPLE, collect
from readagent.core.overviews.entries import for_each, prompt
from readagent.core.overviews.ground import as_told, ground, named_in_full
from readagent.core.overviews.person_names import Known, mentions, people_in, relation
from readagent.core.overviews.points import Person, Point
from readagent.core.patterns import lazy_pattern
from readagent.core.quotes.quotable import Quotable
from readagent.core.session import Session, useless
from readagent.core.trace import Fallback
from readagent.core.window import largest
from readagent.core.words import count_words

_PAIR = lazy_pattern(r"^\W*(\d{1,4})\s*=+\s*#?(\d{1,4})\W*$", re.M)
_NONE = lazy_pattern(r"\W*none\b", re.I)
_ENDS = (".", "!", "?", "…", '"', "”", "»", "。", "！", "？", "」")
_ABOUT = 45  # words about a person


async def people(
    memory: GistMemory, session: Session, numbers: Collection[int] | None = None, dropped: list[Point] | None = None
) -> list[Person]:
    """Return the people of these pages, or of all: those who are mentioned most come first.

    The pages follow each other. Only what they have of the text counts, where they are cut at a place within a page.
    ``dropped`` gets those whom the text does not mention, if what is said of them is not supported either; relations
    to them are left out.
    """
    known = people_in(await collect(PEOPLE, memory, session, numbers=numbers))
    known = await _joined(known, session)
    chosen = range(len(memory.pages)) if numbers is None else sorted(numbers)
    span = (memory.pages[chosen[0]].start, memory.pages[chosen[-1]].end) if chosen else (0, 0)
    where = mentions(known, memory.document.text, *span)
    about = await ground([_about(one) for one in known], memory, session)
    text = Quotable(memory.document.text)
    about = [
        point if one.relations else as_told(point, at, memory, text)
        for one, point, at in zip(known, about, where, strict=True)
    ]
    missing = [not at and point.state == "unsupported" for at, point in zip(where, about, strict=True)]
    if dropped is not None:
        dropped += [named_in_full(point) for point, left_out in zip(about, missing, strict=True) if left_out]
    told = [one for one, left_out in zip(known, missing, strict=True) if not left_out]
    found = []
    for one, at, point, left_out in zip(known, where, about, missing, strict=True):
        if left_out:
            continue
        pages = tuple(dict.fromkeys(map(memory.page_at, at)))
        cited = sorted({page for _, some in one.about for page in some})
        related = dict.fromkeys(filter(None, (relation(text, told) for text in one.relations)))
        found.append(Person(
            one.names[0], tuple(one.names[1:]), point, tuple(pair for pair in related if pair[1] != one.names[0]),
            pages or tuple(cited), at[0] if at else None, at[-1] if at else None, len(at),
        ))  # fmt: skip
    return sorted(found, key=lambda person: (-person.mentions, person.first or 0, person.name))


def _about(known: Known) -> Point:
    """Return what is said of a person in all windows, as much of it as is short."""
    texts: list[str] = []
    pages: list[int] = []
    for text, some in known.about:
        if texts and texts[0].endswith(_ENDS):  # a whole sentence needs no other
            break
        if text and text not in texts and (not texts or count_words("; ".join([*texts, text])) <= _ABOUT):
            texts.append(text)
            pages += some
    text = "; ".join(texts)
    related = f" ({'; '.join(known.relations)})" if known.relations else ""
    told = any(name in text for name in known.names)
    claim = f"{known.names[0]}: {text}{related}" if related or not told else ""
    return Point(text, tuple(sorted(set(pages))), claim=claim)


async def _joined(known: list[Known], session: Session) -> list[Known]:
    """Return the people with those joined that the model says are the same."""
    merged: dict[int, int] = {}
    groups = [group for group in _groups(known, session) if len(group) > 1]
    for pairs in await for_each(groups, lambda some: _same(known, some, session), session, "joining names"):
        for first, second in pairs:
            first, second = _root(merged, first), _root(merged, second)
            if first != second:
                merged[max(first, second)] = min(first, second)
    for second in sorted(merged, reverse=True):
        known[_root(merged, second)].absorb(known[second])
    return [one for place, one in enumerate(known) if place not in merged]


def _groups(known: Sequence[Known], session: Session) -> Iterator[list[int]]:
    """Yield the people of each prompt: all of them or, where they do not fit, as many as fit one after another.

    Half of each such prompt are then those of whom most is said, so that their other names are found anywhere.
    """

    def fits(some: Sequence[int]) -> bool:
        return session.window.fits(_prompt(known, some))

    everyone = list(range(len(known)))
    if fits(everyone):
        yield everyone
        return
    often = sorted(everyone, key=lambda at: -len(known[at].about))
    together = largest(len(often), lambda count: fits(often[:count]))
    main = sorted(often[: together // 2])
    rest = [at for at in everyone if at not in set(main)]

    def more(at: int) -> int:
        return max(1, largest(len(rest) - at, lambda count: fits([*main, *rest[at : at + count]])))

    at = 0
    while at < len(rest):
        end = at + more(at)
        if fits([*main, *rest[at:end]]):  # one person may be too much
            yield [*main, *rest[at:end]]
        at = end


def _root(merged: dict[int, int], one: int) -> int:
    while one in merged:
        one = merged[one]
    return one


def _prompt(known: Sequence[Known], some: Sequence[int]) -> str:
    cards = (
        f"{place}: {escape_tags('; '.join(known[at].names))} | {escape_tags(_about(known[at]).text)}"
        for place, at in enumerate(some, 1)
    )
    return prompt("join", cards="\n".join(cards))


async def _same(known: Sequence[Known], some: Sequence[int], session: Session) -> list[tuple[int, int]]:
    def judge(reply: Reply) -> tuple[list[tuple[int, int]], str]:
        text = strip_thinking(reply.text)
        pairs = [] if _NONE.match(text) else [(int(one[1]), int(one[2])) for one in _PAIR.finditer(text)]
        legal = [(some[a - 1], some[b - 1]) for a, b in pairs if 0 < a <= len(some) and 0 < b <= len(some) and a != b]
        return legal, useless(reply) or ("" if legal or _NONE.search(text) else "it names no pair")

    pairs, problem = await session.judged(Ask("join", _prompt(known, some)), judge)
    if problem:
        session.fell_back(Fallback("join", problem, "names that have a word in common"))
    return pairs


def together_on_pages(people: Sequence[Person]) -> dict[tuple[str, str], int]:
    """Return how many pages mention both of two people, for those that any page does."""
    shared = {(one.name, other.name): len({*one.pages} & {*other.pages}) for one, other in combinations(people, 2)}
    return {pair: count for pair, count in shared.items() if count}
