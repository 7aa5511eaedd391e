"""LoCoMo: conversations of two people over many months, with questions whose relevant turns are known.

Some questions ask for something that is not in the conversation; saying so is the right answer.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from readagent.loaders.blocks import Block
from readagent_bench.datasets.dataset import Dataset
from readagent_bench.datasets.files import base_folder, listed, missing
from readagent_bench.datasets.records import Record, Span, json_list, shown, spoken, transcript
from readagent_bench.example import Case, Example, Scored

CATEGORIES: Mapping[int, str] = {  # as numbered in the file; the paper lists them in another order
    1: "multi-hop",
    2: "temporal",
    3: "open-domain",
    4: "single-hop",
    5: "adversarial",
}
NOT_SAID = ("This is not mentioned in the conversation.", "No information available.")

_SCORED: Mapping[str, Scored] = {  # as in the authors' evaluation
    "multi-hop": "f1-parts",
    "open-domain": "f1-verdict",
    "adversarial": "absent",
}
_SESSION = re.compile(r"session_(\d+)")
_TURN = re.compile(r"D:?(\d+):(\d+)")  # the published file has D:11:26 and D30:05 too
_OTHER = re.compile(r"[\s;,()]+")


def load(folder: Path, split: str) -> list[Case]:
    """Load the conversations of all files in the folder."""
    base = base_folder(folder, "locomo", ("data",))
    files = [base] if base.is_file() else [path for path in listed(base) if path.suffix == ".json"]
    records = [record for path in files for record in json_list(path) if "conversation" in record]
    if not records:
        raise missing(base, "locomo", "no file with conversations")
    return [_case(record) for record in records]


def _case(record: Record) -> Case:
    name = record.text("sample_id")
    conversation = record.record("conversation")
    blocks, names = _sessions(conversation)
    people = [conversation.text(name, "") for name in ("speaker_a", "speaker_b")]
    document, places = transcript(blocks, " and ".join(person for person in people if person))
    if not any(names):
        raise conversation.wrong("no session has turns")
    turns = {turn: place for turn, place in zip(names, places, strict=True) if turn is not None and place is not None}
    asked = enumerate(record.records("qa"), 1)
    return Case(name, document, tuple(_example(question, f"{name}-{number}", turns) for number, question in asked))


def _sessions(conversation: Record) -> tuple[list[Block], list[tuple[int, int] | None]]:
    """Return the turns in order, each session under a heading with its date, and the name of each turn."""
    blocks: list[Block] = []
    names: list[tuple[int, int] | None] = []
    numbers = sorted(int(match[1]) for key in conversation.fields if (match := _SESSION.fullmatch(key)))
    for number in numbers:
        turns = conversation.records(f"session_{number}") if f"session_{number}" in conversation else []
        if turns:
            date = conversation.text(f"session_{number}_date_time", "").strip()
            blocks.append(Block(f"Session {number}" + (f", {date}" if date else ""), heading=1))
            names.append(None)
        for turn in turns:
            blocks.append(spoken(turn.text("speaker"), _turn_text(turn)))
            names.append(_named(turn))
    return blocks, names


def _turn_text(turn: Record) -> str:
    picture = turn.text("blip_caption", "").strip()
    return f"{turn.text('text', '')} {f'(shares a picture: {picture})' if picture else ''}"


def _named(turn: Record) -> tuple[int, int]:
    match = _TURN.fullmatch(turn.text("dia_id").strip())
    if match is None:
        raise turn.wrong(f'"dia_id" is {shown(turn.text("dia_id"))}, not like D1:3')
    return int(match[1]), int(match[2])


def _example(question: Record, name: str, turns: Mapping[tuple[int, int], Span]) -> Example:
    category = question.integer("category")
    if category not in CATEGORIES:
        raise question.wrong(f'"category" is {category}, not one of 1 to {len(CATEGORIES)}')
    return Example(
        name,
        question.question(question.text("question")),
        references=_references(question, CATEGORIES[category]),
        spans=_evidence(question, turns),
        group=CATEGORIES[category],
        scored=_SCORED.get(CATEGORIES[category], "f1"),
    )


def _references(question: Record, category: str) -> tuple[str, ...]:
    """Return the keys; of an open-domain answer also the part before the reason."""
    if category == "adversarial":
        return (*([question.text("answer").strip()] if "answer" in question else ()), *NOT_SAID)
    answer = question.text("answer").strip()
    verdict = answer.partition(";")[0].strip() if category == "open-domain" else answer
    return tuple(dict.fromkeys(part for part in (answer, verdict) if part))


def _evidence(question: Record, turns: Mapping[tuple[int, int], Span]) -> tuple[Span, ...]:
    """Return the spans of the named turns; nothing if one is not found, for the rest would be incomplete."""
    named: Sequence[str] = question.texts("evidence") if "evidence" in question else ()
    parts = [part for entry in named for part in _OTHER.split(entry) if part]
    matches = [_TURN.fullmatch(part) for part in parts]
    places = [turns.get((int(match[1]), int(match[2]))) if match else None for match in matches]
    known = [place for place in places if place is not None]
    return tuple(sorted(set(known))) if len(known) == len(places) else ()


DATASET = Dataset(
    name="locomo",
    title="LoCoMo",
    preset="meetings",
    measures=("free",),
    licence="CC BY-NC 4.0",
    homepage="https://github.com/snap-research/locomo",
    files="locomo10.json, a list of conversations",
    splits=("all",),
    default="all",
    load=load,
    note='If the conversation does not tell, answer "Not mentioned".',
)
