"""Overviews as Markdown, for copying and saving: nothing of the text is markup in it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from readagent.core.escaping import in_markdown
from readagent.core.memory import GistMemory
from readagent.core.overviews import points
from readagent.core.overviews.points import doubt
from readagent.records.overviews import quote_first

NOTHING = "Nothing of this kind was found in the text."
_PLACES = 3  # of a statement that are named


def as_markdown(kind: str, result: points.Summary | points.Overview[Any]) -> str:
    """Return an overview of this kind as Markdown, with the title of the document as its heading."""
    memory = result.memory
    title = in_markdown(memory.document.title)
    head = [f"# {title}"] if title else []
    if isinstance(result, points.Summary):
        return "\n\n".join([*head, *_paragraphs(result)]) + "\n"
    write = _WRITERS[kind]
    gap = "\n\n" if kind == "outline" else "\n"
    body = gap.join(line for one in result for line in write(one, memory)) or NOTHING
    return "\n\n".join([*head, body]) + "\n"


def _paragraphs(summary: points.Summary) -> list[str]:
    found: list[list[str]] = []
    for point in summary.points:
        if point.begins or not found:
            found.append([])
        found[-1].append(_cited(point, summary.memory))
    return [" ".join(one) for one in found]


def _cited(point: points.Point, memory: GistMemory) -> str:
    """Return a statement with its places, and with a word where it is doubtful."""
    places = quote_first(point, memory)
    more = [f"{len(places) - _PLACES} more"] if len(places) > _PLACES else []
    where = "; ".join([*places[:_PLACES], *more, *filter(None, [doubt(point)])])
    return f"{in_markdown(point.text)} ({in_markdown(where)})" if where else in_markdown(point.text)


def _section(one: points.Section, memory: GistMemory) -> Iterator[str]:
    yield f"{'#' * min(6, one.level + 1)} {in_markdown(one.title)}"
    if one.points:
        yield " ".join(_cited(point, memory) for point in one.points)


def _person(one: points.Person, memory: GistMemory) -> Iterator[str]:
    names = f" ({in_markdown(', '.join(one.aliases))})" if one.aliases else ""
    about = f": {_cited(one.about, memory)}" if one.about.text else ""
    yield f"- **{in_markdown(one.name)}**{names}{about}"
    for what, whom in one.relations:
        yield f"  - {in_markdown(f'{what} of {whom}')}"


def _event(one: points.TimelineEvent, memory: GistMemory) -> Iterator[str]:
    time = in_markdown(" ".join((one.when or one.date).split()))
    yield f"- **{time}**: {_cited(one.point, memory)}" if time else f"- {_cited(one.point, memory)}"


def _entity(one: points.Entity, memory: GistMemory) -> Iterator[str]:
    kind = f" ({in_markdown(one.kind)})" if one.kind else ""
    about = f": {_cited(one.about, memory)}" if one.about.text else ""
    yield f"- **{in_markdown(one.name)}**{kind}{about}"


def _term(one: points.Term, memory: GistMemory) -> Iterator[str]:
    yield f"- **{in_markdown(one.name)}**: {_cited(one.meaning, memory)}"


def _question(one: points.StudyQuestion, memory: GistMemory) -> Iterator[str]:
    yield f"- **{in_markdown(one.question)}**"
    yield f"  {_cited(one.answer, memory)}"


def _row(one: points.Extract, memory: GistMemory) -> Iterator[str]:
    yield f"- {_cited(one.point, memory)}"


_WRITERS: Mapping[str, Callable[[Any, GistMemory], Iterator[str]]] = {
    "outline": _section,
    "people": _person,
    "timeline": _event,
    "entities": _entity,
    "glossary": _term,
    "questions": _question,
    "extract": _row,
}
