"""Records in the files of a data set. Each knows its place in the file, so that an error can name it."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from readagent.advice import install_command
from readagent.core.document import Document
from readagent.core.question import Kind, Question
from readagent.errors import DatasetError, UsageError
from readagent.loaders.blocks import Block, compose, tidy

_SHOWN = 60  # characters of a value in a message


@dataclass(frozen=True, slots=True)
class Record:
    """The fields of a record, and its place, such as ``val.jsonl, line 3``."""

    fields: Mapping[str, Any]
    place: str

    def __contains__(self, name: str) -> bool:
        return self.fields.get(name) is not None

    def wrong(self, what: str, *, hint: str = "") -> DatasetError:
        """Return the error for something wrong in this record."""
        return DatasetError(f"{self.place}: {what}", hint=hint)

    def text(self, name: str, default: str | None = None) -> str:
        """Return a string, or a number as a string; ``default`` if the field is missing."""
        value = self.fields.get(name)
        if value is None and default is not None:
            return default
        if isinstance(value, str):
            return value
        if isinstance(value, int | float) and not isinstance(value, bool):
            return str(value)
        raise self.wrong(f'"{name}" is missing' if value is None else f'"{name}" is {shown(value)}, not a string')

    def integer(self, name: str) -> int:
        """Return an integer, also from a string."""
        value = self.fields.get(name)
        if isinstance(value, int) and not isinstance(value, bool):
            return value
        if isinstance(value, str) and value.strip().isdecimal():
            return int(value)
        raise self.wrong(f'"{name}" is missing' if value is None else f'"{name}" is {shown(value)}, not an integer')

    def boolean(self, name: str) -> str:
        """Return ``true`` or ``false``, also from a string."""
        value = self.fields.get(name)
        written = str(value).strip().lower() if isinstance(value, bool | str) else ""
        if written in ("true", "false"):
            return written
        raise self.wrong(f'"{name}" is missing' if value is None else f'"{name}" is {shown(value)}, not true or false')

    def items(self, name: str) -> list[Any]:
        """Return a list."""
        value = self.fields.get(name)
        if isinstance(value, list):
            return value
        raise self.wrong(f'"{name}" is missing' if value is None else f'"{name}" is {shown(value)}, not a list')

    def texts(self, name: str) -> list[str]:
        """Return a list of strings."""
        found = self.items(name)
        for number, item in enumerate(found, 1):
            if not isinstance(item, str):
                raise self.wrong(f'number {number} of "{name}" is {shown(item)}, not a string')
        return found

    def records(self, name: str) -> list[Record]:
        """Return a list of records."""
        return list(_records(self.items(name), f'{self.place}, "{name}" number'))

    def record(self, name: str) -> Record:
        """Return a nested record."""
        value = self.fields.get(name)
        if isinstance(value, dict):
            return Record(value, f'{self.place}, "{name}"')
        raise self.wrong(f'"{name}" is missing' if value is None else f'"{name}" is {shown(value)}, not an object')

    def question(self, text: str, options: Sequence[str] = (), kind: Kind = "free") -> Question:
        """Return a question; raise DatasetError if it is not a valid one."""
        try:
            return Question(text.strip(), tuple(option.strip() for option in options), kind)
        except UsageError as error:
            raise self.wrong(str(error)) from error


def shown(value: object) -> str:
    """Return a value for a message: short, on one line."""
    written = repr(value)
    return written if len(written) <= _SHOWN else f"{written[: _SHOWN - 3]}..."


def json_lines(path: Path) -> Iterator[Record]:
    """Yield the records of a file with one JSON object per line."""
    found = False
    with _opened(path), path.open("rb") as file:
        for number, line in enumerate(file, 1):
            text = _decoded(line, f"{path}, line {number}")
            if text.strip():
                found = True
                yield _record(_parsed(text, f"{path}, line {number}"), f"{path}, line {number}")
    if not found:
        raise DatasetError(f"{path} has no records")


def json_list(path: Path) -> list[Record]:
    """Return the records of a file that is a JSON list of objects, or one object."""
    with _opened(path):
        data = path.read_bytes()
    value = _parsed(_decoded(data, str(path)), str(path))
    found = list(_records(value if isinstance(value, list) else [value], f"{path}, record"))
    if not found:
        raise DatasetError(f"{path} has no records")
    return found


def rows_of(path: Path) -> Iterator[Record]:
    """Yield the records of a file: Parquet, one JSON object per line, or a JSON list."""
    suffix = path.suffix.lower()
    if suffix == ".parquet":
        yield from parquet_rows(path)
    elif suffix == ".json":
        yield from json_list(path)
    else:
        yield from json_lines(path)


def lines_of(paths: Iterable[Path]) -> Iterator[Record]:
    """Yield the records of files one after another: Parquet, or one JSON object per line."""
    for path in paths:
        yield from parquet_rows(path) if path.suffix.lower() == ".parquet" else json_lines(path)


def parquet_rows(path: Path) -> Iterator[Record]:
    """Yield the rows of a Parquet file, as hubs publish data sets."""
    try:
        from pyarrow import ArrowException
        from pyarrow.parquet import ParquetFile
    except ImportError:
        raise DatasetError(
            f"{path}: Parquet files need the package pyarrow, which is not installed",
            hint=f"install it: {install_command('parquet', 'readagent-bench')}; or use the authors' JSON files",
        ) from None
    number = 0
    with _opened(path):
        try:
            for batch in ParquetFile(path).iter_batches(batch_size=64):
                for row in batch.to_pylist():
                    number += 1
                    yield _record(row, f"{path}, row {number}")
        except ArrowException as error:
            raise DatasetError(f"{path}: not a Parquet file: {str(error).splitlines()[0]}") from error
    if not number:
        raise DatasetError(f"{path} has no records")


def csv_rows(path: Path, needed: Iterable[str]) -> Iterator[Record]:
    """Yield the rows of a CSV file that must have these columns."""
    with _opened(path), path.open(encoding="utf-8-sig", newline="") as file:
        rows = csv.DictReader(file, strict=True)
        try:
            missing = [name for name in needed if name not in (rows.fieldnames or ())]
            if missing:
                raise DatasetError(f"{path}, line 1: missing column {', '.join(missing)}")
            for row in rows:
                place = f"{path}, line {rows.line_num}"
                if None in row or any(row[name] is None for name in needed):
                    raise DatasetError(f"{place}: it has {'more' if None in row else 'fewer'} values than columns")
                yield Record(row, place)
        except csv.Error as error:
            raise DatasetError(f"{path}, line {rows.line_num}: {error}") from error
        except UnicodeDecodeError as error:
            raise DatasetError(f"{path}, after line {rows.line_num}: not UTF-8") from error


@contextmanager
def _opened(path: Path) -> Iterator[None]:
    """Turn an OSError into a DatasetError of one line."""
    try:
        yield
    except OSError as error:
        raise DatasetError(f"cannot read {path}: {(error.strerror or str(error)).lower()}") from error


def _decoded(data: bytes, place: str) -> str:
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise DatasetError(f"{place}: not UTF-8 (byte {error.start + 1})") from error


def _parsed(text: str, place: str) -> Any:
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        where = f"line {error.lineno}, " if error.lineno > 1 else ""
        what = f"{error.msg.lower()} at {where}character {error.colno}"
        raise DatasetError(f"{place}: not JSON: {what}") from error
    except RecursionError as error:
        raise DatasetError(f"{place}: nested too deeply") from error


def _records(values: Iterable[object], place: str) -> Iterator[Record]:
    for number, value in enumerate(values, 1):
        yield _record(value, f"{place} {number}")


def _record(value: object, place: str) -> Record:
    if not isinstance(value, dict):
        raise DatasetError(f"{place}: {shown(value)} is not an object")
    return Record(value, place)


Span = tuple[int, int]


def spoken(speaker: str, said: str) -> Block:
    """Return a turn; empty if nothing was said."""
    words = tidy(Block(said))
    return Block(f"{speaker.strip()}: {words}" if speaker.strip() and words else words)


def transcript(turns: Sequence[Block], title: str = "") -> tuple[Document, list[Span | None]]:
    """Return the document of these turns, and the start and end of each; None for an empty turn."""
    document = compose(turns, title=title)
    paragraphs = iter(document.paragraphs)
    places: list[Span | None] = []
    for turn in turns:
        words = tidy(turn)
        start = next(paragraphs).start if words else 0
        places.append((start, start + len(words)) if words else None)
    return document, places


def stretch(places: Sequence[Span | None]) -> Span | None:
    """Return the span from the first turn with words to the last one; None if there is none."""
    known = [place for place in places if place is not None]
    return (known[0][0], known[-1][1]) if known else None
