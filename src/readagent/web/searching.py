"""Search over HTTP: passages with words in the texts of the library, and how many there are."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

from readagent.library.search import passages
from readagent.records import record
from readagent.records.documents import MarkedHit, SearchTotals
from readagent.web.operations import Call, Operation
from readagent.web.service import Service

_MARKS = ("\x02", "\x03")
_MOST_IN_TEXT = 10_000  # passages of one text that are counted


def _search(call: Call) -> list[MarkedHit]:
    library, words, document = call.service.library, call.query("q"), call.query("document") or None
    limit, offset = min(100, max(1, call.query_number("limit", 20))), call.query_number("offset", 0)
    found = []
    for hit in library.search(words, document_id=document, limit=limit, offset=offset, marks=_MARKS):
        snippet, marks = _unmarked(" ".join(hit.snippet.split()))
        found.append(record(MarkedHit, hit, snippet=snippet, marks=marks))
    if len(found) == limit:
        return found
    before = offset - library.count_found(words, document_id=document)[0] if offset else 0
    first = max(0, before)
    return [*found, *islice(_in_unread(call.service, words, document), first, first + limit - len(found))]


def _totals(call: Call) -> SearchTotals:
    words, document = call.query("q"), call.query("document") or None
    passages, documents = call.service.library.count_found(words, document_id=document)
    unread = [one.document for one in _in_unread(call.service, words, document)]
    return SearchTotals(passages + len(unread), documents + len(set(unread)))


def _in_unread(service: Service, words: str, only: str | None) -> Iterator[MarkedHit]:
    """Yield passages with the words in the texts that were not read to their end, which have no pages to search."""
    for row in service.catalogue.rows():
        if row.state == "done" or row.tasks or only not in (None, row.id):
            continue
        document = service.document(row.id)
        for one in passages(document.text, words, _MOST_IN_TEXT):
            snippet = re.sub(r"\s", " ", document.text[one.start : one.end])  # as long as before: marks stay right
            place = document.place_at(one.start + one.marks[0][0])
            yield MarkedHit(row.id, row.name, None, place, snippet, one.start, one.end, "", list(one.marks))


def _unmarked(snippet: str) -> tuple[str, list[tuple[int, int]]]:
    """Return the snippet without marks, and where they were."""
    pieces = snippet.replace(_MARKS[1], _MARKS[0]).split(_MARKS[0])
    marks, at = [], 0
    for number, piece in enumerate(pieces):
        if number % 2:
            marks.append((at, at + len(piece)))
        at += len(piece)
    return "".join(pieces), marks


_WHERE = (("q", 'words, or "a phrase"'), ("document", "only this document"))
OPERATIONS = (
    Operation(
        "GET", "/api/search", _search, "Search the text of all documents.", list[MarkedHit],
        query=(*_WHERE, ("limit", "most results (20)"), ("offset", "results that are left out")),
    ),
    Operation("GET", "/api/search/totals", _totals, "Count what a search finds.", SearchTotals, query=_WHERE),
)  # fmt: skip
