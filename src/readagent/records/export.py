"""The JSON export of a memory and its answers, in a stable format for programs.

It is an object: ``readagent`` (the version of the format, 2), ``document`` (``id``, ``title``, ``source``, ``words``,
``metadata``), ``model``, ``prompts``, ``plan``, ``compression``, ``pages``, ``fallbacks``, and ``answers``, newest
first. New fields may be added. The version changes when a field is renamed or removed, or changes its meaning. Version
1, of readagent 0.1, had ``gist_source`` for ``gist_origin``, ``in_text`` for ``found_in_text``, ``ours`` for ``by_us``,
and ``max_words`` and ``min_words`` in ``plan`` for ``page_words`` and ``min_page_words``.
"""

from __future__ import annotations

from collections.abc import Sequence

from readagent.core.memory import GistMemory
from readagent.library.pack import to_json
from readagent.library.rows import KeptAnswer
from readagent.records import record
from readagent.records.answers import FallbackRecord, answer_records
from readagent.records.documents import page_records


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
        "pages": page_records(memory, with_text=True),
        "fallbacks": [record(FallbackRecord, one) for one in memory.trace.fallbacks],
        "answers": answer_records(answers, memory),
    }
    data = to_json(value, indent=2) + b"\n"
    return data.decode("utf-8", "surrogatepass").encode("utf-8", "replace")  # other parsers reject lone surrogates
