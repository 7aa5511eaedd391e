"""Find the files of a data set, and read their records into structs, which msgspec checks.

An error is one line that begins with the place of the record, such as ``val.jsonl, line 3``.
"""

from __future__ import annotations

import csv
import os
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from readagent.advice import install_command
from readagent.errors import DatasetError, LoadError, UsageError
from readagent.settings import load_settings

VARIABLE = "READAGENT_DATASETS"

_HELD_OUT = ("dev", "val", "valid", "validation")  # names for the same split
_RECORDS = (".jsonl", ".json", ".ndjson", ".parquet")
_OF_HUBS = ("data", "default")  # folders in which hubs publish Parquet files

T = TypeVar("T")


def data_folder(given: Path | None, home: Path | None = None) -> Path:
    """Return the folder of the data sets: the given one, READAGENT_DATASETS, or ``datasets`` in the home folder."""
    if given is not None:
        return given.expanduser()
    named = os.environ.get(VARIABLE, "")
    return Path(named).expanduser() if named else (home or load_settings().home) / "datasets"


def base_folder(folder: Path, name: str, inside: str = "") -> Path:
    """Return the folder or file with the data of this set; ``inside`` is the folder of its own repository."""
    if folder.is_file():
        return folder
    if not folder.is_dir():
        raise missing(folder, name, "no such folder")
    base = folder / name if (folder / name).is_dir() else folder
    return base / inside if inside and (base / inside).is_dir() else base


def missing(base: Path, name: str, what: str) -> DatasetError:
    """Return the error for missing files."""
    by_hand = f"put them into {base} by hand (see docs/datasets.md)"
    hint = "give your folder of documents and questions with --data"
    return DatasetError(
        f"{base}: {what}",
        hint=hint if name == "own" else f"download them with: readagent bench fetch {name}; or {by_hand}",
    )


def names_of(split: str) -> tuple[str, ...]:
    """Return all names of a split."""
    return _HELD_OUT if split in _HELD_OUT else (split,)


def of_split(base: Path, name: str, split: str) -> list[Path]:
    """Return the files with the split in their names, such as ``val.jsonl`` or ``QuALITY.v1.0.1.htmlstripped.dev``."""
    if base.is_file():
        return [base]
    names = names_of(split)
    found = [
        path
        for path in (*listed(base), *(path for folder in _OF_HUBS for path in listed(base / folder)))
        if path.suffix.lower() in (*_RECORDS, *(f".{one}" for one in names))
        and {*names} & {*re.split(r"[._\-\s]+", path.name.lower())}
    ]
    if not found:
        raise missing(base, name, f"no file for the split {split!r}")
    return found


def single(found: Sequence[Path]) -> Path:
    """Return the only file; raise DatasetError if there are several."""
    if len(found) > 1:
        names = ", ".join(path.name for path in found)
        raise DatasetError(
            f"{found[0].parent} has several files for that split: {names}", hint="choose one with --data"
        )
    return found[0]


def listed(base: Path) -> list[Path]:
    """Return the files of a folder, sorted by name, without hidden ones; none if it does not exist."""
    if not base.is_dir():
        return []
    with placed(str(base)):
        return sorted(path for path in base.iterdir() if path.is_file() and not path.name.startswith("."))


@contextmanager
def placed(place: str) -> Iterator[None]:
    """Turn what is wrong with a record or file into a DatasetError of one line that names its place."""
    try:
        yield
    except DatasetError:
        raise
    except (LoadError, UsageError) as error:
        raise DatasetError(f"{place}: {error}", hint=error.hint) from error
    except OSError as error:
        raise DatasetError(f"cannot read {place}: {(error.strerror or str(error)).lower()}") from error
    except (ValueError, csv.Error, msgspec.MsgspecError, RecursionError) as error:
        raise DatasetError(f"{place}: {error}") from error


def read(path: Path, kind: type[T]) -> Iterator[tuple[str, T]]:
    """Yield the records of a file with their places: CSV, Parquet, or one JSON object per line."""
    found = False
    rows = {".csv": _csv_rows, ".parquet": _parquet_rows}.get(path.suffix.lower(), _json_lines)
    for place, row in rows(path):
        with placed(place):
            if isinstance(row, bytes):
                value = msgspec.json.decode(row, type=kind, strict=False)
            else:
                value = msgspec.convert(row, kind, strict=False)
        found = True
        yield place, value
    if not found:
        raise DatasetError(f"{path} has no records")


def _json_lines(path: Path) -> Iterator[tuple[str, Any]]:
    with placed(str(path)), path.open("rb") as file:
        for number, line in enumerate(file, 1):
            if line.strip():
                yield f"{path}, line {number}", line.removeprefix(b"\xef\xbb\xbf")


def _csv_rows(path: Path) -> Iterator[tuple[str, Any]]:
    with placed(str(path)), path.open(encoding="utf-8-sig", newline="") as file:
        rows = csv.DictReader(file, strict=True)
        for row in rows:
            place = f"{path}, line {rows.line_num}"
            if None in row:
                raise DatasetError(f"{place}: it has more values than columns")
            yield place, row


def _parquet_rows(path: Path) -> Iterator[tuple[str, Any]]:
    try:
        from pyarrow.parquet import ParquetFile
    except ImportError:
        raise DatasetError(
            f"{path}: Parquet files need the package pyarrow, which is not installed",
            hint=f"install it: {install_command('parquet', 'readagent-bench')}",
        ) from None
    number = 0
    with placed(str(path)):  # the errors of pyarrow are ValueErrors and OSErrors
        for batch in ParquetFile(path).iter_batches(batch_size=64):
            for row in batch.to_pylist():
                number += 1
                yield f"{path}, row {number}", row
