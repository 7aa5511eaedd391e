"""Go through every page of a memory and collect what is asked for: people, events, terms, questions, or hits.

For each window of pages the model writes lines of fields, such as ``name | who it is [Page 7]``. So a list is as
complete as the gists are: no page is left out because a search did not find it.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from readagent.core.concurrency import together
from readagent.core.memory import GistMemory
from readagent.core.model import Ask, Material, Reply
from readagent.core.overviews.cited import pages_in
from readagent.core.overviews.entries import Entry, entries_of, pages_of, shown, windows, words_of
from readagent.core.overviews.prompting import prompt, reply_words
from readagent.core.patterns import lazy_pattern
from readagent.core.replies import strip_thinking, unfenced
from readagent.core.session import Session, useless
from readagent.core.trace import Fallback

_NONE = lazy_pattern(r"\W*(?:none|nothing|no (?:one|people|persons?|events?|terms?|hits?))\W*", re.I)
_BULLET = lazy_pattern(r"^\s*(?:[-*•–—]|\d{1,4}[.)])\s+")
_RULE = lazy_pattern(r"^[\s|:+-]*$")
_SHOWN = 4  # words of a window for each word that a reply may have; one that is cut off all the same is halved


@dataclass(frozen=True, slots=True)
class Kind:
    """What is collected: the name of its prompt, and of its fields. ``header`` are first fields that are no value."""

    name: str
    fields: int
    header: tuple[str, ...] = ()


PEOPLE = Kind("people", 4, ("name",))
EVENTS = Kind("timeline", 2, ("when", "date", "time"))
TERMS = Kind("glossary", 2, ("term", "name"))
QUESTIONS = Kind("questions", 2, ("question",))
HITS = Kind("list", 1)


@dataclass(frozen=True, slots=True)
class Item:
    """A line of a reply: its fields, and the pages that it is from."""

    fields: tuple[str, ...]
    pages: tuple[int, ...]


async def collect(
    kind: Kind,
    memory: GistMemory,
    session: Session,
    *,
    numbers: Collection[int] | None = None,
    opened: Collection[int] = (),
    **values: object,
) -> list[Item]:
    """Return the items of these pages, or of all, in the order of the text. ``values`` are those of the prompt.

    The ``opened`` pages are shown in full. A window whose reply is useless twice is gone through in halves.
    """
    entries = entries_of(memory, numbers, opened)
    most = _SHOWN * reply_words(session.window)

    def fits(some: Sequence[Entry]) -> bool:
        return words_of(some) <= most and session.window.fits(prompt(kind.name, memory=shown(some), **values))

    groups = list(windows(entries, fits))
    found = await together(_items(kind, group, memory, session, values) for group in groups)
    return [item for some in found for item in some]


async def _items(
    kind: Kind, entries: Sequence[Entry], memory: GistMemory, session: Session, values: dict[str, object]
) -> list[Item]:
    pages = pages_of(entries)
    cut = False

    def judge(reply: Reply) -> tuple[list[Item], str]:
        nonlocal cut
        cut = reply.finish == "length"
        if problem := useless(reply):
            return [], problem
        items = parse_items(kind, reply.text, pages)
        none = _NONE.fullmatch(strip_thinking(reply.text).strip())
        return items, "" if items or none else "it has no line as asked for"

    material = Material(memory=memory, opened=pages, kind=kind.name)
    ask = Ask("collect", prompt(kind.name, memory=shown(entries), **values), material=material)
    items, problem = await session.judged(ask, judge, final=lambda: cut and len(entries) > 1)
    if (problem or cut) and len(entries) > 1:
        middle = len(entries) // 2
        halves = (_items(kind, half, memory, session, values) for half in (entries[:middle], entries[middle:]))
        return [item for some in await together(halves) for item in some]
    if problem:
        session.fell_back(Fallback("collect", problem, "nothing for this page", page=pages[0]))
    return items


def parse_items(kind: Kind, reply: str, allowed: Sequence[int]) -> list[Item]:
    """Return the lines of a reply that have a value and name a page. It never raises.

    With only one page in view, a line need not name it.
    """
    items = []
    for line in unfenced(strip_thinking(reply)).splitlines():
        text, pages = pages_in(_BULLET.sub("", line), allowed)
        pages = pages or (tuple(allowed) if len(allowed) == 1 and "|" in line else ())
        if not pages or _RULE.match(line):
            continue
        fields = [part.strip(" *_`\t") for part in text.strip().strip("|").split("|")]
        fields = [*fields[: kind.fields - 1], " ".join(fields[kind.fields - 1 :]).strip()][: kind.fields]
        fields += [""] * (kind.fields - len(fields))
        if fields[0].casefold() in kind.header or not any(any(map(str.isalnum, field)) for field in fields):
            continue
        items.append(Item(tuple("" if field in ("-", "–", "—", "?") else field for field in fields), pages))
    return items
