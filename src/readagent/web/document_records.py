"""Documents, their pages and chapters as clients get them."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import PurePosixPath
from typing import Any, Literal
from urllib.parse import urlsplit

import msgspec

from readagent.core.document import Document
from readagent.core.memory import GistMemory, Origin
from readagent.library import DocumentRow
from readagent.loaders.formats import FORMATS
from readagent.web.jobs import Job

FILE = "file"  # in the metadata of an uploaded document: the name of the file
_READ: Mapping[str, Literal["no", "partly", "yes"]] = {"added": "no", "reading": "partly", "done": "yes"}


class DocumentInList(msgspec.Struct, frozen=True, kw_only=True):
    """A document. ``pages`` is null until it was read; ``job`` is its job that has not ended, if there is one."""

    id: str
    title: str
    source: str
    format: str
    words: int
    pages: int | None
    read: Literal["no", "partly", "yes"]
    failed_pages: int
    questions: int
    added: datetime
    job: int | None
    version: int
    newest: bool


class Chapter(msgspec.Struct, frozen=True):
    """A chapter: its heading, and where it starts and ends in the text."""

    title: str
    start: int
    end: int
    level: int


class DocumentRecord(DocumentInList, frozen=True, kw_only=True):
    """A document with its chapters, the characters of its text, and the model that read it.

    ``state`` changes when the document has been read again or a gist was edited.
    """

    chapters: list[Chapter]
    language: str
    characters: int
    model: str
    state: str
    metadata: dict[str, str]


class PageRecord(msgspec.Struct, frozen=True):
    """A page of a document. ``gist`` is null until it is written; ``failed`` says why a page has no better gist."""

    number: int
    title: str
    start: int
    end: int
    words: int
    place: str
    chapter: str
    chapter_index: int | None
    gist: str | None
    gist_words: int
    origin: Origin | None
    pinned: bool
    failed: str


class TextRecord(msgspec.Struct, frozen=True):
    """A part of a text, by offsets in code points; ``total`` is the length of the whole text."""

    start: int
    end: int
    total: int
    text: str


def in_list(row: DocumentRow, jobs: Sequence[Job]) -> dict[str, Any]:
    """Return the fields of a document in a list."""
    return {
        "id": row.id,
        "title": row.name,
        "source": row.source,
        "format": format_of(row),
        "words": row.words,
        "pages": row.pages if row.state == "done" else None,
        "read": "yes" if row.tasks else _READ[row.state],
        "failed_pages": row.leads,
        "questions": row.questions,
        "added": row.added,
        "job": jobs[-1].row.id if jobs else None,
        "version": row.version,
        "newest": row.newest,
    }


def format_of(row: DocumentRow) -> str:
    """Return the format of a document in a word, as its file name, address or kind tells it."""
    address = row.source.startswith(("http://", "https://"))
    name = row.metadata.get(FILE) or (urlsplit(row.source).path if address else row.source)
    suffix = PurePosixPath(name.replace("\\", "/")).suffix.lower()
    by_suffix = next((name for name, one in FORMATS.items() if suffix and suffix in one.suffixes), "")
    return by_suffix or row.metadata.get("code") or ("html" if address else row.metadata.get("kind") or "text")


def chapters_of(document: Document) -> list[Chapter]:
    """Return the chapters of a document, in order; those below others have a higher level."""
    found, ends, after = list[Chapter](), dict[int, int](), len(document.text)
    for one in reversed([one for one in document.paragraphs if one.heading]):
        end = min((start for level, start in ends.items() if level <= one.heading), default=after)
        title = " ".join(document.text[one.start : one.end].split())
        found.append(Chapter(title, one.start, end, one.heading))
        ends[one.heading] = one.start
    return found[::-1]


def pages_of(memory: GistMemory, pinned: Mapping[tuple[int, int], object]) -> list[PageRecord]:
    """Return the pages of a memory with their gists."""
    spans = [(page.start, page.end, page.words) for page in memory.pages]
    reasons, records = memory.lead_reasons(), _page_records(memory.document, spans)
    return [
        msgspec.structs.replace(
            record,
            gist=gist.text,
            gist_words=gist.words,
            origin=gist.origin,
            pinned=(record.start, record.end) in pinned,
            failed=(reasons.get(record.number) or "no usable gist") if gist.origin == "lead" else "",
        )
        for record, gist in zip(records, memory.gists, strict=True)
    ]


def found_pages(
    document: Document, pages: Mapping[int, Mapping[str, Any]], gists: Mapping[int, Mapping[str, Any]]
) -> list[PageRecord]:
    """Return the pages that were found so far of a document that is being read, with the gists so far."""
    spans = [(pages[start]["start"], pages[start]["end"], pages[start]["words"]) for start in sorted(pages)]
    return [
        msgspec.structs.replace(
            record,
            gist=gists[record.start]["text"] if record.start in gists else None,
            gist_words=len(gists[record.start]["text"].split()) if record.start in gists else 0,
        )
        for record in _page_records(document, spans)
    ]


def _page_records(document: Document, spans: Sequence[tuple[int, int, int]]) -> list[PageRecord]:
    headings = [one for one in document.paragraphs if one.heading]
    starts = [one.start for one in headings]
    places = document.places([start for start, *_ in spans])
    records = []
    for number, ((start, end, words), place) in enumerate(zip(spans, places, strict=True)):
        at = bisect_right(starts, start) - 1
        title = "" if at < 0 else " ".join(document.text[headings[at].start : headings[at].end].split())
        index = None if at < 0 else at
        records.append(
            PageRecord(number, f"page {number + 1}", start, end, words, place, title, index, None, 0, None, False, "")
        )
    return records
