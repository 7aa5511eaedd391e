"""`readagent people`: who is in a document, what they do, how they are related, and where they appear."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path
from typing import Any

import click

from readagent.cli.overviews import made, mentioned, overview_options, show
from readagent.cli.screen import style
from readagent.core.memory import GistMemory
from readagent.core.overviews.points import Person, doubt, place_at
from readagent.pictures import people_picture
from readagent.records.overviews import item_records, relation_doubt, together, unverified


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
    unsure = unverified(result)
    record = {
        "title": memory.document.title,
        "people": item_records(result, memory),
        "together": together(result.items),
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


def _related(person: Person, unsure: Collection[str]) -> str:
    marks = {whom: relation_doubt(person, whom, unsure) for _, whom in person.relations}
    return "; ".join(
        f"{what} of {whom} ({marks[whom]})" if marks[whom] else f"{what} of {whom}" for what, whom in person.relations
    )


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
