"""The JSON export of a memory and its answers, in a stable format for programs.

It is an ``ExportRecord``. New fields may be added. The version changes when a field is renamed or removed, or changes
its meaning. Version 1, of readagent 0.1, had ``gist_source`` for ``gist_origin``, ``in_text`` for ``found_in_text``,
``ours`` for ``by_us``, and ``max_words`` and ``min_words`` in ``plan`` for ``page_words`` and ``min_page_words``.
"""

from __future__ import annotations

from collections.abc import Sequence

from readagent.core.memory import GistMemory
from readagent.core.plan import Plan
from readagent.library.pack import to_json
from readagent.library.rows import KeptAnswer
from readagent.records import Record, record
from readagent.records.answers import AnswerRecord, FallbackRecord, answer_records
from readagent.records.documents import PageRecord, page_records


class ExportedDocument(Record, frozen=True):
    """The document of an export."""

    id: str
    title: str
    source: str
    words: int
    metadata: dict[str, str]


class ExportRecord(Record, frozen=True):
    """A memory, the text of its pages, and its answers, newest first; ``readagent`` is the version of the format."""

    readagent: int
    document: ExportedDocument
    model: str
    prompts: str
    plan: Plan
    compression: float
    pages: list[PageRecord]
    fallbacks: list[FallbackRecord]
    answers: list[AnswerRecord]


_VERSION = 2


def as_json(memory: GistMemory, answers: Sequence[KeptAnswer] = ()) -> bytes:
    """Return the memory, the text of its pages and its answers as JSON in the documented format."""
    document = memory.document
    value = ExportRecord(
        readagent=_VERSION,
        document=record(ExportedDocument, document, words=memory.full_words, metadata=document.facts),
        model=memory.model,
        prompts=memory.prompts,
        plan=memory.plan,
        compression=memory.compression,
        pages=page_records(memory, with_text=True),
        fallbacks=[record(FallbackRecord, one) for one in memory.trace.fallbacks],
        answers=answer_records(answers, memory),
    )
    data = to_json(value, indent=2) + b"\n"
    return data.decode("utf-8", "surrogatepass").encode("utf-8", "replace")  # other parsers reject lone surrogates
