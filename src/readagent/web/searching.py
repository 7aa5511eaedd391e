"""Search over HTTP: passages with words in the texts of the library, and how many there are."""

from __future__ import annotations

import re

from readagent.library.database import MARKS
from readagent.library.search import MOST_WORDS
from readagent.records import record
from readagent.records.documents import MarkedHit, SearchTotals
from readagent.web.operations import Call, Operation
from readagent.web.service import Service


def _search(call: Call) -> list[MarkedHit]:
    service, words, only = call.service, call.query("q"), call.query("document") or None
    limit, offset = min(100, max(1, call.query_number("limit", 20))), call.query_number("offset", 0)
    found = []
    for hit in service.library.search(words, document_id=only, limit=limit, offset=offset, marks=MARKS):
        snippet, marks = _unmarked(" ".join(hit.snippet.split()))
        found.append(record(MarkedHit, hit, snippet=snippet, marks=marks))
    if len(found) == limit:
        return found
    before = offset - service.library.count_found(words, document_id=only)[0] if offset else 0
    service.unread.refresh()
    unread = service.unread.find(words, only or "", limit - len(found), max(0, before), MARKS)
    return [*found, *(_in_unread(service, *one) for one in unread)]


def _in_unread(service: Service, name: str, start: int, end: int, found: str) -> MarkedHit:
    """Return a passage that was found in a text without pages; it is the words that are shown there."""
    document = service.document(name)
    snippet, marks = _unmarked(found)
    words = r"\s+".join(map(re.escape, snippet[slice(*marks[0])].split())) if marks else ""
    at = re.compile(words).search(document.text, start, end) if words else None
    first, last = at.span() if at else (start, end)
    return MarkedHit(name, service.row(name).name, None, document.place_at(first), snippet, first, last, "", marks)


def _totals(call: Call) -> SearchTotals:
    words, only = call.query("q"), call.query("document") or None
    missing = call.service.unread.refresh()
    known = call.service.library.count_found(words, document_id=only)
    unread = call.service.unread.count(words, only or "")
    return SearchTotals(known[0] + unread[0], known[1] + unread[1], missing)


def _unmarked(snippet: str) -> tuple[str, list[tuple[int, int]]]:
    """Return the snippet without marks, and where they were."""
    pieces = snippet.replace(MARKS[1], MARKS[0]).split(MARKS[0])
    marks, at = [], 0
    for number, piece in enumerate(pieces):
        if number % 2:
            marks.append((at, at + len(piece)))
        at += len(piece)
    return "".join(pieces), marks


_WHERE = (
    ("q", f'words, or "a phrase"; the first {MOST_WORDS} different ones are searched'),
    ("document", "only this document"),
)
OPERATIONS = (
    Operation(
        "GET", "/api/search", _search, "Search the text of all documents.", list[MarkedHit],
        query=(*_WHERE, ("limit", "most results (20)"), ("offset", "results that are left out")),
    ),
    Operation("GET", "/api/search/totals", _totals, "Count what a search finds.", SearchTotals, query=_WHERE),
)  # fmt: skip
