"""Writing small data sets in the forms their authors publish them in. All texts in them were written for the tests."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from readagent.errors import DatasetError
from readagent_bench.records import Case, Example


def lines(path: Path, *records: object) -> Path:
    """One JSON object a line."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(record) + "\n" for record in records), "utf-8")
    return path


def whole(path: Path, value: object) -> Path:
    """One JSON value."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value, indent=1), "utf-8")
    return path


def records_of(path: Path) -> list[Any]:
    """Return the text of a file with one JSON object per line."""
    return [json.loads(line) for line in path.read_bytes().splitlines()]


def without(record: dict[str, Any], *names: str) -> dict[str, Any]:
    return {name: value for name, value in record.items() if name not in names}


def paragraphs(case: Case) -> list[str]:
    document = case.document
    return [" ".join(document.text[one.start : one.end].split()) for one in document.paragraphs]


def shown_by(case: Case, example: Example) -> list[str]:
    """Return the texts of the spans of an example."""
    return [case.document.text[start:end] for start, end in example.spans]


def one_line(error: DatasetError, *parts: str) -> None:
    """Check that an error is one line and contains these parts."""
    assert "\n" not in str(error)
    for part in parts:
        assert part in str(error)
