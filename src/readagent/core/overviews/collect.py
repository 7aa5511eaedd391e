"""Go through all pages of a memory and collect rows: people, events, entities, terms, questions, or one's own."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from readagent.core.concurrency import together
from readagent.core.memory import GistMemory
from readagent.core.model import Ask, Material, Reply
from readagent.core.overviews.entries import (
    Entry,
    entries_of,
    for_each,
    pages_of,
    prompt,
    reply_words,
    shown,
    windows,
    words_of,
)
from readagent.core.rows import Row, Rows, Table
from readagent.core.session import Session, useless
from readagent.core.trace import Fallback


@dataclass(frozen=True, slots=True)
class Kind:
    """What is collected: its name, which the prompt knows, and its columns. ``plural`` is what people call it.

    ``main`` is the column of the statement, and ``about`` that of whom or what it is about; without ``main`` the
    statement is the whole row. What is said of one ``named`` thing by several windows is joined.
    """

    name: str
    columns: tuple[str, ...]
    plural: str = ""
    main: int | None = None
    about: int = 0
    named: bool = False


PEOPLE = Kind("people", ("name", "other names", "who", "relations"))
EVENTS = Kind("timeline", ("date", "when", "what happens"), "events", main=2, about=1)
ENTITIES = Kind("entities", ("name", "kind", "what the text says of it"), main=2, named=True)
TERMS = Kind("glossary", ("term", "what it is"), "terms", main=1, named=True)
QUESTIONS = Kind("questions", ("question", "answer"), main=1)
_HALVINGS = 2  # of a window whose reply is useless; one that is cut off is halved until it fits
_SHOWN = 4  # words of a window for each word that a reply may have; one that is cut off all the same is halved


async def collect(
    kind: Kind,
    memory: GistMemory,
    session: Session,
    *,
    numbers: Collection[int],
    **values: object,
) -> list[Row]:
    """Return the rows of these pages in the order of the text. ``values`` are those of the prompt.

    A window whose reply is useless twice is gone through in halves.
    """
    entries = entries_of(memory, numbers)
    most = _SHOWN * reply_words(session.window)

    def fits(some: Sequence[Entry]) -> bool:
        return words_of(some) <= most and session.window.fits(_prompt(kind, some, values))

    found = await for_each(
        list(windows(entries, fits)), lambda group: _rows(kind, group, memory, session, values), session,
        f"collecting {kind.plural or kind.name}",
    )  # fmt: skip
    return [row for some in found for row in some]


def _prompt(kind: Kind, entries: Sequence[Entry], values: dict[str, object]) -> str:
    told = {"count": "", "about": "", **values}
    names = ("people", "timeline", "entities", "glossary", "questions", "own")
    return prompt(
        "rows", form=Rows(kind.columns, ()), memory=shown(entries), **{one: one == kind.name for one in names}, **told
    )


async def _rows(
    kind: Kind,
    entries: Sequence[Entry],
    memory: GistMemory,
    session: Session,
    values: dict[str, object],
    depth: int = 0,
) -> Sequence[Row]:
    pages = pages_of(entries)
    form = Rows(kind.columns, pages)
    cut, broken = False, 0

    def judge(reply: Reply) -> tuple[tuple[Row, ...], str]:
        nonlocal cut, broken
        cut = reply.finish == "length"
        if problem := useless(reply):
            return (), problem
        table: Table = form.parse(reply.text, cut=cut)
        broken = table.broken
        if table.empty:
            return (), ""
        if broken > len(table.rows):
            return table.rows, "most of its lines are not in this form"
        return table.rows, "" if table.rows else "it has no line in this form"

    material = Material(memory=memory, opened=pages, kind=kind.name)
    ask = Ask("collect", _prompt(kind, entries, values), material=material, form=form)
    wanted = f"Reply with lines in this form alone, or with the word NONE:\n{form.shown()}"
    rows, problem = await session.judged(ask, judge, wanted, final=lambda: cut and len(entries) > 1, partial=True)
    if len(entries) > 1 and (cut or (problem and depth < _HALVINGS)):
        middle = len(entries) // 2
        halves = (
            _rows(kind, half, memory, session, values, depth + (not cut))
            for half in (entries[:middle], entries[middle:])
        )
        return [row for some in await together(halves) for row in some]
    if problem and not rows:
        session.fell_back(Fallback.on(pages, "collect", problem, "nothing for these pages"))
    elif cut:
        session.fell_back(Fallback.on(pages, "collect", "the list was cut off", "the lines that arrived"))
    elif broken:
        reason = f"{broken} line{'s' * (broken > 1)} of a list had another form, or no page"
        session.fell_back(Fallback.on(pages, "collect", reason, "the other lines"))
    return rows
