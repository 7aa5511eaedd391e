"""Pages and their gists as `show` and `regist` print them, and the numbers by which a person names them."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Collection, Iterable
from textwrap import shorten, wrap
from typing import Any

import click

from readagent.cli.output import counted
from readagent.core.gists.pinning import Span
from readagent.core.memory import GistMemory
from readagent.errors import UsageError

_NARROW = 80  # columns; below this gist and page stand one under the other
_MARKS = {
    "lead": " [the page's opening: the model gave no usable gist]",
    "verbatim": " [the page itself]",
    "user": " [yours]",
    "model": "",
}


def numbers(given: Iterable[str], memory: GistMemory) -> list[int]:
    """The pages that are meant by numbers and ranges such as 3-5, each once, in the order in which they were given."""
    return list(dict.fromkeys(number for one in given for number in _range(one, len(memory.pages) - 1)))


def _range(given: str, last: int) -> range:
    first, dash, end = given.partition("-")
    if not first.isdecimal() or (dash and not end.isdecimal()):
        raise click.UsageError(f"A page is a number or a range such as 3-5, not {given!r}.")
    low, high = sorted((int(first), int(end or first)))
    if high > last:
        raise UsageError(f"there is no page {high}", hint=f"the pages are numbered from 0 to {last}")
    return range(low, high + 1)


def is_pinned(memory: GistMemory, number: int, pinned: Collection[Span]) -> bool:
    """Whether the gist of this page is kept through re-reading."""
    page = memory.pages[number]
    return (page.start, page.end) in pinned


def record(
    memory: GistMemory, number: int, place: str, pinned: Collection[Span], *, with_text: bool = False
) -> dict[str, Any]:
    """A page in the `page_list` of `--json`."""
    page, gist = memory.pages[number], memory.gists[number]
    told = {"number": number, "start": page.start, "end": page.end, "place": place, "words": page.words,
            "gist": gist.text, "gist_words": gist.words, "gist_origin": gist.origin,
            "pinned": is_pinned(memory, number, pinned)}  # fmt: skip
    return {**told, "text": memory.page_text(number)} if with_text else told


def heading(memory: GistMemory, number: int, place: str, pinned: Collection[Span]) -> str:
    """The line above a page or its gist."""
    page, gist = memory.pages[number], memory.gists[number]
    where = f"  {shorten(place, 60)}" if place else ""
    mark = " [pinned]" if gist.origin != "user" and is_pinned(memory, number, pinned) else ""
    words = f"  {counted(page.words, 'word')}, gist {gist.words}{_MARKS[gist.origin]}{mark}"
    return click.style(f"Page {number}", bold=True) + where + words


def print_gist(memory: GistMemory, number: int) -> None:
    """The gist of a page, in lines."""
    click.echo("\n".join(wrap(memory.gists[number].text, _width())))


def print_beside(memory: GistMemory, number: int) -> None:
    """A page and its gist, in two columns where there is room for them."""
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


def _width() -> int:
    return min(120, shutil.get_terminal_size((100, 24)).columns) if sys.stdout.isatty() else 100


def _wrapped(text: str, width: int) -> list[str]:
    """The lines of a text, those that are too long broken at words."""
    return [line for block in text.splitlines() for line in (wrap(block, width) or [""])]
