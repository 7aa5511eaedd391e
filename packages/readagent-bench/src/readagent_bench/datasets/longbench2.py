"""LongBench v2: long texts of many kinds, each with a four-way question, in the authors' ``data.json``."""

from __future__ import annotations

from pathlib import Path

from readagent.core.document import Document
from readagent_bench.datasets.dataset import Dataset
from readagent_bench.datasets.files import base_folder, record_files
from readagent_bench.datasets.records import Record, rows_of, shown
from readagent_bench.example import Case, Example

_LETTERS = ("A", "B", "C", "D")


def load(folder: Path, split: str) -> list[Case]:
    """Load all texts; each has one question."""
    base = base_folder(folder, "longbench2")
    return [_case(record) for path in record_files(base, "longbench2", "data") for record in rows_of(path)]


def _case(record: Record) -> Case:
    name, gold = record.text("_id"), record.text("answer").strip().upper()
    if gold not in _LETTERS:
        raise record.wrong(f'"answer" is {shown(record.text("answer"))}, not one of {", ".join(_LETTERS)}')
    options = [record.text(f"choice_{letter}") for letter in _LETTERS]
    text = record.text("context")
    if not text.strip():
        raise record.wrong('"context" is empty')
    tags = {tag: record.text(tag, "").strip() for tag in ("difficulty", "length", "domain")}
    question = record.question(record.text("question"), options, "choice")
    example = Example(name, question, gold=gold, tags={tag: value for tag, value in tags.items() if value})
    return Case(name, Document.from_text(text), (example,))


DATASET = Dataset(
    name="longbench2",
    title="LongBench v2",
    preset="articles",
    measures=("accuracy",),
    licence="Apache-2.0",
    homepage="https://huggingface.co/datasets/zai-org/LongBench-v2",
    files="data.json, a list of records, or the hub's Parquet files",
    splits=("all",),
    default="all",
    load=load,
)
