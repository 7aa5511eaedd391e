"""Parquet files in the layouts of hubs: nested records, shards, and folders for configurations and splits."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from readagent_bench.datasets import files, load_cases

Write = Callable[[str, list[dict[str, Any]]], Path]


@pytest.fixture
def parquet(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Write:
    """Return a function that writes a Parquet file; without pyarrow, JSON that is read in its place."""
    real = find_spec("pyarrow") is not None

    def read(path: Path) -> Iterator[tuple[str, Any]]:
        yield from ((path.name, row) for row in json.loads(path.read_text("utf-8")))

    def write(name: str, rows: list[dict[str, Any]]) -> Path:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if real:
            import pyarrow
            from pyarrow import parquet

            parquet.write_table(pyarrow.Table.from_pylist(rows), path)
        else:
            path.write_text(json.dumps(rows), "utf-8")
        return path

    if not real:
        monkeypatch.setattr(files, "_parquet_rows", read)
    return write


def story_row(name: str, kind: str, question: str) -> dict[str, Any]:
    text = f"The tale of {name} begins. Anna keeps the key of {name}. It ends."
    summary = {"text": "A tale.", "tokens": ["A", "tale", "."], "url": "", "title": f"Tale {name}"}
    about = {"id": name, "kind": kind, "url": "", "file_size": 9, "word_count": 9, "start": "", "end": ""}
    answers = [{"text": "Anna", "tokens": ["Anna"]}, {"text": "Anna does", "tokens": ["Anna", "does"]}]
    return {
        "document": {**about, "summary": summary, "text": text},
        "question": {"text": question, "tokens": question.split()},
        "answers": answers,
    }


def test_narrativeqa(parquet: Write, tmp_path: Path) -> None:
    first = [story_row("one", "gutenberg", "Who?"), story_row("two", "movie", "Who?")]
    parquet("test-00000-of-00024.parquet", first)
    parquet("test-00001-of-00024.parquet", [story_row("one", "gutenberg", "Who keeps it?")])
    parquet("train-00000-of-00001.parquet", [story_row("three", "gutenberg", "Who?")])
    (book,) = load_cases("narrativeqa-books", tmp_path)
    assert (book.id, book.document.title) == ("one", "Tale one")
    assert "Anna keeps the key of one." in book.document.text
    assert [(one.question.text, one.references) for one in book.examples] == [
        ("Who?", ("Anna", "Anna does")), ("Who keeps it?", ("Anna", "Anna does")),
    ]  # fmt: skip
    assert [case.id for case in load_cases("narrativeqa-films", tmp_path)] == ["two"]
    assert [case.id for case in load_cases("narrativeqa-books", tmp_path, "train")] == ["three"]
