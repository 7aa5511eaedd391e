"""Manifests: lists of sources with metadata, as JSON lines, CSV or Parquet. The only module here that uses pyarrow."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from readagent.corpus.remote import is_remote
from readagent.errors import LoadError
from readagent.extras import missing_extra
from readagent.library.corpus_rows import Entry
from readagent.loaders import is_address

_NAMES = ("path", "file", "url", "uri", "source")  # columns that name a source
_LONGEST = 1_000_000  # characters of a line
_DELIMITERS = ",;\t|"  # of CSV files


def is_manifest(path: Path) -> bool:
    """Whether a file lists sources: .jsonl and .parquet files do, and .csv files with a column for them."""
    suffix = path.suffix.lower()
    if suffix != ".csv":
        return suffix in (".jsonl", ".ndjson", ".parquet")
    try:
        with path.open(encoding="utf-8-sig", errors="replace", newline="") as file:
            return _delimiter(file.readline(_LONGEST)) is not None
    except (OSError, csv.Error):
        return False


def _delimiter(header: str) -> str | None:
    """Return what separates the columns of a CSV file if one of them is for sources."""
    for delimiter in _DELIMITERS:
        columns = next(csv.reader([header], delimiter=delimiter), [])
        if any(name.strip().lower() in _NAMES for name in columns):
            return delimiter
    return None


def sources_in(path: Path) -> Iterator[Entry]:
    """Yield the sources that a manifest lists, each with the other columns of its row as metadata.

    Relative paths are relative to the folder of the manifest.
    """
    read = {".csv": _csv, ".parquet": _parquet}.get(path.suffix.lower(), _json)
    try:
        for number, row in enumerate(read(path), 1):
            yield _entry(row, path, number)
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise LoadError(f"the manifest {path.name} cannot be read: {error}", hint="write it as UTF-8") from error


def _json(path: Path) -> Iterator[Mapping[str, Any]]:
    with path.open(encoding="utf-8-sig") as file:
        for number, line in enumerate(iter(lambda: file.readline(_LONGEST), ""), 1):
            if not line.strip():
                continue
            if len(line) >= _LONGEST:
                raise _wrong(path, f"line {number} has more than {_LONGEST:,} characters")
            try:
                row = json.loads(line)
            except (ValueError, RecursionError) as error:
                raise _wrong(path, f"line {number} is not JSON") from error
            if not isinstance(row, dict):
                raise _wrong(path, f"line {number} is not a JSON object")
            yield row


def _csv(path: Path) -> Iterator[Mapping[str, Any]]:
    with path.open(encoding="utf-8-sig", newline="") as file:
        delimiter = _delimiter(file.readline(_LONGEST)) or ","
        file.seek(0)
        for row in csv.DictReader(file, delimiter=delimiter):
            yield {name: value for name, value in row.items() if isinstance(name, str)}


def _parquet(path: Path) -> Iterator[Mapping[str, Any]]:
    try:
        import pyarrow.parquet
    except ImportError:
        raise missing_extra("a manifest in Parquet", "pyarrow", "parquet") from None
    try:
        with pyarrow.parquet.ParquetFile(path) as file:
            for batch in file.iter_batches(batch_size=1000):
                yield from batch.to_pylist()
    except pyarrow.ArrowException as error:
        raise LoadError(f"the manifest {path.name} cannot be read: {error}", hint="write it again") from error


def _entry(row: Mapping[str, Any], path: Path, number: int) -> Entry:
    """Return the source of a row."""
    values = {name.strip().lower(): _text(value) for name, value in row.items()}
    column = next((name for name in _NAMES if values.get(name)), None)
    if column is None:
        raise _wrong(path, f"row {number} names no source")
    source = values.pop(column)
    metadata = {name: value for name, value in values.items() if value}
    if is_address(source) or is_remote(source):
        if "@" in source.partition("://")[2].partition("/")[0]:
            raise _wrong(path, f"the address in row {number} has a user or a password in it")
        return Entry(source, metadata)
    file = path.parent / Path(source)
    try:
        changed = file.stat()
        stamp = f"{changed.st_mtime_ns} {changed.st_size}"
    except (OSError, ValueError):
        stamp = ""  # reading it will say what is wrong
    return Entry(str(file.resolve()), metadata, stamp)


def _text(value: object) -> str:
    if value is None:
        return ""
    return value.strip() if isinstance(value, str) else json.dumps(value, default=str, ensure_ascii=False)


def _wrong(path: Path, problem: str) -> LoadError:
    hint = 'each row names a source, for example {"path": "a.pdf", "author": "Ada"}'
    return LoadError(f"the manifest {path.name} cannot be used: {problem}", hint=hint)
