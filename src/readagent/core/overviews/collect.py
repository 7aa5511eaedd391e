"""Go through every page of a memory and collect what is asked for: people, events, entities, terms, questions, or hits.

Models write items as "name | who it is [Page 7]", and in other forms.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

from readagent.core.concurrency import together
from readagent.core.failure_text import REFUSED, is_refusal
from readagent.core.form import strip_thinking, unfenced
from readagent.core.memory import GistMemory
from readagent.core.model import Ask, Material, Reply
from readagent.core.overviews.cited import is_chatter, pages_in
from readagent.core.overviews.dates import date_in
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
from readagent.core.overviews.list_forms import Row, rows_in
from readagent.core.patterns import lazy_pattern
from readagent.core.session import Session, useless
from readagent.core.trace import Fallback

_UNKNOWN = frozenset({"-", "–", "—", "?", "none", "n/a", "na", "unknown", "not told", "not stated", "keine", "aucun"})
_ABOUT = "who they are|who|role|description|about|what they do|details|rolle|beschreibung|rôle|rol|descripción|роль"
_SAID = "what the text says|what the text says of it|meaning|definition|explanation|bedeutung|définition|definición"
_PART = lazy_pattern(r"^(?P<head>.{1,80}?)\s*(?:[:：]\s+|：|\s[–—-]\s|\s(?:→|=>|->)\s)\s*(?P<rest>\S.*)$")
_COMMA = lazy_pattern(r"^(?P<head>[^,:]{2,60}),\s+(?P<rest>\S.*)$")
_VERB = lazy_pattern(
    r"^(?P<head>(?:[^\W\d_][\w.’'-]*\s+){1,5}?)(?P<rest>(?:is|was|are|were|ist|war|sind|est|était|es|era)\s.+)$"
)
_BRACKETS = lazy_pattern(r"^(?P<name>[^()]{2,}?)\s*\((?P<inside>[^()]+)\)$")
_ALSO = lazy_pattern(
    r"^(?:also(?: known as| called)?|aka|a\.k\.a\.|called|known as|auch|genannt|dit|alias)\s+|[\"“”„«»]", re.I
)
_REMARK = lazy_pattern(r"^(?:note|notes|remark|anmerkung|hinweis|remarque|nota|total|summary|legend|key)\b", re.I)
_TIME = lazy_pattern(
    r"^(?:at|on|in|since|until|during|after|before|around|early|late|later|then|next|soon|once|the (?:next|same"
    r"|following|first|last|day|night|morning|evening)|(?:that|one) (?:day|night|morning|evening)|am|im|um|nach|vor"
    r"|seit|bis|dann|später|après|avant|después|antes|morning|evening|night|noon|midnight|today|yesterday|tomorrow|spring|summer|autumn"
    r"|fall|winter|monday|tuesday|wednesday|thursday|friday|saturday|sunday|christmas|easter|day|week|month|year)\b",
    re.I,
)
_LATER = lazy_pattern(  # "three days", "a few weeks later"
    r"(?:[\w-]+\s+){1,3}(?:hours|days|nights|weeks|months|years|tage|wochen|monate|jahre|jours|semaines|mois|ans|días"
    r"|semanas|meses|años)(?:\s+(?:later|after|before|earlier|ago|später|danach|zuvor|après|después))?",
    re.I,
)
_MARKUP = lazy_pattern(r"\*\*|(?<!\w)__|__(?!\w)")
_ANSWER = lazy_pattern(
    r"^(?P<head>(?:q(?:uestion)?\s*\d*[:.]\s*)?.*?[?？])\W*(?:a(?:nswer)?\s*[:.]\s*)?(?P<rest>\S.*)$", re.I
)


@dataclass(frozen=True, slots=True)
class Kind:
    """What is collected: the name of its prompt, and for each field what a table or JSON may call it.

    ``main`` is the field that tells most: the second of a line that has only two. ``plural`` is what people call it,
    where that is not the name of the prompt.
    """

    name: str
    labels: tuple[str, ...]
    main: int = 1
    plural: str = ""

    @property
    def fields(self) -> int:
        """How many fields an item has."""
        return len(self.labels)


PEOPLE = Kind(
    "people",
    (
        "name|person|full name|fullest name|character|nom|nombre|figur|имя|姓名|名前",
        "other names|other name|aliases|alias|also known as|aka|nicknames|nickname|andere namen"
        "|autres noms|otros nombres",
        _ABOUT,
        "relations|relation|relationships|relationship|related to|beziehungen|relaciones",
    ),
    2,
)
EVENTS = Kind(
    "timeline",
    (
        "when|date|time|year|period|wann|datum|zeit|quand|cuándo|fecha",
        "what happens|event|what|what happened|description|details|ereignis|was geschieht|événement|evento",
    ),
    plural="events",
)
ENTITIES = Kind(
    "entities",
    (
        "name|entity|thing|nom|nombre",
        "kind|type|category|art|typ|tipo",
        f"{_SAID}|description|about|details|beschreibung",
    ),
    2,
)
TERMS = Kind(
    "glossary",
    ("term|name|expression|word|begriff|terme|término", f"{_SAID}|description|about|what it is"),
    plural="terms",
)
QUESTIONS = Kind("questions", ("question|q|frage|pregunta", "answer|a|antwort|réponse|respuesta"))
HITS = Kind("list", ("item|text|what|entry|event|hit|description",), 0, "items")


@dataclass(frozen=True, slots=True)
class Item:
    """A line of a reply: its fields, the pages that it is from, and the number of the window; -1 if it is not known."""

    fields: tuple[str, ...]
    pages: tuple[int, ...]
    window: int = -1


def parse_items(kind: Kind, reply: str, allowed: Sequence[int], *, cut: bool = False) -> tuple[list[Item], int]:
    """Return the items of a reply that have a value and name a page, and how many name none. It never raises.

    They may be lines of fields, bullets, "Name: role", a table, tab-separated or JSON. With only one page in view, an
    item need not name it. The last item of a reply that was ``cut`` off is left out.
    """
    items: list[Item] = []
    without = 0
    for row in rows_in(unfenced(strip_thinking(reply)), kind.labels, years=kind is EVENTS, cut=cut):
        pages = pages_in(row.pages, allowed)[1] if row.pages else ()
        cells = []
        for cell in row.cells:
            text, more = pages_in(cell, allowed) if not row.pages else (" ".join(cell.split()), ())
            cells.append(_MARKUP.sub("", text).strip(" *_`\t").rstrip(",; "))
            pages = pages or more
        sure = bool(pages) or row.sure
        fields = _fields(kind, cells, row) if sure or len(allowed) == 1 else None
        if fields is None or not any(any(map(str.isalnum, one)) for one in fields):
            continue
        if not pages and len(allowed) == 1:
            pages = tuple(allowed)
        if pages:
            items.append(Item(fields, pages))
        else:
            without += kind.fields > 1
    return items, without


def _fields(kind: Kind, cells: Sequence[str], row: Row) -> tuple[str, ...] | None:
    """Return the fields of an item; None if the line is none."""
    if row.labelled or kind.fields == 1:
        fields = [*cells[: kind.fields - 1], " ".join(cells[kind.fields - 1 :]).strip()]
    elif len(cells) == 2 and kind.main > 1:
        fields = ["", *[""] * (kind.fields - 1)]
        fields[0], fields[kind.main] = cells
    elif len(cells) > 1:
        fields = [*cells[: kind.fields - 1], " ".join(cells[kind.fields - 1 :]).strip()]
    else:
        split = _split(kind, cells[0], row)
        if split is None:
            return None
        fields = list(split)
    fields += [""] * (kind.fields - len(fields))
    return tuple("" if field.casefold() in _UNKNOWN else field for field in fields)


def _split(kind: Kind, line: str, row: Row) -> tuple[str, ...] | None:
    """Return the fields of a line without bars, such as "Anna Gray (Annie): the miller's daughter"."""
    if is_chatter(line) or _REMARK.match(line):
        return None
    if kind is QUESTIONS:
        asked = _ANSWER.match(line)
        head = re.sub(r"^q(?:uestion)?\s*\d*[:.]\s*", "", asked["head"], flags=re.I) if asked else ""
        return (head, asked["rest"].strip(" *_")) if asked else None
    parts = _PART.match(line)
    if kind is EVENTS:
        time = parts["head"].strip(" *_[]()") if parts else ""
        if parts and len(time.split()) <= 8 and _tells_time(time):
            return time, parts["rest"].strip(" *_")
        return ("", line) if row.listed or row.marked or row.sure else None
    if kind is TERMS:
        return (parts["head"].strip(" *_"), parts["rest"].strip(" *_")) if parts else None
    parts = parts or (_COMMA.match(line) if row.listed else None) or _VERB.match(line)
    if parts is None:
        named = (row.listed or row.marked) and len(line.split()) <= 5 and line[:1].isupper()
        return (line.rstrip("."),) if named else None
    return _named(kind, parts["head"].strip(" *_"), parts["rest"].strip(" *_"))


def _tells_time(text: str) -> bool:
    return bool(date_in(text) or any(map(str.isdigit, text)) or _TIME.match(text) or _LATER.fullmatch(text))


def _named(kind: Kind, head: str, rest: str) -> tuple[str, ...] | None:
    """Return the fields of somebody or something with a name; what stands in brackets after it is its other field."""
    if len(head.split()) > 8 or not any(letter.isupper() or not letter.isascii() for letter in head):
        return None
    inside = _BRACKETS.match(head)
    name, second = (inside["name"], _ALSO.sub("", inside["inside"]).strip()) if inside else (head, "")
    return (name.strip(" *_"), second, rest)


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
        if kind is HITS and not pages_in(text, pages)[1] and none:
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
