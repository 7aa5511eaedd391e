"""Fetch a source, a file, standard input or a web address; every failure becomes a LoadError with a hint."""

from __future__ import annotations

import difflib
import os
import stat
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO

from readagent.errors import LoadError
from readagent.loaders.sources.inside import Inside
from readagent.loaders.unsupported import refuse_unsupported


@dataclass(frozen=True, slots=True)
class Fetched:
    """The bytes of a source.

    ``name`` is used in messages, ``title`` if the document has no title of its own. ``source`` is the absolute path or
    the address, empty for standard input. ``sent`` has the ``content_type`` and the ``charset`` that a server named,
    ``address`` is the final address after redirects.
    """

    data: bytes
    name: str
    title: str
    source: str
    sent: Mapping[str, str] = field(default_factory=dict)
    address: str = ""


MAX_BYTES = 500_000_000  # of a file
OPENING = 4096  # bytes that may show that the rest need not be read
_CHUNK = 1 << 20  # bytes read at a time
_SPECIAL_FILES = (
    (stat.S_ISFIFO, "a named pipe"),
    (stat.S_ISSOCK, "a socket"),
    (stat.S_ISCHR, "a device"),
    (stat.S_ISBLK, "a device"),
)
_OPEN_FILES = ("/dev/fd/", "/dev/stdin", "/proc/self/fd/")  # what a shell passes for <(command)


def fetch_file(path: Path, name: str, inside: Inside | None = None) -> Fetched:
    """Read the file at a path; ``name`` is used in messages. With ``inside``, no link is followed."""
    try:
        if inside is not None:
            return Fetched(_read(path, name, inside=inside), name, path.stem, str(path))
        streamed = str(path).startswith(_OPEN_FILES)
        data = _read(path, name, allow_special=streamed)
        return Fetched(data, name, path.stem, "" if streamed else str(path.resolve()))
    except (FileNotFoundError, NotADirectoryError):
        hint = _suggestion(path) if inside is None else ""
        raise LoadError(f"there is no file {name}", hint=hint) from None
    except PermissionError:
        raise LoadError(f"no permission to read {name}", hint="check the permissions of the file") from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise LoadError(f"{name!r} could not be read: {reason.lower()}", hint="choose another file") from error


def fetch_standard_input() -> Fetched:
    """Read standard input to its end."""
    name = "standard input"
    if sys.stdin is None:
        raise LoadError("there is no standard input", hint="give a file instead")
    try:
        return Fetched(_read_limited(sys.stdin.buffer, name), name, name, "")
    except (OSError, ValueError) as error:
        raise LoadError(f"standard input could not be read: {error}", hint="give a file instead") from error


def _read(path: Path, name: str, *, allow_special: bool = False, inside: Inside | None = None) -> bytes:
    """Return the bytes of a file. A pipe, which might never end, is read only with ``allow_special``."""

    def open_without_waiting(_: str, flags: int) -> int:
        """Open the file without blocking, in case it was replaced by a pipe after it was checked."""
        flags |= getattr(os, "O_NONBLOCK", 0)
        return os.open(path, flags) if inside is None else inside.open(path, flags)

    _refuse_special(path.stat(follow_symlinks=inside is None), name, allow_special=allow_special)
    with open(path, "rb", opener=None if allow_special else open_without_waiting) as file:
        status = os.fstat(file.fileno())
        _refuse_special(status, name, allow_special=allow_special)
        if stat.S_ISREG(status.st_mode) and status.st_size > MAX_BYTES:
            raise too_large(name)
        return _read_limited(file, name)


def _refuse_special(status: os.stat_result, name: str, *, allow_special: bool) -> None:
    if stat.S_ISDIR(status.st_mode):
        raise LoadError(f"{name} is a folder", hint="choose a file")
    for is_kind, kind in () if allow_special else _SPECIAL_FILES:
        if is_kind(status.st_mode):
            raise LoadError(f"{name} is {kind}, not a file", hint="choose a file")


def _read_limited(file: BinaryIO, name: str) -> bytes:
    chunks = [file.read(OPENING)]
    refuse_unsupported(chunks[0], name)
    size = len(chunks[0])
    while chunk := file.read(_CHUNK):
        chunks.append(chunk)
        size += len(chunk)
        if size > MAX_BYTES:
            raise too_large(name)
    return b"".join(chunks)


def too_large(name: str) -> LoadError:
    """Return the error for a file that is too large."""
    hint = "split it into several files and read those"
    return LoadError(f"{name} is larger than {MAX_BYTES // 1_000_000} MB", hint=hint)


def _suggestion(path: Path) -> str:
    """Return a hint that names files with a similar name in the same folder."""
    folder = path.parent
    if not folder.is_dir():
        return f"there is no folder {folder} either"
    names = {name.casefold(): name for name in reversed(_visible_names(folder))}
    stems = {Path(name).stem.casefold(): name for name in reversed(_visible_names(folder))}
    close = [names[name] for name in difflib.get_close_matches(path.name.casefold(), names, n=3, cutoff=0.6)]
    close += [stems[stem] for stem in difflib.get_close_matches(path.stem.casefold(), stems, n=3, cutoff=0.75)]
    close = list(dict.fromkeys(close))[:3]
    if close:
        return f"did you mean {' or '.join(close)}?"
    return "give a file, a folder, a web address, or - for standard input"


def _visible_names(folder: Path) -> list[str]:
    try:
        return sorted(name for name in os.listdir(folder) if not name.startswith("."))
    except OSError:
        return []


def is_address(source: str | Path) -> bool:
    """Whether a source is a web address."""
    return isinstance(source, str) and source.lower().startswith(("http://", "https://"))


def is_folder(source: str | Path) -> bool:
    """Whether a source is an existing folder."""
    if is_address(source) or not str(source).strip():
        return False
    try:
        return Path(source).expanduser().is_dir()
    except (OSError, ValueError, RuntimeError):
        return False


def fetch(source: str | Path, *, allow_private: bool = False, inside: Inside | None = None) -> Fetched:
    """Read a file, standard input for ``-``, or download a web page. With ``inside``, files are read only there."""
    if is_address(source):
        from readagent.loaders.sources.web import fetch_page

        return fetch_page(str(source), allow_private=allow_private)
    if str(source) == "-":
        return fetch_standard_input()
    if not str(source).strip():
        raise LoadError("the file name is empty", hint="give a file, or - for standard input")
    if "://" in str(source)[:20]:
        raise LoadError(f"{source} is not a supported address", hint="addresses begin with https:// or http://")
    try:
        path = Path(source).expanduser()
    except RuntimeError as error:
        raise LoadError(f"{str(source)!r} could not be read: {error}") from error
    return fetch_file(path, str(source), inside)
