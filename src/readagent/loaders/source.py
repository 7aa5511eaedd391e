"""The bytes of a source, or one clear line on why there are none."""

from __future__ import annotations

import difflib
import os
import sys
from dataclasses import dataclass
from pathlib import Path

from readagent.errors import LoadError


@dataclass(frozen=True, slots=True)
class Fetched:
    """Bytes, what to call them in a message and in a list, and the absolute path (empty for standard input)."""

    data: bytes
    name: str
    stem: str
    path: str


def fetch(source: str | Path) -> Fetched:
    """Read a file, or standard input for ``-``."""
    if str(source) == "-":
        return Fetched(_standard_input(), "standard input", "standard input", "")
    if str(source).startswith(("http://", "https://")):
        raise LoadError(f"{source} is a web address", hint="save the page as a text file and read that")
    if not str(source).strip():
        raise LoadError("the name of the file is empty", hint="name a text file, or - for standard input")
    path = Path(source).expanduser()
    try:
        return Fetched(path.read_bytes(), str(source), path.stem, str(path.resolve()))
    except (FileNotFoundError, NotADirectoryError):
        raise LoadError(f"there is no file {source}", hint=_nearest(path)) from None
    except IsADirectoryError:
        raise _folder(source, path) from None
    except PermissionError:
        if path.is_dir():  # this is how Windows says it
            raise _folder(source, path) from None
        raise LoadError(f"no permission to read {source}", hint="check who may read the file") from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise LoadError(f"{str(source)!r} cannot be read: {reason.lower()}") from error


def _standard_input() -> bytes:
    if sys.stdin is None:
        raise LoadError("there is no standard input", hint="name a text file")
    try:
        return sys.stdin.buffer.read()
    except (OSError, ValueError) as error:
        raise LoadError(f"standard input cannot be read: {error}", hint="name a text file") from error


def _folder(source: str | Path, path: Path) -> LoadError:
    inside = [name for name in _names(path) if name.lower().endswith((".txt", ".md"))]
    return LoadError(f"{source} is a folder", hint=f"name a file in it{f', such as {inside[0]}' if inside else ''}")


def _nearest(path: Path) -> str:
    """Files of the same folder with a similar name."""
    folder = path.parent
    if not folder.is_dir():
        return f"there is no folder {folder} either"
    names = {name.casefold(): name for name in reversed(_names(folder))}
    stems = {Path(name).stem.casefold(): name for name in reversed(_names(folder))}
    close = [names[name] for name in difflib.get_close_matches(path.name.casefold(), names, n=3, cutoff=0.6)]
    close += [stems[stem] for stem in difflib.get_close_matches(path.stem.casefold(), stems, n=3, cutoff=0.75)]
    close = list(dict.fromkeys(close))[:3]
    if close:
        return f"did you mean {' or '.join(close)}?"
    return "name a text file, or - for standard input"


def _names(folder: Path) -> list[str]:
    try:
        return sorted(name for name in os.listdir(folder) if not name.startswith("."))
    except OSError:
        return []
