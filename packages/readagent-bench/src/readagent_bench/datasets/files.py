"""Locate the files of a data set: in its own folder below the given one, or in the given folder itself."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from pathlib import Path

from readagent.errors import DatasetError
from readagent.settings import load_settings
from readagent_bench.datasets.dataset import names_of

COMMAND = "readagent bench fetch"
VARIABLE = "READAGENT_DATASETS"

_BY_HAND = ("longbench2", "infinitebench", "longmemeval")  # that `bench fetch` does not offer
_RECORDS = (".jsonl", ".json", ".ndjson")
_OF_HUBS = ("data", "default")  # folders in which hubs publish Parquet files
_SPLITS = ("train", "test", "validation", "all")


def data_folder(given: Path | None, home: Path | None = None) -> Path:
    """Return the folder of the data sets: the given one, READAGENT_DATASETS, or ``datasets`` in the home folder."""
    if given is not None:
        return given.expanduser()
    named = os.environ.get(VARIABLE, "")
    return Path(named).expanduser() if named else (home or load_settings().home) / "datasets"


def base_folder(folder: Path, name: str, inside: Sequence[str] = ()) -> Path:
    """Return the folder or file with the data of this set; ``inside`` are the folders of its own repository."""
    if folder.is_file():
        return folder
    if not folder.is_dir():
        raise DatasetError(f"no such folder: {folder}", hint=_way_out(name, folder))
    base = folder / name if (folder / name).is_dir() else folder
    return next((base / part for part in inside if (base / part).is_dir()), base)


def of_split(base: Path, name: str, split: str) -> list[Path]:
    """Return the files with the split in their names, such as ``val.jsonl`` or ``QuALITY.v1.0.1.htmlstripped.dev``."""
    if base.is_file():
        return [base]
    names = names_of(split)
    found = [path for path in listed(base) if set(names) & set(_parts(path)) and _holds_records(path, names)]
    found = found or [
        path for path in parquet_files(base, (name, *names)) if set(names) & {*_folders(path, base), *_parts(path)}
    ]
    if not found:
        raise missing(base, name, f"no file for the split {split!r}")
    return found


def record_files(base: Path, name: str, begins: str) -> list[Path]:
    """Return the files with records whose names begin so, or else Parquet files.

    Of these, those that are named so, or are in a folder of that name, or else those that are named after a split.
    """
    if base.is_file():
        return [base]
    found = [path for path in listed(base) if path.suffix.lower() in _RECORDS and path.name.startswith(begins)]
    if not found:
        files = parquet_files(base, (begins, *_SPLITS))
        named = [path for path in files if path.name.startswith(begins) or begins in _folders(path, base)]
        found = named or [path for path in files if {*_SPLITS, *_OF_HUBS} & {*_folders(path, base), _parts(path)[0]}]
    if not found:
        raise missing(base, name, f"no file {begins}.json, {begins}.jsonl or .parquet")
    return found


def parquet_files(base: Path, names: Sequence[str]) -> list[Path]:
    """Return the Parquet files in a folder, and in folders below it that hubs make: ``data``, or with these names."""
    found = [path for path in listed(base) if path.suffix.lower() == ".parquet"]
    for folder in sorted(path for path in base.iterdir() if path.is_dir()):
        if folder.name.lower() in (*_OF_HUBS, *names):
            found += parquet_files(folder, names)
    return found


def _folders(path: Path, base: Path) -> list[str]:
    """Return the names of the folders between a folder and a file below it."""
    return [part.lower() for part in path.relative_to(base).parts[:-1]]


def shards(found: Sequence[Path]) -> list[Path]:
    """Return the files of a split: Parquet files together, otherwise a single one."""
    return list(found) if all(path.suffix.lower() == ".parquet" for path in found) else [single(found)]


def single(found: Sequence[Path]) -> Path:
    """Return the only file; raise DatasetError if there are several."""
    if len(found) > 1:
        names = ", ".join(path.name for path in found)
        raise DatasetError(
            f"{found[0].parent} has several files for that split: {names}", hint="choose one with --data"
        )
    return found[0]


def listed(base: Path) -> list[Path]:
    """Return the files of a folder, sorted by name, without hidden ones."""
    try:
        return sorted(path for path in base.iterdir() if path.is_file() and not path.name.startswith("."))
    except OSError as error:
        raise DatasetError(f"cannot read {base}: {(error.strerror or str(error)).lower()}") from error


def missing(base: Path, name: str, what: str) -> DatasetError:
    """Return the error for missing files."""
    return DatasetError(f"{base}: {what}", hint=_way_out(name, base))


def _way_out(name: str, base: Path) -> str:
    if name == "own":
        return "give your folder of documents and questions with --data"
    if name in _BY_HAND:
        return f"download them by hand into {base} (see docs/datasets.md)"
    return f"download them with: {COMMAND} {name}; or put them into {base} by hand (see docs/datasets.md)"


def _parts(path: Path) -> list[str]:
    return re.split(r"[._\-\s]+", path.name.lower())


def _holds_records(path: Path, names: Sequence[str]) -> bool:
    return path.suffix.lower() in _RECORDS or path.suffix.lower().lstrip(".") in names
