"""QMSum: transcripts of meetings with general questions, and specific ones whose relevant turns are known."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import msgspec

from readagent.core.document import Document
from readagent.core.question import Question
from readagent.loaders.blocks import Block, compose, tidy
from readagent_bench.datasets.dataset import Dataset
from readagent_bench.datasets.files import base_folder, of_split, placed, read, single
from readagent_bench.records import Case, Example

Span = tuple[int, int]


class _Turn(msgspec.Struct):
    content: str
    speaker: str = ""


class _Query(msgspec.Struct):
    """A question; the spans of a specific one are pairs of turns, counted from 0, both included."""

    query: str
    answer: str
    relevant_text_span: list[tuple[int, int]] = []


class _Meeting(msgspec.Struct):
    meeting_transcripts: list[_Turn]
    general_query_list: list[_Query] = []
    specific_query_list: list[_Query] = []


def load(folder: Path, split: str) -> list[Case]:
    """Load the meetings of a split, numbered as in its file."""
    file = single(of_split(base_folder(folder, "qmsum", "data/ALL/jsonl"), "qmsum", split))
    cases = []
    for number, (place, record) in enumerate(read(file, _Meeting), 1):
        with placed(place):
            cases.append(_meeting(record, f"{split}-{number}"))
    return cases


def _meeting(record: _Meeting, name: str) -> Case:
    document, places = _transcript([_spoken(turn) for turn in record.meeting_transcripts], name)
    if not document.text:
        raise ValueError('"meeting_transcripts" has no words')
    general = [_example(one, f"{name}-general-{at}", []) for at, one in enumerate(record.general_query_list, 1)]
    specific = [_example(one, f"{name}-specific-{at}", places) for at, one in enumerate(record.specific_query_list, 1)]
    return Case(name, document, (*general, *specific))


def _example(query: _Query, name: str, places: Sequence[Span | None]) -> Example:
    spans = [_stretch(first, last, places) for first, last in query.relevant_text_span] if places else []
    return Example(
        name,
        Question(query.query.strip()),
        references=(query.answer.strip(),),
        spans=tuple(span for span in spans if span is not None),
        group="specific" if places else "general",
    )


def _stretch(first: int, last: int, places: Sequence[Span | None]) -> Span | None:
    """Return the span from the first to the last of these turns that has words; None if none has."""
    if not 0 <= first <= last < len(places):
        raise ValueError(f"a span has turns {first} to {last}, but there are {len(places)} turns from 0")
    known = [place for place in places[first : last + 1] if place is not None]
    return (known[0][0], known[-1][1]) if known else None


def _spoken(turn: _Turn) -> Block:
    """Return a turn; empty if nothing was said."""
    speaker, words = turn.speaker.strip(), tidy(Block(turn.content))
    return Block(f"{speaker}: {words}" if speaker and words else words)


def _transcript(turns: Sequence[Block], title: str) -> tuple[Document, list[Span | None]]:
    """Return the document of these turns, and the start and end of each; None for an empty turn."""
    document = compose(turns, title=title)
    paragraphs = iter(document.paragraphs)
    places: list[Span | None] = []
    for turn in turns:
        words = tidy(turn)
        start = next(paragraphs).start if words else 0
        places.append((start, start + len(words)) if words else None)
    return document, places


DATASET = Dataset(
    name="qmsum",
    title="QMSum",
    preset="meetings",
    licence="MIT; its authors ask to use it for research only",
    homepage="https://github.com/Yale-LILY/QMSum",
    splits=("train", "val", "test"),
    default="val",
    load=load,
)
