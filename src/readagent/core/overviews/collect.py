"""Go through every page of a memory and collect what is asked for: people, events, entities, terms, questions, or hits.

For each window of pages the model writes lines of fields, such as ``name | who it is [Page 7]``. So a list is as
complete as the gists are: no page is left out because a search did not find it.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import replace

from readagent.core.asking.absence import says_absent
from readagent.core.concurrency import together
from readagent.core.failure_text import REFUSED, is_refusal
from readagent.core.memory import GistMemory
from readagent.core.model import Ask, Material, Reply
from readagent.core.overviews.chatter import is_chatter
from readagent.core.overviews.cited import pages_in
from readagent.core.overviews.entries import Entry, entries_of, pages_of, shown, windows, words_of
from readagent.core.overviews.items import HITS, Item, Kind, parse_items
from readagent.core.overviews.prompting import prompt, reply_words
from readagent.core.overviews.working import for_each
from readagent.core.patterns import lazy_pattern
from readagent.core.replies import strip_thinking
from readagent.core.session import Session, useless
from readagent.core.trace import Fallback

_NONE = lazy_pattern(
    r"\W*(?:none|nothing|nobody|no one|there (?:is|are|was|were) (?:no|nobody|nothing|none)|no \w+|keine?|niemand"
    r"|nichts|aucune?|personne|rien|ninguna?|nadie|nada|нет|никого|无|没有|なし)\b[^|\n]{0,160}",
    re.I,
)
_HALVINGS = 2  # of a window whose reply is useless; one that is cut off is halved until it fits
_SHOWN = 4  # words of a window for each word that a reply may have; one that is cut off all the same is halved


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

    found = await for_each(
        list(windows(entries, fits)), lambda group: _items(kind, group, memory, session, values), session,
        f"collecting {kind.plural or kind.name}",
    )  # fmt: skip
    return [replace(item, window=at) for at, some in enumerate(found) for item in some]


async def _items(
    kind: Kind,
    entries: Sequence[Entry],
    memory: GistMemory,
    session: Session,
    values: dict[str, object],
    depth: int = 0,
) -> list[Item]:
    pages = pages_of(entries)
    cut, refused, without = False, False, 0

    def judge(reply: Reply) -> tuple[list[Item], str]:
        nonlocal cut, refused, without
        cut = reply.finish == "length"
        if problem := useless(reply):
            return [], problem
        text = strip_thinking(reply.text).strip()
        none = _NONE.fullmatch(text)
        if kind is HITS and not pages_in(text, pages)[1] and (none or ("\n" not in text and says_absent(text))):
            return [], ""
        items, without = parse_items(kind, reply.text, pages, cut=cut)
        if kind is HITS:
            items, refused = _without_chatter(items, memory)
            if refused and not items:
                return [], REFUSED
        if without > len(items):
            return items, "most of its lines name no page"
        return items, "" if items or none else "it has no line as asked for"

    material = Material(memory=memory, opened=pages, kind=kind.name)
    ask = Ask("collect", prompt(kind.name, memory=shown(entries), **values), material=material)
    items, problem = await session.judged(ask, judge, final=lambda: cut and len(entries) > 1, partial=True)
    if len(entries) > 1 and (cut or (problem and depth < _HALVINGS)):
        middle = len(entries) // 2
        halves = (
            _items(kind, half, memory, session, values, depth + (not cut))
            for half in (entries[:middle], entries[middle:])
        )
        return [item for some in await together(halves) for item in some]
    if problem and not items:
        session.fell_back(Fallback.on(pages, "collect", problem, "nothing for these pages"))
    elif cut:
        session.fell_back(Fallback.on(pages, "collect", "the list was cut off", "the lines that arrived"))
    elif refused:
        session.fell_back(Fallback.on(pages, "collect", "a line of a list was a refusal", "the other lines"))
    elif without:
        reason = f"{without} line{'s' * (without > 1)} of a list named no page"
        session.fell_back(Fallback.on(pages, "collect", reason, "the other lines"))
    return items


def _without_chatter(items: Sequence[Item], memory: GistMemory) -> tuple[list[Item], bool]:
    """Return the items that do not speak to the user, and whether one of the others was a refusal.

    What is written on the pages of an item is what they say, whatever it sounds like.
    """
    other = [item for item in items if is_chatter(item.fields[0]) and not _is_written(item, memory)]
    return [item for item in items if item not in other], any(is_refusal(item.fields[0]) for item in other)


def _is_written(item: Item, memory: GistMemory) -> bool:
    said = _folded(item.fields[0]).strip(" \"'“”„«».…")
    return any(said in _folded(memory.page_text(page)) for page in item.pages)


def _folded(text: str) -> str:
    return " ".join(text.casefold().split())
