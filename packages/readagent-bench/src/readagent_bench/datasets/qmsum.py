"""QMSum: transcripts of meetings with general questions, and specific ones whose relevant turns are known.

The authors' format and that of SCROLLS are supported; the latter does not have the relevant turns.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from pathlib import Path

from readagent.loaders.blocks import Block
from readagent_bench.datasets.dataset import Dataset
from readagent_bench.datasets.files import base_folder, of_split, shards
from readagent_bench.datasets.records import Record, Span, lines_of, shown, spoken, stretch, transcript
from readagent_bench.datasets.scrolls import gather, is_scrolls
from readagent_bench.example import Case, Example

_KINDS = (("general", "general_query_list"), ("specific", "specific_query_list"))


def load(folder: Path, split: str) -> list[Case]:
    """Load the meetings of a split, numbered as in its file."""
    records = lines_of(shards(of_split(base_folder(folder, "qmsum", ("data/ALL/jsonl",)), "qmsum", split)))
    first = next(records)
    together = itertools.chain([first], records)
    if is_scrolls(first):
        return _from_scrolls(together, split)
    return [_meeting(record, f"{split}-{number}") for number, record in enumerate(together, 1)]


def _meeting(record: Record, name: str) -> Case:
    turns = [spoken(turn.text("speaker", ""), turn.text("content")) for turn in record.records("meeting_transcripts")]
    document, places = transcript(turns, name)
    if not document.text:
        raise record.wrong('"meeting_transcripts" has no words')
    examples = [
        _example(query, f"{name}-{kind}-{number}", kind, places)
        for kind, queries in _KINDS
        for number, query in enumerate(record.records(queries) if queries in record else (), 1)
    ]
    return Case(name, document, tuple(examples))


def _example(query: Record, name: str, kind: str, places: Sequence[Span | None]) -> Example:
    spans = (_stretch(query, ends, places) for ends in query.items("relevant_text_span")) if kind == "specific" else ()
    return Example(
        name,
        query.question(query.text("query")),
        references=(query.text("answer").strip(),),
        spans=tuple(span for span in spans if span is not None),
        group=kind,
    )


def _stretch(query: Record, ends: object, places: Sequence[Span | None]) -> Span | None:
    """Return the span from the first to the last named turn, both included."""
    numbers = [str(end).strip() for end in ends] if isinstance(ends, list) else []
    if len(numbers) != 2 or not all(number.isdecimal() for number in numbers):
        raise query.wrong(f'"relevant_text_span" has {shown(ends)}, not the numbers of two turns')
    first, last = map(int, numbers)
    if not first <= last < len(places):
        raise query.wrong(f'"relevant_text_span" has turns {first} to {last}, but there are {len(places)} turns from 0')
    return stretch(places[first : last + 1])


def _from_scrolls(records: Iterable[Record], split: str) -> list[Case]:
    cases = []
    for number, found in enumerate(gather(records), 1):
        name = f"{split}-{number}"
        document, _ = transcript([Block(line) for line in found.text.splitlines()], name)
        examples = [
            Example(asked.id, asked.record.question(asked.text), tuple(asked.answers), group=_group(asked.id))
            for asked in found.questions.values()
        ]
        cases.append(Case(name, document, tuple(examples)))
    return cases


def _group(name: str) -> str:
    """Return the kind of a question; SCROLLS has it in the id: ``va-gq-1``, ``va-sq-1``."""
    return "general" if "-gq-" in name else "specific" if "-sq-" in name else ""


DATASET = Dataset(
    name="qmsum",
    title="QMSum",
    preset="meetings",
    measures=("free",),
    licence="MIT; its authors ask to use it for research only",
    homepage="https://github.com/Yale-LILY/QMSum",
    files="val.jsonl (or train.jsonl, test.jsonl), one JSON object per line; or validation.jsonl of SCROLLS",
    splits=("train", "val", "test"),
    default="val",
    load=load,
)
