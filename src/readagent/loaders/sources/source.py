"""Fetch a source, whatever it is: a file, standard input or a web address."""

from __future__ import annotations

from pathlib import Path

from readagent.errors import LoadError
from readagent.loaders.sources.fetched import Fetched
from readagent.loaders.sources.files import fetch_file, fetch_standard_input
from readagent.loaders.sources.inside import Inside


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
