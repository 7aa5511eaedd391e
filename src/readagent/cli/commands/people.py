"""`readagent people`: who is in a document, what they do, how they are related, and where they appear."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path
from typing import Any

import click

from readagent.cli.overviews import made, mentioned, overview_options, point_record, show
from readagent.cli.screen import style
from readagent.core.memory import GistMemory
from readagent.core.overviews.people import together_on_pages
from readagent.core.overviews.records import Person
from readagent.core.overviews.where import doubt, place_at
from readagent.pictures.people import people_picture


@click.command(
    epilog="""\b
Examples:
  readagent people novel.epub
  readagent people novel.epub --up-to "Chapter 4"
  readagent people novel.epub -o people.csv
  readagent people novel.epub -o people.html
"""
)
@overview_options
def command(document: str, output: Path | None, as_json: bool, **flags: Any) -> None:
    """List the people in a document: other names, what they do, relations, first and last mention.

    DOCUMENT is a file, a URL, or the title, file name or id of a document in the library. It is read first if needed.
    """
    result = made(document, lambda agent: agent.people, flags)
    memory = result.memory
    unsure = frozenset(one.name for one in result if one.about.state != "supported" or not one.mentions)
    record = {
        "title": memory.document.title,
        "people": [_record(one, memory, unsure) for one in result],
        "together": [{"people": list(pair), "pages": count} for pair, count in together_on_pages(result.items).items()],
    }
    rows = [("name", "other names", "who", "relations", "first", "last", "mentions", "doubt")] + [
        (one.name, "; ".join(one.aliases), one.about.text, _related(one, unsure),
         place_at(memory, one.first), place_at(memory, one.last), str(one.mentions),
         doubt(one.about))
        for one in result
    ]  # fmt: skip
    lines = [line for one in result for line in _lines(one, memory, unsure)]

    def draw() -> str:
        return people_picture(memory.document.title, result.items)

    show(result, lines or ["Nobody was found."], record, rows, output, as_json, draw)


def _record(person: Person, memory: GistMemory, unsure: Collection[str]) -> dict[str, Any]:
    return {
        "name": person.name,
        "other_names": list(person.aliases),
        "about": point_record(person.about, memory),
        "relations": [
            {"is": what, "of": whom, "doubt": _doubt(person, whom, unsure)} for what, whom in person.relations
        ],
        "first": {"offset": person.first, "place": place_at(memory, person.first)},
        "last": {"offset": person.last, "place": place_at(memory, person.last)},
        "pages": list(person.pages),
        "mentions": person.mentions,
    }


def _related(person: Person, unsure: Collection[str]) -> str:
    marks = {whom: _doubt(person, whom, unsure) for _, whom in person.relations}
    return "; ".join(
        f"{what} of {whom} ({marks[whom]})" if marks[whom] else f"{what} of {whom}" for what, whom in person.relations
    )


def _doubt(person: Person, whom: str, unsure: Collection[str]) -> str:
    """Return "not verified" for a relation if that holds for what is said of either of the two."""
    return "not verified" if {person.name, whom} & {*unsure} else ""


def _lines(person: Person, memory: GistMemory, unsure: Collection[str]) -> list[str]:
    names = f" ({', '.join(person.aliases)})" if person.aliases else ""
    doubted = doubt(person.about)
    mark = f" {style(f'({doubted})', dim=True)}" if doubted else ""
    related = _related(person, unsure)
    return [
        f"{style(person.name, bold=True)}{names}{mentioned(person, memory)}",
        *([f"  {person.about.text}{mark}"] if person.about.text else []),
        *([f"  {related}"] if related else []),
        "",
    ]
