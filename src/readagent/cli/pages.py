"""Pages and gists as `show` and `improve` print them, and the page numbers that people type."""

from __future__ import annotations

import sys
from collections.abc import Collection, Iterable
from itertools import zip_longest
from textwrap import shorten

import click

from readagent.cli.output import counted
from readagent.cli.screen import style
from readagent.cli.wrapping import columns_of, fold, padded, wrap_lines
from readagent.core.asking.position import named_place
from readagent.core.find_place import find_place
from readagent.core.memory import GistMemory, Span
from readagent.errors import UsageError

_NARROW = 80  # columns; below this, the page is printed under its gist
_WIDE = 120  # columns; longer lines are hard to read
_MARKS = {
    "lead": " [opening of the page: no usable gist]",
    "verbatim": " [the whole page]",
    "user": " [written by you]",
    "model": "",
}


def numbers(given: Iterable[str], memory: GistMemory) -> list[int]:
    """Return the pages for numbers, ranges and lists such as 3, 5-7 or 3,5, each once, in the order given.

    People count pages from 1, we count them from 0.
    """
    return list(
        dict.fromkeys(
            number for some in given for one in some.split(",") for number in _range(one.strip(), len(memory.pages))
        )
    )


def _range(given: str, last: int) -> range:
    first, dash, end = given.partition("-")
    if not first.isdecimal() or (dash and not end.isdecimal()):
        raise click.UsageError(f"A page must be a number or a range such as 3-5, not {given!r}.")
    low, high = sorted((int(first), int(end or first)))
    if low < 1 or high > last:
        raise UsageError(f"there is no page {high if low else low}", hint=f"pages are numbered from 1 to {last}")
    return range(low - 1, high)


def at_place(memory: GistMemory, place: str) -> list[int]:
    """Return the pages with the text at a place in the source, or the page of a name such as ``page 4``."""
    start, end = named_place(memory, place) or find_place(memory.document, place)  # which says what is near
    return [page.number for page in memory.pages if page.start < end and start < page.end]


def is_pinned(memory: GistMemory, number: int, pinned: Collection[Span]) -> bool:
    """Whether the gist of this page is pinned."""
    page = memory.pages[number]
    return (page.start, page.end) in pinned


def heading(memory: GistMemory, number: int, place: str, pinned: Collection[Span]) -> str:
    """Return the line above a page or its gist."""
    page, gist = memory.pages[number], memory.gists[number]
    where = f"  {place}" if place else ""
    mark = " [pinned]" if gist.origin != "user" and is_pinned(memory, number, pinned) else ""
    origin = _MARKS[gist.origin]
    if reason := memory.lead_reasons().get(number):
        origin = f" [opening of the page, no usable gist: {shorten(reason, 120)}]"
    words = f"  {counted(page.words, 'word')}, gist {gist.words}{origin}{mark}"
    return style(f"Page {number + 1}", bold=True) + where + words


def gist_of(memory: GistMemory, number: int) -> str:
    """Return the gist of a page on one line, or in lines on a terminal."""
    return _wrapped(_on_one_line(memory, number))


def side_by_side(memory: GistMemory, number: int) -> str:
    """Return a page and its gist, in two columns if the terminal is wide enough."""
    text, gist, width = memory.page_text(number).strip(), _on_one_line(memory, number), _width()
    if width < _NARROW:
        return "\n".join([style("gist:", dim=True), _wrapped(gist), "", style("page:", dim=True), _wrapped(text)])
    left, right = (width - 3) * 2 // 5, (width - 3) * 3 // 5
    columns = zip_longest(fold(gist, left), fold(text, right), fillvalue="")
    return "\n".join(f"{padded(gist, left)} │ {page}".rstrip() for gist, page in columns)


def _on_one_line(memory: GistMemory, number: int) -> str:
    return " ".join(memory.gists[number].text.split())


def _width() -> int:
    """Return the width to wrap at; 0 where the output is no terminal."""
    return min(_WIDE, columns_of(sys.stdout))


def _wrapped(text: str) -> str:
    width = _width()
    return wrap_lines(text, width) if width else text
