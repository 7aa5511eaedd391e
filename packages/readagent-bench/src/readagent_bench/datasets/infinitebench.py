"""InfiniteBench: novels with changed names, with questions (En.QA) and multiple choice (En.MC), as the hub has them.

A novel is in the file once for each of its questions; here it is one document.
"""

from __future__ import annotations

import hashlib
from functools import partial
from pathlib import Path

from readagent.core.document import Document
from readagent_bench.datasets.dataset import Dataset, Measure
from readagent_bench.datasets.files import base_folder, record_files
from readagent_bench.datasets.records import Record, rows_of, shown
from readagent_bench.example import Case, Example


def load(folder: Path, split: str, task: str) -> list[Case]:
    """Load the novels of a task."""
    base = base_folder(folder, "infinitebench", ("data",))
    texts: dict[str, str] = {}
    examples: dict[str, list[Example]] = {}
    for path in record_files(base, "infinitebench", task):
        for record in rows_of(path):
            text = record.text("context")
            if not text.strip():
                raise record.wrong('"context" is empty')
            name = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:12]
            texts[name] = text
            examples.setdefault(name, []).append(_example(record))
    return [Case(name, Document.from_text(text), tuple(examples[name])) for name, text in texts.items()]


def _example(record: Record) -> Example:
    answers = [answer.strip() for answer in record.texts("answer") if answer.strip()]
    if not answers:
        raise record.wrong('"answer" is empty')
    options = record.texts("options") if "options" in record else []
    name = record.text("id")
    if not options:
        return Example(name, record.question(record.text("input")), references=tuple(answers), scored="f1")
    question = record.question(record.text("input"), options, "choice")
    if answers[0] not in question.options:
        raise record.wrong(f'"answer" is {shown(answers[0])}, not one of "options"')
    return Example(name, question, gold=question.letters[question.options.index(answers[0])])


def _dataset(name: str, title: str, task: str, measure: Measure) -> Dataset:
    return Dataset(
        name=name,
        title=title,
        preset="books",
        measures=(measure,),
        licence="see its homepage",
        homepage="https://huggingface.co/datasets/xinrongzhang2022/InfiniteBench",
        files=f"{task}.jsonl, or the hub's Parquet files",
        splits=("all",),
        default="all",
        load=partial(load, task=task),
    )


DATASETS = (
    _dataset("infinitebench-mc", "InfiniteBench En.MC", "longbook_choice_eng", "accuracy"),
    _dataset("infinitebench-qa", "InfiniteBench En.QA", "longbook_qa_eng", "free"),
)
