"""Export a memory and its answers as JSON in a stable format for programs; see ``markdown`` for people.

The JSON is an object: ``readagent`` (the version of the format, 2), ``document`` (``id``, ``title``, ``source``,
``words``, ``metadata``), ``model``, ``prompts``, ``plan``, ``compression``, ``pages`` (``number``, ``start``, ``end``,
``place``, ``words``, ``text``, ``gist``, ``gist_words``, ``gist_origin``), ``fallbacks``, and ``answers``, newest
first. New fields may be added. The version changes when a field is renamed or removed, or changes its meaning. Version
1, of readagent 0.1, had ``gist_source`` for ``gist_origin``, ``in_text`` for ``found_in_text``, ``ours`` for ``by_us``,
and ``max_words`` and ``min_words`` in ``plan`` for ``page_words`` and ``min_page_words``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from readagent.core.memory import GistMemory
from readagent.library.pack import to_json
from readagent.library.rows import KeptAnswer


def as_json(memory: GistMemory, answers: Sequence[KeptAnswer] = ()) -> bytes:
    """Return the memory, the text of its pages and its answers as JSON in the documented format."""
    document = memory.document
    value = {
        "readagent": 2,
        "document": {
            "id": document.id,
            "title": document.title,
            "source": document.source,
            "words": memory.full_words,
            "metadata": document.facts,
        },
        "model": memory.model,
        "prompts": memory.prompts,
        "plan": memory.plan,
        "compression": memory.compression,
        "pages": _pages(memory),
        "fallbacks": memory.trace.fallbacks,
        "answers": [_answer(answer) for answer in answers],
    }
    return _valid_utf8(to_json(value, indent=2) + b"\n")


def _valid_utf8(data: bytes) -> bytes:
    """Replace lone surrogates, which other JSON parsers reject."""
    return data.decode("utf-8", "surrogatepass").encode("utf-8", "replace")


def _pages(memory: GistMemory) -> list[dict[str, Any]]:
    return [
        {
            "number": page.number,
            "start": page.start,
            "end": page.end,
            "place": place,
            "words": page.words,
            "text": memory.page_text(page.number),
            "gist": gist.text,
            "gist_words": gist.words,
            "gist_origin": gist.origin,
        }
        for page, gist, place in zip(memory.pages, memory.gists, memory.places(), strict=True)
    ]


def _answer(answer: KeptAnswer) -> dict[str, Any]:
    return {
        "kind": answer.question.kind,
        "question": answer.question.text,
        "options": answer.question.options,
        "answer": answer.text,
        "choice": answer.choice,
        "pages": answer.pages,
        "other_pages": answer.other_pages,
        "quotes": answer.quotes,
        "false_quotes": answer.false_quotes,
        "statements": answer.statements,
        "checked_by": answer.support.checked_by,
        "verified": answer.verified,
        "found_in_text": answer.found_in_text,
        "up_to": answer.up_to,
        "compression": answer.compression,
        "model": answer.model,
        "thread": answer.thread,
        "made": answer.made.isoformat(),
    }
