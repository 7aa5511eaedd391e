"""Overviews as clients get them: made by the agent, as data with offsets, as Markdown, and as a picture."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Any, Literal, get_args

import msgspec

from readagent.agent import AsyncReadAgent
from readagent.core.asking.position import Offset
from readagent.core.events import Listener
from readagent.core.memory import GistMemory
from readagent.core.overviews.people import together_on_pages
from readagent.core.overviews.records import (
    Entity,
    Overview,
    Person,
    Point,
    Section,
    StudyQuestion,
    Summary,
    Term,
    TimelineEvent,
)
from readagent.core.overviews.where import doubt, place_at, statement_record
from readagent.overviews import OverviewOptions
from readagent.pictures.people import people_picture
from readagent.pictures.timeline import timeline_picture
from readagent.web.answer_records import FallbackRecord, fallback_records
from readagent.web.overview_markdown import as_markdown
from readagent.web.overview_places import name_end, quote_first

OverviewKind = Literal["summary", "outline", "people", "timeline", "entities", "glossary", "questions"]
OVERVIEW_KINDS: tuple[str, ...] = get_args(OverviewKind)


class OverviewRecord(msgspec.Struct, frozen=True, kw_only=True):
    """An overview. ``data`` has a list of its items, ``dropped`` statements that the text does not support.

    ``offline`` says that its sentences are copies of the text, chosen without a language model.
    """

    id: int
    kind: OverviewKind
    options: dict[str, Any]
    made: datetime
    title: str
    markdown: str
    data: dict[str, Any]
    svg: str | None
    dropped: list[dict[str, Any]]
    offline: bool
    calls: int
    tokens: int
    fallbacks: list[FallbackRecord]


async def made(
    agent: AsyncReadAgent, memory: GistMemory, request: Mapping[str, Any], listen: Listener
) -> dict[str, Any]:
    """Make an overview; return what is kept of it: all of ``OverviewRecord`` but what the job knows."""
    kind, up_to = request["kind"], request.get("up_to")
    options: OverviewOptions = {
        "listen": listen,
        "chapter": request.get("chapter") or None,
        "up_to": None if up_to is None else Offset(up_to),
        "retry": bool(request.get("retry")),
    }
    result: Summary | Overview[Any]
    match kind:
        case "summary":
            result = await agent.summary(memory, words=request.get("words") or 300, **options)
        case "questions":
            result = await agent.questions(memory, count=request.get("count") or 10, **options)
        case _:
            result = await getattr(agent, kind)(memory, **options)
    usage = result.trace.usage
    return {
        "title": memory.document.title,
        "markdown": as_markdown(kind, result),
        "data": _data(kind, result),
        "svg": _picture(kind, result),
        "dropped": [_point(one, result.memory) for one in result.dropped],
        "offline": result.extractive,
        "calls": len(result.trace.calls),
        "tokens": usage.prompt_tokens + usage.reply_tokens,
        "fallbacks": msgspec.to_builtins(fallback_records(result.trace.fallbacks)),
    }


def _data(kind: str, result: Summary | Overview[Any]) -> dict[str, Any]:
    memory = result.memory
    if isinstance(result, Summary):
        return {
            "text": result.text,
            "statements": [{**_point(one, memory), "begins": one.begins} for one in result.points],
            "pages": list(result.pages),
        }
    data: dict[str, Any] = {"items": [_ITEMS[kind](one, memory) for one in result]}
    if kind == "people":
        pairs = together_on_pages(result.items).items()
        data["together"] = [{"people": list(pair), "pages": count} for pair, count in pairs]
    return data


def _picture(kind: str, result: Summary | Overview[Any]) -> str | None:
    """Return the picture of people or of a timeline as SVG; None for other kinds, or if there is nothing to draw."""
    if isinstance(result, Summary) or not result.items:
        return None
    title = result.memory.document.title
    if kind == "people":
        return people_picture(title, result.items)
    if kind != "timeline":
        return None
    places = ["; ".join(filter(None, [*quote_first(one.point, result.memory)[:1], doubt(one.point)])) for one in result]
    return timeline_picture(title, result.items, places)


def _point(point: Point, memory: GistMemory) -> dict[str, Any]:
    return statement_record(point, quote_first(point, memory))


def _points(points: Sequence[Point], memory: GistMemory) -> list[dict[str, Any]]:
    return [_point(one, memory) for one in points]


def _section(one: Section, memory: GistMemory) -> dict[str, Any]:
    first, last = memory.pages[one.first], memory.pages[one.last]
    return {
        "title": one.title, "level": one.level, "first_page": one.first, "last_page": one.last,
        "start": first.start if one.start is None else one.start, "end": last.end if one.end is None else one.end,
        "statements": _points(one.points, memory),
    }  # fmt: skip


def _person(one: Person, memory: GistMemory) -> dict[str, Any]:
    return {
        "name": one.name, "other_names": list(one.aliases), "about": _point(one.about, memory),
        "relations": [{"is": what, "of": whom} for what, whom in one.relations], **_mentions(one, memory),
    }  # fmt: skip


def _entity(one: Entity, memory: GistMemory) -> dict[str, Any]:
    return {"name": one.name, "kind": one.kind, "about": _point(one.about, memory), **_mentions(one, memory)}


def _mentions(one: Person | Entity, memory: GistMemory) -> dict[str, Any]:
    return {
        "first": _mention(one, one.first, memory), "last": _mention(one, one.last, memory),
        "pages": list(one.pages), "mentions": one.mentions,
    }  # fmt: skip


def _mention(one: Person | Entity, offset: int | None, memory: GistMemory) -> dict[str, Any]:
    """Return where a name stands; ``end`` is that of the form that stands there, which may be shorter or longer."""
    names = (one.name, *one.aliases) if isinstance(one, Person) else (one.name,)
    end = None if offset is None else name_end(names, memory.document.text, offset)
    return {"offset": offset, "end": end, "place": place_at(memory, offset)}


def _event(one: TimelineEvent, memory: GistMemory) -> dict[str, Any]:
    return {"when": one.when, "date": one.date, **_point(one.point, memory)}


def _term(one: Term, memory: GistMemory) -> dict[str, Any]:
    return {"name": one.name, "meaning": _point(one.meaning, memory)}


def _question(one: StudyQuestion, memory: GistMemory) -> dict[str, Any]:
    return {"question": one.question, "answer": _point(one.answer, memory)}


_ITEMS: Mapping[str, Callable[[Any, GistMemory], dict[str, Any]]] = {
    "outline": _section,
    "people": _person,
    "timeline": _event,
    "entities": _entity,
    "glossary": _term,
    "questions": _question,
}
