"""Documents: in lists, as they were read, pages and chapters, what reading takes, and pages that have some words."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from itertools import takewhile
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any, Literal
from urllib.parse import urlsplit

from msgspec import UNSET, UnsetType

from readagent.advice import as_options
from readagent.core.document import Document, heading_text
from readagent.core.memory import GistMemory, Origin
from readagent.library.rows import DocumentRow, RemovedKind, State
from readagent.loaders.formats import FORMATS
from readagent.records import Record, record
from readagent.records.answers import CardRecord, ShelfAnswerRecord, Took, took_fields
from readagent.records.jobs import JobRecord

if TYPE_CHECKING:
    from readagent.estimates import Estimates

FILE = "file"  # in the metadata of an uploaded document: the name of the file
TAGS = "tags"  # in the metadata: what somebody has tagged a document with, a line for each
_READ: Mapping[str, Literal["no", "partly", "yes"]] = {"added": "no", "reading": "partly", "done": "yes"}


class DocumentFacts(Record, frozen=True):
    """What all lists of documents have."""

    id: str
    title: str
    source: str
    words: int
    questions: int
    added: datetime
    version: int
    newest: bool


class ListedDocument(DocumentFacts, frozen=True):
    """A document as `list --json` prints it; ``pages`` and so on are those of its newest general reading."""

    metadata: dict[str, str]
    state: State
    pages: int
    gist_words: int
    leads: int
    unmerged: bool
    stopped: str
    tasks: list[str]


class DocumentInList(DocumentFacts, frozen=True):
    """A document. ``pages`` is null until it was read; ``job`` is its job that has not ended, if there is one."""

    tags: list[str]
    format: str
    pages: int | None
    read: Literal["no", "partly", "yes"]
    failed_pages: int
    job: int | None


class LibraryPart(Record, frozen=True):
    """A part of the list of documents: how many there are, how many were ``found``, and the jobs that read these.

    ``tags`` are those of all documents, with how many have each; ``readings`` are all that go on or wait, by state.
    """

    total: int
    found: int
    unread: int
    partly: int
    tags: dict[str, int]
    readings: dict[str, int]
    documents: list[DocumentInList]
    jobs: list[JobRecord]


class ShelfRecord(Record, frozen=True):
    """A shelf with its documents and answers, newest first. Those ``waiting`` are not asked before they were read."""

    name: str
    documents: list[CardRecord]
    waiting: list[DocumentInList]
    answers: list[ShelfAnswerRecord]


class TrashRecord(Record, frozen=True):
    """Something in the trash: ``name`` is the title of a document, or the question of an answer.

    ``document`` is empty for an answer from a shelf.
    """

    id: int
    kind: RemovedKind
    document: str
    name: str
    removed: datetime
    until: datetime


class Chapter(Record, frozen=True):
    """A chapter: its heading, and where it starts and ends in the text."""

    title: str
    start: int
    end: int
    level: int


class DocumentRecord(DocumentInList, frozen=True):
    """A document with its chapters, the characters of its text, and the model that read it.

    ``state`` changes when the document has been read again or a gist was edited. ``original`` is true if the file was
    kept and can be shown.
    """

    chapters: list[Chapter]
    language: str
    characters: int
    model: str
    state: str
    metadata: dict[str, str]
    original: bool


class OriginalPage(Record, frozen=True):
    """A page of the original, counted from 0, of so many: a PNG in base64, and its size in pixels.

    ``lines`` are the lines of the passage that was asked for, as shares of the picture: left, top, right, bottom.
    """

    page: int
    pages: int
    width: int
    height: int
    lines: list[tuple[float, float, float, float]]
    png: str


class PassageInText(Record, frozen=True):
    """A passage of the text, where it is, and who says it in a transcript."""

    start: int
    end: int
    text: str
    place: str
    speaker: str


class MemoryRecord(Took, frozen=True):
    """A document that was read, and what that took; ``leads`` are the pages without a gist."""

    id: str
    title: str
    source: str
    metadata: dict[str, str]
    words: int
    pages: int
    gist_words: int
    compression: float
    leads: list[int]
    warnings: list[str]
    task: str
    instructions: str
    gist_language: str


class GrowthRecord(Record, frozen=True):
    """What was added to a memory."""

    kept_pages: int
    new_pages: int
    new_words: int


class FailedSource(Record, frozen=True):
    """A source that could not be read, among others that were."""

    source: str
    error: str
    hint: str


class PageRecord(Record, frozen=True):
    """A page. ``gist_problem`` says why a page has no better gist than its opening."""

    number: int
    start: int
    end: int
    place: str
    words: int
    gist: str | None
    gist_words: int
    gist_origin: Origin | None
    gist_problem: str
    pinned: bool | UnsetType = UNSET
    text: str | UnsetType = UNSET


class PageInChapter(PageRecord, kw_only=True, frozen=True):
    """A page with its chapter. ``gist`` is null until it is written."""

    pinned: bool
    title: str
    chapter: str
    chapter_index: int | None


class TextRecord(Record, frozen=True):
    """A part of a text, by offsets in code points; ``total`` is the length of the whole text."""

    start: int
    end: int
    total: int
    text: str


class EstimateRecord(Record, frozen=True):
    """Calls, words and tokens of a part of the work; ``cost`` in US dollars, null where the price is unknown."""

    calls: int
    words: int
    prompt_tokens: int
    reply_tokens: int
    cost: float | None
    seconds: float | None


class EstimatesRecord(Record, frozen=True):
    """What reading a document takes, and then each question about it.

    ``two_steps`` is what reading takes if the model cannot read in one pass; null where one pass is not tried.
    """

    words: int
    pages: int
    page_words: int
    gist_words: int
    reading: EstimateRecord
    question: EstimateRecord
    window: int | None
    warnings: list[str]
    two_steps: EstimateRecord | None
    summary: EstimateRecord | None


class HitRecord(Record, frozen=True):
    """A page that has the words; ``start`` and ``end`` are the page's.

    In a text that was not read yet, ``page`` is null, and ``start`` and ``end`` are those of the passage.
    """

    document: str
    title: str
    page: int | None
    place: str
    snippet: str
    start: int
    end: int
    task: str


class MarkedHit(HitRecord, frozen=True):
    """A page that has the words; ``marks`` are where they are in the snippet."""

    marks: list[tuple[int, int]]


class SearchTotals(Record, frozen=True):
    """How many passages have the words, and in how many documents they are.

    ``missing`` is how many unread texts the server has not indexed yet, so that their passages are not counted.
    """

    passages: int
    documents: int
    missing: int


def in_list(row: DocumentRow, job: int | None) -> dict[str, Any]:
    """Return the fields of ``DocumentInList`` that are no attributes of a row."""
    return {
        "title": row.name,
        "source": source_of(row),
        "tags": tags_in(row.metadata),
        "format": _format_of(row),
        "pages": row.pages if row.state == "done" else None,
        "read": "yes" if row.tasks else _READ[row.state],
        "failed_pages": row.leads,
        "job": job,
    }


def source_of(row: DocumentRow) -> str:
    """Return the path or address of a document, or the name of the file that was uploaded."""
    return row.source or row.metadata.get(FILE, "")


def file_or_address(row: DocumentRow) -> str:
    """Return the name of the file that a document is from, or its address."""
    return row.source if _is_address(row.source) else row.metadata.get(FILE) or row.file_name


def tags_in(metadata: Mapping[str, str]) -> list[str]:
    """Return the tags of a document."""
    return [one for one in metadata.get(TAGS, "").split("\n") if one]


def _format_of(row: DocumentRow) -> str:
    """Return the format of a document in a word, as its file name, address or kind tells it."""
    address = _is_address(row.source)
    name = row.metadata.get(FILE) or (urlsplit(row.source).path if address else row.source)
    suffix = PurePosixPath(name.replace("\\", "/")).suffix.lower()
    by_suffix = next((name for name, one in FORMATS.items() if suffix and suffix in one.suffixes), "")
    return by_suffix or row.metadata.get("code") or ("html" if address else row.metadata.get("kind") or "text")


def _is_address(source: str) -> bool:
    return source.startswith(("http://", "https://"))


def chapters_of(document: Document) -> list[Chapter]:
    """Return the chapters of a document, in order; those below others have a higher level."""
    found, ends, after = list[Chapter](), dict[int, int](), len(document.text)
    for one in reversed([one for one in document.paragraphs if one.heading]):
        end = min((start for level, start in ends.items() if level <= one.heading), default=after)
        found.append(Chapter(heading_text(document, one), one.start, end, one.heading))
        ends[one.heading] = one.start
    return found[::-1]


def growth_record(before: GistMemory, after: GistMemory) -> GrowthRecord:
    """Return what was added to a memory."""
    same = (a == b for a, b in zip(before.pages, after.pages, strict=False))
    stay = sum(takewhile(bool, same))
    return GrowthRecord(stay, len(after.pages) - stay, after.full_words - before.full_words)


def memory_record(memory: GistMemory) -> MemoryRecord:
    """Return a memory in short."""
    document, plan, whole = memory.document, memory.plan, memory.whole
    return record(
        MemoryRecord,
        document,
        metadata=document.facts,
        words=memory.full_words,
        pages=len(whole.pages),
        gist_words=whole.words(),
        compression=round(whole.compression, 4),
        leads=whole.leads,
        warnings=list(map(as_options, memory.warnings)),
        task=plan.task,
        instructions=plan.instructions,
        gist_language=plan.gist_language,
        **took_fields(memory.trace),
    )


def page_records(
    memory: GistMemory,
    numbers: Sequence[int] | None = None,
    *,
    pinned: Collection[tuple[int, int]] | None = None,
    with_text: bool = False,
) -> list[PageRecord]:
    """Return pages of a memory, by default all, with their gists; ``pinned`` are the spans of pinned ones."""
    reasons, places = memory.lead_reasons(), memory.places()
    return [
        record(
            PageRecord,
            memory.pages[number],
            place=places[number],
            gist=gist.text,
            gist_words=gist.words,
            gist_origin=gist.origin,
            gist_problem=(reasons.get(number) or "no usable gist") if gist.origin == "lead" else "",
            pinned=UNSET if pinned is None else (memory.pages[number].start, memory.pages[number].end) in pinned,
            text=memory.page_text(number) if with_text else UNSET,
        )
        for number in (range(len(memory.pages)) if numbers is None else numbers)
        for gist in (memory.gists[number],)
    ]


def found_pages(
    document: Document, pages: Mapping[int, Mapping[str, Any]], gists: Mapping[int, Mapping[str, Any]]
) -> list[PageRecord]:
    """Return the pages that were found so far of a document that is being read, with the gists so far."""
    starts = sorted(pages)
    texts = [gists[start]["text"] if start in gists else None for start in starts]
    return [
        PageRecord(
            number, start, pages[start]["end"], place, pages[start]["words"], gist, len((gist or "").split()), None, "",
            pinned=False,
        )
        for number, (start, place, gist) in enumerate(zip(starts, document.places(starts), texts, strict=True))
    ]  # fmt: skip


def in_chapters(document: Document, pages: Sequence[PageRecord]) -> list[PageInChapter]:
    """Return pages with the chapter that each begins in."""
    headings = [one for one in document.paragraphs if one.heading]
    titles = [heading_text(document, one) for one in headings]
    starts = [one.start for one in headings]
    places = [bisect_right(starts, page.start) - 1 for page in pages]
    return [
        record(
            PageInChapter, page, title=f"page {page.number + 1}", chapter="" if at < 0 else titles[at],
            chapter_index=None if at < 0 else at,
        )
        for page, at in zip(pages, places, strict=True)
    ]  # fmt: skip


def estimates_record(found: Estimates) -> EstimatesRecord:
    """Return what reading takes."""
    warnings = list(map(as_options, found.warnings))
    return record(EstimatesRecord, found, gist_words=found.memory_words, warnings=warnings)
