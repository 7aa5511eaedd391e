"""LongMemEval: chats of a user with an assistant over many sessions, each with one question asked after them.

Some questions ask for something that was never said; saying so is the right answer.
"""

from __future__ import annotations

from pathlib import Path

from readagent.loaders.blocks import Block
from readagent_bench.datasets.dataset import Dataset
from readagent_bench.datasets.files import base_folder, record_files
from readagent_bench.datasets.records import Record, rows_of, spoken, transcript
from readagent_bench.example import Case, Example

_ABSTENTION = "_abs"  # the end of the ids of questions that cannot be answered


def load(folder: Path, split: str) -> list[Case]:
    """Load the chats of the short (``s``), medium (``m``) or evidence-only (``oracle``) version."""
    base = base_folder(folder, "longmemeval", ("data",))
    files = record_files(base, "longmemeval", f"longmemeval_{split}")
    return [_case(record) for path in files for record in rows_of(path)]


def _case(record: Record) -> Case:
    name, dates, sessions = (
        record.text("question_id"),
        record.texts("haystack_dates"),
        record.items("haystack_sessions"),
    )
    if len(dates) != len(sessions):
        raise record.wrong(f'"haystack_dates" has {len(dates)} entries, and "haystack_sessions" {len(sessions)}')
    blocks: list[Block] = []
    matters: list[bool] = []
    for number, (date, session) in enumerate(sorted(zip(dates, sessions, strict=True), key=lambda one: one[0]), 1):
        blocks.append(Block(f"Session {number}, {date.strip()}", heading=1))
        matters.append(False)
        for turn in Record({"turns": session}, f"{record.place}, session {number}").records("turns"):
            blocks.append(spoken(turn.text("role"), turn.text("content", "")))
            matters.append(turn.fields.get("has_answer") is True)
    document, places = transcript(blocks, "")
    spans = [place for place, known in zip(places, matters, strict=True) if known and place is not None]
    absent = name.endswith(_ABSTENTION)
    date = record.text("question_date", "").strip()
    asked = f"{record.text('question').strip()} (Asked on {date}.)" if date else record.text("question")
    example = Example(
        name,
        record.question(asked),
        references=(record.text("answer").strip(),),
        spans=() if absent else tuple(sorted(spans)),
        group="abstention" if absent else record.text("question_type"),
    )
    return Case(name, document, (example,))


DATASET = Dataset(
    name="longmemeval",
    title="LongMemEval",
    preset="meetings",
    measures=("free",),
    licence="see its homepage",
    homepage="https://github.com/xiaowu0162/LongMemEval",
    files="longmemeval_s.json, longmemeval_m.json, longmemeval_oracle.json (or their _cleaned versions)",
    splits=("s", "m", "oracle"),
    default="s",
    load=load,
    note="If the conversation does not tell, say so.",
)
