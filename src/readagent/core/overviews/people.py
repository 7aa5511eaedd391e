"""People: who is in a text, under which names, what they do, how they are related, and where they appear."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import combinations

from readagent.core.escaping import escape_tags
from readagent.core.form import Choice, Form, Lines
from readagent.core.memory import GistMemory
from readagent.core.model import Ask, Reply
from readagent.core.overviews.collect import PEOPLE, collect
from readagent.core.overviews.entries import for_each, prompt
from readagent.core.overviews.ground import ground, named_in_full
from readagent.core.overviews.lists import join_texts
from readagent.core.overviews.mentions import find_names, text_span
from readagent.core.overviews.points import Person, Point
from readagent.core.rows import NONE, Row
from readagent.core.session import Session, useless
from readagent.core.trace import Fallback
from readagent.core.window import largest

_ABOUT = 45  # words about a person


@dataclass(slots=True)
class _Known:
    """What is known of one person so far."""

    names: list[str]
    about: str = ""
    relations: list[str] = field(default_factory=list)
    pages: set[int] = field(default_factory=set)

    def absorb(self, other: _Known) -> None:
        """Add what is known under another name."""
        self.names += [name for name in other.names if name not in self.names]
        self.relations += [one for one in other.relations if one not in self.relations]
        self.about = join_texts(self.about, other.about, _ABOUT)
        self.pages |= other.pages

    def point(self) -> Point:
        """Return what is said of the person; it is checked with the name and the relations."""
        related = f" ({'; '.join(self.relations)})" if self.relations else ""
        told = any(name in self.about for name in self.names)
        claim = f"{self.names[0]}: {self.about}{related}" if related or not told else ""
        return Point(self.about, tuple(sorted(self.pages)), claim=claim)


async def people(memory: GistMemory, session: Session, numbers: Sequence[int], dropped: list[Point]) -> list[Person]:
    """Return the people of these pages: those who are mentioned most come first.

    The pages follow each other. Only what they have of the text counts, where they are cut at a place within a page.
    ``dropped`` gets those whom the text does not mention, if what is said of them is not supported either; relations
    to them are left out.
    """
    known = await _joined(_people_in(await collect(PEOPLE, memory, session, numbers=numbers)), session)
    span = text_span(memory, numbers)
    where = find_names([one.names for one in known], memory.document.text, *span, parts=True)
    own = [[] if one.relations else at for one, at in zip(known, where, strict=True)]
    about = await ground([one.point() for one in known], memory, session, own)
    found, told = [], []
    for one, at, point in zip(known, where, about, strict=True):
        if at or point.state != "unsupported":
            told.append((one, at, point))
        else:
            dropped.append(named_in_full(point))
    names = {name: one.names[0] for one, _, _ in reversed(told) for name in one.names}
    for one, at, point in told:
        pages = tuple(dict.fromkeys(map(memory.page_at, at))) or tuple(sorted(one.pages))
        related = dict.fromkeys(pair for text in one.relations if (pair := _relation(text, names)))
        first, last = (at[0], at[-1]) if at else (None, None)
        found.append(Person(
            one.names[0], tuple(one.names[1:]), point, tuple(pair for pair in related if pair[1] != one.names[0]),
            pages, first, last, len(at),
        ))  # fmt: skip
    return sorted(found, key=lambda person: (-person.mentions, person.first or 0, person.name))


def _people_in(rows: Sequence[Row]) -> list[_Known]:
    """Return one entry for each person; those with the same name are one, unless several have it."""
    found: list[_Known] = []
    for row in rows:
        name, others, about, relations = row.cells
        if not name:
            continue
        names = list(dict.fromkeys([name, *_split(others)]))
        known = _Known(names, about, _split(relations), set(row.pages))
        same = [one for one in found if name in one.names or one.names[0] in names]
        if len(same) == 1:
            same[0].absorb(known)
        else:
            found.append(known)
    return found


def _split(text: str) -> list[str]:
    return [one for part in text.split(";") if any(map(str.isalnum, one := part.strip()))]


def _relation(text: str, names: dict[str, str]) -> tuple[str, str] | None:
    """Return what a person is and to whom, if that is somebody in the list: ``wife: Peter Gray``."""
    what, _, whom = (one.strip() for one in text.partition(":"))
    return (what, names[whom]) if what and whom in names else None


async def _joined(known: list[_Known], session: Session) -> list[_Known]:
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


def _groups(known: Sequence[_Known], session: Session) -> Iterator[list[int]]:
    """Yield the people of each prompt: all of them or, where they do not fit, as many as fit one after another.

    Half of each such prompt are then those of most pages, so that their other names are found anywhere.
    """

    def fits(some: Sequence[int]) -> bool:
        return session.window.fits(_prompt(known, some))

    everyone = list(range(len(known)))
    if fits(everyone):
        yield everyone
        return
    often = sorted(everyone, key=lambda at: -len(known[at].pages))
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


def _form(count: int) -> Form:
    return Form((Lines("Person", tuple(map(str, range(1, count + 1))), "number"),), (NONE,))


def _prompt(known: Sequence[_Known], some: Sequence[int]) -> str:
    cards = (
        f"{place}: {escape_tags('; '.join(known[at].names))} | {escape_tags(known[at].about)}"
        for place, at in enumerate(some, 1)
    )
    return prompt("join", cards="\n".join(cards), form=_form(len(some)))


async def _same(known: Sequence[_Known], some: Sequence[int], session: Session) -> list[tuple[int, int]]:
    form = _form(len(some))
    numbers = Choice(tuple(map(str, range(1, len(some) + 1))), label="Person")

    def judge(reply: Reply) -> tuple[list[tuple[int, int]], str]:
        if (problem := useless(reply)) or (filled := form.parse(reply.text)) is None:
            return [], problem or "it is not in this form"
        pairs = [(int(one), int(said[0])) for one, other in filled.lines.get("Person", ())
                 if (said := numbers.read(other))]  # fmt: skip
        return [(some[one - 1], some[other - 1]) for one, other in pairs if one != other], ""

    pairs, problem = await session.judged(
        Ask("join", _prompt(known, some)), judge, f"Reply in this form alone:\n{form.shown()}"
    )
    if problem:
        session.fell_back(Fallback("join", problem, "names that are equal"))
    return pairs


def together_on_pages(people: Sequence[Person]) -> dict[tuple[str, str], int]:
    """Return how many pages mention both of two people, for those that any page does."""
    shared = {(one.name, other.name): len({*one.pages} & {*other.pages}) for one, other in combinations(people, 2)}
    return {pair: count for pair, count in shared.items() if count}
