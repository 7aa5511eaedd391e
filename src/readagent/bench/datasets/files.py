"""Where the files of a data set lie: in a folder of its own below the one that was named, or in that folder itself."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from pathlib import Path

from readagent.bench.datasets.dataset import names_of
from readagent.errors import DatasetError
from readagent.settings import load_settings

COMMAND = "readagent bench fetch"
VARIABLE = "READAGENT_DATASETS"

_RECORDS = (".jsonl", ".json", ".ndjson")


def data_folder(given: Path | None, home: Path | None = None) -> Path:
    """Where data sets are looked for: the folder given, that of READAGENT_DATASETS, or one in the home folder."""
    if given is not None:
        return given.expanduser()
    named = os.environ.get(VARIABLE, "")
    return Path(named).expanduser() if named else (home or load_settings().home) / "datasets"


def room(folder: Path, name: str, inside: Sequence[str] = ()) -> Path:
    """The folder, or the single file, with the data of this set; ``inside`` is where its repository keeps them."""
    if folder.is_file():
        return folder
    if not folder.is_dir():
        raise DatasetError(f"there is no folder {folder}", hint=_way_out(name, folder))
    base = folder / name if (folder / name).is_dir() else folder
    return next((base / part for part in inside if (base / part).is_dir()), base)


def of_split(base: Path, name: str, split: str) -> list[Path]:
    """The files of records whose names have the split in them: ``val.jsonl``, ``QuALITY.v1.0.1.htmlstripped.dev``."""
    if base.is_file():
        return [base]
    names = names_of(split)
    found = [path for path in listed(base) if set(names) & set(_parts(path)) and _holds_records(path, names)]
    if not found:
        raise missing(base, name, f"there is no file of the split {split!r}")
    return found


def single(found: Sequence[Path]) -> Path:
    """The one file that was found; where there are several, the user must say which."""
    if len(found) > 1:
        names = ", ".join(path.name for path in found)
        raise DatasetError(f"{found[0].parent} has several files of that split: {names}", hint="name one with --data")
    return found[0]


def listed(base: Path) -> list[Path]:
    """The files in a folder by name, without hidden ones."""
    try:
        return sorted(path for path in base.iterdir() if path.is_file() and not path.name.startswith("."))
    except OSError as error:
        raise DatasetError(f"{base} cannot be read: {(error.strerror or str(error)).lower()}") from error


def missing(base: Path, name: str, what: str) -> DatasetError:
    """The error for files that are not there."""
    return DatasetError(f"{base}: {what}", hint=_way_out(name, base))


def _way_out(name: str, base: Path) -> str:
    if name == "own":
        return "name your folder of documents and questions with --data"
    return f"fetch them with: {COMMAND} {name}; or put them into {base} by hand, as docs/datasets.md says"


def _parts(path: Path) -> list[str]:
    return re.split(r"[._\-\s]+", path.name.lower())


def _holds_records(path: Path, names: Sequence[str]) -> bool:
    return path.suffix.lower() in _RECORDS or path.suffix.lower().lstrip(".") in names
