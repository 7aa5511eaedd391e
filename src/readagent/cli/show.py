"""`readagent show`: the gists of a document, or gist and page side by side."""

from __future__ import annotations

import shutil
import sys
from textwrap import shorten, wrap
from typing import Any

import click

from readagent.cli.known import known_memory, library_of
from readagent.cli.options import JSON, settings_of
from readagent.cli.output import counted, memory_record, print_json, summary
from readagent.core.memory import GistMemory
from readagent.errors import UsageError

_NARROW = 80  # columns; below this gist and page stand one under the other
_MARKS = {
    "lead": " [the page's opening: the model gave no usable gist]",
    "verbatim": " [the page itself]",
    "user": " [yours]",
    "model": "",
}


@click.command(
    epilog="""\b
Examples:
  readagent show novel.txt
  readagent show novel.txt --page 3
  readagent show novel.txt --page 3-5 --page 9
  readagent show novel.txt --json | jq '.page_list[0].gist'
"""
)
@click.argument("document")
@click.option("-p", "--page", "pages", multiple=True, metavar="N|N-M", help="Show these pages beside their gists.")
@click.option("--all", "everything", is_flag=True, help="Show all pages beside their gists.")
@JSON
def command(document: str, pages: tuple[str, ...], everything: bool, as_json: bool) -> None:
    """Show the gists of a document, or pages beside their gists. Pages are numbered from 0."""
    with library_of(settings_of({})) as library:
        memory = known_memory(document, library)
    last = len(memory.pages) - 1
    chosen = [number for given in pages for number in _numbers(given, last)]
    numbers = chosen or list(range(last + 1))
    places = memory.places()
    if as_json:
        with_text = bool(chosen) or everything
        records = [_record(memory, number, places[number], with_text) for number in numbers]
        print_json({**memory_record(memory), "page_list": records})
        return
    click.echo(click.style(summary(memory), bold=True))
    for number in numbers:
        click.echo()
        click.echo(_heading(memory, number, places[number]))
        (_beside if chosen or everything else _gist)(memory, number)


def _numbers(given: str, last: int) -> list[int]:
    first, dash, end = given.partition("-")
    if not first.isdigit() or (dash and not end.isdigit()):
        raise click.UsageError(f"--page takes a number or a range such as 3-5, not {given!r}.")
    low, high = int(first), int(end or first)
    if max(low, high) > last:
        raise UsageError(f"there is no page {max(low, high)}", hint=f"the pages are numbered from 0 to {last}")
    return list(range(min(low, high), max(low, high) + 1))


def _record(memory: GistMemory, number: int, place: str, with_text: bool) -> dict[str, Any]:
    page, gist = memory.pages[number], memory.gists[number]
    record = {"number": number, "start": page.start, "end": page.end, "place": place, "words": page.words,
              "gist": gist.text, "gist_words": gist.words, "gist_source": gist.source}  # fmt: skip
    return {**record, "text": memory.page_text(number)} if with_text else record


def _heading(memory: GistMemory, number: int, place: str) -> str:
    page, gist = memory.pages[number], memory.gists[number]
    where = f"  {shorten(place, 60)}" if place else ""
    words = f"  {counted(page.words, 'word')}, gist {gist.words}{_MARKS[gist.source]}"
    return click.style(f"Page {number}", bold=True) + where + words


def _width() -> int:
    return min(120, shutil.get_terminal_size((100, 24)).columns) if sys.stdout.isatty() else 100


def _gist(memory: GistMemory, number: int) -> None:
    click.echo("\n".join(wrap(memory.gists[number].text, _width())))


def _beside(memory: GistMemory, number: int) -> None:
    """Two columns where there is room for them."""
    text, gist = memory.page_text(number).strip(), memory.gists[number].text
    if not sys.stdout.isatty() or _width() < _NARROW:
        click.echo("\n".join([click.style("gist:", dim=True), *wrap(gist, _width()), ""]))
        click.echo(click.style("page:", dim=True))
        click.echo("\n".join(_wrapped(text, _width())) if sys.stdout.isatty() else text)
        return
    left, right = (_width() - 3) * 2 // 5, (_width() - 3) * 3 // 5
    gist_lines = wrap(gist, left)
    page_lines = _wrapped(text, right)
    for i in range(max(len(gist_lines), len(page_lines))):
        a = gist_lines[i] if i < len(gist_lines) else ""
        b = page_lines[i] if i < len(page_lines) else ""
        click.echo(f"{a:<{left}} │ {b}".rstrip())


def _wrapped(text: str, width: int) -> list[str]:
    """The lines of a text, those that are too long broken at words."""
    return [line for block in text.splitlines() for line in (wrap(block, width) or [""])]
