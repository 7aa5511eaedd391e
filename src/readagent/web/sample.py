"""The sample: a short text with pages, gists and an answer that were recorded: it can be seen without a model."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import msgspec

from readagent.core.memory import Gist, GistMemory, Page
from readagent.core.plan import Plan
from readagent.core.question import Answer
from readagent.core.words import count_words
from readagent.loaders import load
from readagent.records.servers import SampleRecord
from readagent.web.operations import Call, Operation

RECORDED = "recorded from a large language model"  # in place of the name of a model
_FOLDER = Path(__file__).parent / "sample"
_TITLE = "Sample: The Tide Clock"


class Recording(msgspec.Struct):
    """What a model has made of the text: where its pages begin and end, their gists, and an answer."""

    pages: list[tuple[int, int]]
    gists: list[str]
    plan: Plan
    answer: Answer


def _open(call: Call) -> SampleRecord:
    """Add the text with what was recorded, unless it is there."""
    library = call.service.library
    document = replace(load(_FOLDER / "tide-clock.txt", title=_TITLE), source="")
    known = [one.id for one in library.answers(document.id) if one.model == RECORDED]
    if known:
        return SampleRecord(document.id, known[-1])
    made = msgspec.json.decode((_FOLDER / "recording.json").read_bytes(), type=Recording)
    pages = [Page(number, *span, count_words(document.text[slice(*span)])) for number, span in enumerate(made.pages)]
    gists = [Gist(text, count_words(text)) for text in made.gists]
    memory = GistMemory(document, tuple(pages), tuple(gists), made.plan, RECORDED, "sample")
    library.add(document)
    reading = library.start_reading(
        document.id, memory.key, model=RECORDED, prompts=memory.prompts, plan=made.plan, window=None
    )
    library.finish_reading(reading, memory)
    return SampleRecord(document.id, library.keep_answer(document.id, memory.key, made.answer, model=RECORDED))


OPERATIONS = (
    Operation("POST", "/api/sample", _open, "Add a sample with a recorded answer, unless it is there.", SampleRecord),
)
