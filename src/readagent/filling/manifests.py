"""Manifests: lists of sources with metadata, as JSON lines, CSV or Parquet. The only module here that uses pyarrow."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator, Mapping
from datetime import date, datetime, time
from itertools import chain
from pathlib import Path
from shlex import quote
from typing import Any

from readagent.advice import missing_extra
from readagent.errors import LoadError
from readagent.filling.archives import OnSkip, ignore_skipped
from readagent.filling.remote import is_remote
from readagent.library.corpus_rows import Entry
from readagent.loaders import Skipped, is_address

_NAMES = ("path", "file", "url", "uri", "source")  # columns that name a source; the first that is filled does
_ADDRESSES = ("url", "uri")  # those that cannot name a file
_SYSTEM, _MEMORY = (Path("/proc"), Path("/sys"), Path("/dev")), Path("/dev/shm")
_LONGEST = 1_000_000  # characters of a line
_DELIMITERS = ",;\t|"  # of CSV files
_Row = Mapping[str, Any]  # the values of its columns, by their names as they are written


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
        if any(_name(name) in _NAMES for name in columns):
            return delimiter
    return None


def sources_in(path: Path, on_skip: OnSkip = ignore_skipped) -> Iterator[Entry]:
    """Yield the sources that a manifest lists, each with the other columns of its row as metadata.

    Relative paths are relative to the folder of the manifest. ``on_skip`` is called once for a source that several rows
    name; the last of them counts.
    """
    seen, repeated = set[int](), set[str]()  # hashes, since a manifest may have millions of rows
    for source, metadata, where in _rows(path):
        known = is_address(source) or is_remote(source)
        entry = Entry(source, metadata) if known else _file(path, source, metadata, where)
        key = hash(entry.source)
        if key in seen and entry.source not in repeated:
            repeated.add(entry.source)
            on_skip(Skipped(entry.source, f"earlier rows of {path.name} for the same source; the last one counts"))
        seen.add(key)
        yield entry


def check(path: Path) -> None:
    """Raise LoadError if a manifest cannot be read to its end. Files that it names need not exist."""
    for source, _, where in _rows(path):
        if not is_address(source) and not is_remote(source):
            _place(path, source, where)


def _rows(path: Path) -> Iterator[tuple[str, Mapping[str, str], str]]:
    """Yield the source, the metadata and the place of each row."""
    read = {".csv": _csv, ".parquet": _parquet}.get(path.suffix.lower(), _json)
    try:
        for where, row in read(path):
            yield *_source(row, path, where), where
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise LoadError(f"the manifest {path.name} cannot be read: {error}", hint="write it as UTF-8") from error


def _json(path: Path) -> Iterator[tuple[str, _Row]]:
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
            yield f"line {number}", row


def _csv(path: Path) -> Iterator[tuple[str, _Row]]:
    with path.open(encoding="utf-8-sig", newline="") as file:
        delimiter = _delimiter(file.readline(_LONGEST)) or ","
        file.seek(0)
        reader = csv.reader(file, delimiter=delimiter)
        names = next(reader, [])
        for row in filter(None, reader):
            yield f"line {reader.line_num}", dict(zip(names, row, strict=False))


def _parquet(path: Path) -> Iterator[tuple[str, _Row]]:
    try:
        import pyarrow.parquet
    except ImportError:
        raise missing_extra("a manifest in Parquet", "pyarrow", "parquet") from None
    try:
        with pyarrow.parquet.ParquetFile(path) as file:
            batches = file.iter_batches(batch_size=1000)
            rows = chain.from_iterable(
                zip(*(one.to_pylist() for one in batch.columns), strict=True) for batch in batches
            )
            for number, row in enumerate(rows, 1):
                yield f"row {number}", dict(zip(file.schema_arrow.names, row, strict=True))
    except pyarrow.ArrowException as error:
        raise LoadError(f"the manifest {path.name} cannot be read: {error}", hint="write it again") from error


def _source(row: _Row, path: Path, where: str) -> tuple[str, Mapping[str, str]]:
    """Return the source that a row names, and its metadata; raise LoadError if it cannot be one."""
    given = {_name(name): value for name, value in row.items()}
    values = {name: _text(value) for name, value in given.items()}
    column = next((name for name in _NAMES if values.get(name)), None)
    if column is None:
        raise _wrong(path, f"{where} names no source")
    source = values.pop(column)
    if not _is_text(given[column]):
        raise _wrong(path, f"the {column} in {where} is not text")
    if "\0" in source:
        raise _wrong(path, f"the {column} in {where} has a NUL character")
    scheme, is_url, rest = source.partition("://")
    known = is_address(source) or (is_remote(source) and scheme.lower() != "file")
    if not known and (is_url or column in _ADDRESSES):
        address = "begins with https://, http:// or the scheme of a store, such as s3://"
        file = 'use "path" for a file' if column in _ADDRESSES else "the path of a file is written without file://"
        hint = f'an address in "{column}" {address}; {file}'
        raise _wrong(path, f"the {column} in {where} is not a supported address", hint)
    if known and "@" in rest.partition("/")[0]:
        raise _wrong(path, f"the address in {where} has a user or a password in it")
    return source, {name: value for name, value in values.items() if value}


def _name(column: str) -> str:
    return column.strip().lower()


def _is_text(value: object) -> bool:
    return isinstance(value, str) or (isinstance(value, bytes) and _text(value) != value.hex())


def _place(path: Path, source: str, where: str) -> Path:
    """Return the file that a row names, which need not exist; raise LoadError for a file of the system."""
    try:
        file = (path.parent / source).resolve()
    except (OSError, ValueError, RuntimeError) as error:  # such as a character that no file name can have
        raise _wrong(path, f"the path in {where} cannot be the name of a file") from error
    if any(file.is_relative_to(one) for one in _SYSTEM) and not file.is_relative_to(_MEMORY):
        raise _wrong(path, f"the path in {where} is a file of the system")
    return file


def _file(path: Path, source: str, metadata: Mapping[str, str], where: str) -> Entry:
    file = _place(path, source, where)
    try:
        changed = file.stat()
    except OSError:
        return Entry(str(file), metadata, missing=True)  # reading it will say what is wrong
    return Entry(str(file), metadata, f"{changed.st_mtime_ns} {changed.st_size}")


def _text(value: object) -> str:
    """Return a value as text: times in ISO format, bytes as UTF-8 or else hexadecimal, lists and objects as JSON."""
    match value:
        case None:
            return ""
        case str():
            return value.strip()
        case date() | datetime() | time():
            return value.isoformat()
        case bytes():
            try:
                return value.decode("utf-8").strip()
            except UnicodeDecodeError:
                return value.hex()
        case bool() | int() | float() | list() | dict():
            return json.dumps(value, default=_text, ensure_ascii=False)
    return str(value)


def _wrong(path: Path, problem: str, hint: str = "") -> LoadError:
    example = (
        'each row names a source, for example {"path": "a.pdf", "author": "Ada"};'
        f" to read the file itself: readagent read {quote(path.name)}"
    )
    return LoadError(f"the manifest {path.name} cannot be used: {problem}", hint=hint or example)
