"""Records of a data set's files, each knowing where it stands, so that what is wrong with one can be told."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from readagent.core.question import Kind, Question
from readagent.errors import DatasetError, UsageError

_SHOWN = 60  # characters of a value in a message


@dataclass(frozen=True, slots=True)
class Record:
    """The fields of a record, and its place: ``val.jsonl, line 3``."""

    fields: Mapping[str, Any]
    place: str

    def __contains__(self, name: str) -> bool:
        return self.fields.get(name) is not None

    def wrong(self, what: str, *, hint: str = "") -> DatasetError:
        """The error that says what is wrong here."""
        return DatasetError(f"{self.place}: {what}", hint=hint)

    def text(self, name: str, usual: str | None = None) -> str:
        """A text; a number is taken as it would be written. ``usual`` is taken where there is none."""
        value = self.fields.get(name)
        if value is None and usual is not None:
            return usual
        if isinstance(value, str):
            return value
        if isinstance(value, int | float) and not isinstance(value, bool):
            return str(value)
        raise self.wrong(f'"{name}" is missing' if value is None else f'"{name}" is {shown(value)}, not a text')

    def whole(self, name: str) -> int:
        """A whole number, also where it is written as a text."""
        value = self.fields.get(name)
        if isinstance(value, int) and not isinstance(value, bool):
            return value
        if isinstance(value, str) and value.strip().isdecimal():
            return int(value)
        raise self.wrong(f'"{name}" is missing' if value is None else f'"{name}" is {shown(value)}, not a whole number')

    def truth(self, name: str) -> str:
        """``true`` or ``false``, also where it is written as a text."""
        value = self.fields.get(name)
        written = str(value).strip().lower() if isinstance(value, bool | str) else ""
        if written in ("true", "false"):
            return written
        raise self.wrong(f'"{name}" is missing' if value is None else f'"{name}" is {shown(value)}, not true or false')

    def items(self, name: str) -> list[Any]:
        """A list."""
        value = self.fields.get(name)
        if isinstance(value, list):
            return value
        raise self.wrong(f'"{name}" is missing' if value is None else f'"{name}" is {shown(value)}, not a list')

    def texts(self, name: str) -> list[str]:
        """A list of texts."""
        found = self.items(name)
        for number, item in enumerate(found, 1):
            if not isinstance(item, str):
                raise self.wrong(f'number {number} of "{name}" is {shown(item)}, not a text')
        return found

    def records(self, name: str) -> list[Record]:
        """A list of records."""
        return list(_records(self.items(name), f'{self.place}, "{name}" number'))

    def record(self, name: str) -> Record:
        """A record in this one."""
        value = self.fields.get(name)
        if isinstance(value, dict):
            return Record(value, f'{self.place}, "{name}"')
        raise self.wrong(f'"{name}" is missing' if value is None else f'"{name}" is {shown(value)}, not a record')

    def question(self, text: str, options: Sequence[str] = (), kind: Kind = "free") -> Question:
        """A question of this record."""
        try:
            return Question(text.strip(), tuple(option.strip() for option in options), kind)
        except UsageError as error:
            raise self.wrong(str(error)) from error


def shown(value: object) -> str:
    """A value in a message: short, and on one line."""
    written = repr(value)
    return written if len(written) <= _SHOWN else f"{written[: _SHOWN - 3]}..."


def json_lines(path: Path) -> Iterator[Record]:
    """The records of a file that holds one JSON object a line."""
    found = False
    with _opened(path), path.open("rb") as file:
        for number, line in enumerate(file, 1):
            text = _decoded(line, f"{path}, line {number}")
            if text.strip():
                found = True
                yield _record(_parsed(text, f"{path}, line {number}"), f"{path}, line {number}")
    if not found:
        raise DatasetError(f"{path} holds no records")


def json_list(path: Path) -> list[Record]:
    """The records of a file that is one JSON list of objects, or a single object."""
    with _opened(path):
        data = path.read_bytes()
    value = _parsed(_decoded(data, str(path)), str(path))
    found = list(_records(value if isinstance(value, list) else [value], f"{path}, record"))
    if not found:
        raise DatasetError(f"{path} holds no records")
    return found


def csv_rows(path: Path, needed: Iterable[str]) -> Iterator[Record]:
    """The rows of a CSV file with these columns, and perhaps others."""
    with _opened(path), path.open(encoding="utf-8-sig", newline="") as file:
        rows = csv.DictReader(file, strict=True)
        try:
            missing = [name for name in needed if name not in (rows.fieldnames or ())]
            if missing:
                raise DatasetError(f"{path}, line 1: there is no column {', '.join(missing)}")
            for row in rows:
                place = f"{path}, line {rows.line_num}"
                if None in row or any(row[name] is None for name in needed):
                    raise DatasetError(f"{place}: it has {'more' if None in row else 'fewer'} values than columns")
                yield Record(row, place)
        except csv.Error as error:
            raise DatasetError(f"{path}, line {rows.line_num}: {error}") from error
        except UnicodeDecodeError as error:
            raise DatasetError(f"{path}, after line {rows.line_num}: it is not UTF-8") from error


@contextmanager
def _opened(path: Path) -> Iterator[None]:
    """Says in a sentence why a file cannot be read."""
    try:
        yield
    except OSError as error:
        raise DatasetError(f"{path} cannot be read: {(error.strerror or str(error)).lower()}") from error


def _decoded(data: bytes, place: str) -> str:
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise DatasetError(f"{place}: it is not UTF-8 (byte {error.start + 1})") from error


def _parsed(text: str, place: str) -> Any:
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        where = f"line {error.lineno}, " if error.lineno > 1 else ""
        what = f"{error.msg.lower()} at {where}character {error.colno}"
        raise DatasetError(f"{place}: it is not JSON: {what}") from error
    except RecursionError as error:
        raise DatasetError(f"{place}: it is nested too deeply") from error


def _records(values: Iterable[object], place: str) -> Iterator[Record]:
    for number, value in enumerate(values, 1):
        yield _record(value, f"{place} {number}")


def _record(value: object, place: str) -> Record:
    if not isinstance(value, dict):
        raise DatasetError(f"{place}: it is {shown(value)}, not a record")
    return Record(value, place)
