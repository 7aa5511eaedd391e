"""The bytes of a source, or one clear line on why there are none."""

from __future__ import annotations

import difflib
import os
import stat
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from readagent.errors import LoadError
from readagent.loaders.unsupported import refuse_foreign

MOST_BYTES = 500_000_000  # of a file
_OPENING = 4096  # bytes that may tell that the rest need not be read
_PIECE = 1 << 20  # bytes read at a time
_KINDS = (
    (stat.S_ISFIFO, "a named pipe"),
    (stat.S_ISSOCK, "a socket"),
    (stat.S_ISCHR, "a device"),
    (stat.S_ISBLK, "a device"),
)
_OPEN_FILES = ("/dev/fd/", "/dev/stdin", "/proc/self/fd/")  # what a shell gives for <(a command)
_SMALLER = "cut it into parts and read those"


@dataclass(frozen=True, slots=True)
class Fetched:
    """Bytes, and what is known of them.

    ``name`` is what to call them in messages, ``title`` a last resort for the document's title, ``source`` the absolute
    path or the address, empty for standard input. ``content_type`` is what a server said, ``address`` where it sent us.
    """

    data: bytes
    name: str
    title: str
    source: str
    content_type: str = ""
    address: str = ""


def is_address(source: str | Path) -> bool:
    """Whether a source is meant as an address on the web."""
    return isinstance(source, str) and source.lower().startswith(("http://", "https://"))


def is_folder(source: str | Path) -> bool:
    """Whether a source is a folder that is there."""
    if is_address(source) or not str(source).strip():
        return False
    try:
        return Path(source).expanduser().is_dir()
    except (OSError, ValueError, RuntimeError):
        return False


def fetch(source: str | Path, *, allow_private: bool = False) -> Fetched:
    """Read a file, standard input for ``-``, or a page from the web."""
    if is_address(source):
        from readagent.loaders.sources.web import fetch_page

        return fetch_page(str(source), allow_private=allow_private)
    if str(source) == "-":
        return Fetched(_standard_input(), "standard input", "standard input", "")
    if not str(source).strip():
        raise LoadError("the name of the file is empty", hint="name a file, or - for standard input")
    if "://" in str(source)[:20]:
        raise LoadError(f"{source} is no address that can be read", hint="addresses begin with https:// or http://")
    try:
        path = Path(source).expanduser()
    except RuntimeError as error:
        raise LoadError(f"{str(source)!r} cannot be read: {error}") from error
    return fetch_file(path, str(source))


def fetch_file(path: Path, name: str) -> Fetched:
    """Read the file at a path, which is called ``name`` in messages."""
    try:
        streamed = str(path).startswith(_OPEN_FILES)
        data = _read(path, name, any_kind=streamed)
        return Fetched(data, name, path.stem, "" if streamed else str(path.resolve()))
    except (FileNotFoundError, NotADirectoryError):
        raise LoadError(f"there is no file {name}", hint=_nearest(path)) from None
    except PermissionError:
        raise LoadError(f"no permission to read {name}", hint="check who may read the file") from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise LoadError(f"{name!r} cannot be read: {reason.lower()}", hint="name another file") from error


def _read(path: Path, name: str, *, any_kind: bool) -> bytes:
    """The bytes of a file; of a pipe, which might never end, only if any kind of file will do."""
    _refuse_kind(path.stat(), name, any_kind=any_kind)
    with open(path, "rb", opener=None if any_kind else _open_at_once) as file:
        about = os.fstat(file.fileno())
        _refuse_kind(about, name, any_kind=any_kind)
        if stat.S_ISREG(about.st_mode) and about.st_size > MOST_BYTES:
            raise _too_large(name)
        return _bounded(file, name)


def _open_at_once(path: str, flags: int) -> int:
    """Open without waiting for anyone at the other end, should this have become a pipe meanwhile."""
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))


def _refuse_kind(about: os.stat_result, name: str, *, any_kind: bool) -> None:
    if stat.S_ISDIR(about.st_mode):
        raise LoadError(f"{name} is a folder", hint="name a file")
    for is_kind, kind in () if any_kind else _KINDS:
        if is_kind(about.st_mode):
            raise LoadError(f"{name} is {kind}, not a file", hint="name a file, or - for standard input")


def _bounded(file: BinaryIO, name: str) -> bytes:
    pieces = [file.read(_OPENING)]
    refuse_foreign(pieces[0], name)
    size = len(pieces[0])
    while piece := file.read(_PIECE):
        pieces.append(piece)
        size += len(piece)
        if size > MOST_BYTES:
            raise _too_large(name)
    return b"".join(pieces)


def _too_large(name: str) -> LoadError:
    return LoadError(f"{name} is larger than {MOST_BYTES // 1_000_000} MB", hint=_SMALLER)


def _standard_input() -> bytes:
    if sys.stdin is None:
        raise LoadError("there is no standard input", hint="name a file")
    try:
        return _bounded(sys.stdin.buffer, "standard input")
    except (OSError, ValueError) as error:
        raise LoadError(f"standard input cannot be read: {error}", hint="name a file") from error


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
    return "name a file, a folder, an address on the web, or - for standard input"


def _names(folder: Path) -> list[str]:
    try:
        return sorted(name for name in os.listdir(folder) if not name.startswith("."))
    except OSError:
        return []
