"""Archives (.zip) and compressed files (.gz): what is in them is read as the files of a folder, in one document."""

from __future__ import annotations

import stat
from collections.abc import Iterator
from dataclasses import replace
from pathlib import PurePosixPath

from readagent.core.document import Document
from readagent.errors import LoadError
from readagent.loaders.blocks import one_line
from readagent.loaders.formats import MAX_CHARACTERS, NOT_READ, Options, parser_for, too_long
from readagent.loaders.sandbox import confinement
from readagent.loaders.sandbox.archive import Archive, gunzipped
from readagent.loaders.sniff import GZIP, detect_format
from readagent.loaders.sources.combine import Part, combined
from readagent.loaders.sources.folder import by_name, is_left_out
from readagent.loaders.unsupported import UnsupportedFormatError

_SECONDS_A_FILE = 2.0  # of processor time
_TOLD = 10  # files that could not be read and are named
_UNPACK = "unpack it and read the folder"


def parse(data: bytes, name: str, options: Options) -> Document:
    """Return the files of an archive as one document, as ``combined`` does; the only one as it is."""
    if data.startswith(GZIP):
        return _document(gunzipped(data, name), PurePosixPath(name).name.removesuffix(".gz"), options)
    archive = Archive(data, name)
    parts, refused, size = list[Part](), list[LoadError](), 0
    for member in _members(archive):
        content = archive.read(member)
        confinement.add(_SECONDS_A_FILE)
        try:
            document = _document(content, one_line(member), options)
        except LoadError as error:
            refused.append(error)
            continue
        size += len(document.text)
        if size > MAX_CHARACTERS:
            raise too_long(name, MAX_CHARACTERS, hint=_UNPACK)
        if document.text.strip():
            parts.append(Part(one_line(member), document))
    if not parts:
        raise _nothing(name, refused)
    only = parts[0].document if len(parts) == 1 else None
    document = only or combined(parts, title=PurePosixPath(name).stem, source="")
    return replace(document, metadata={**document.metadata, **_told(refused)})


def _members(archive: Archive) -> Iterator[str]:
    """Yield the files in the order of a folder, without hidden files, links, and what programs generate."""
    paths = sorted(archive.names(), key=lambda path: [by_name(part) for part in path.split("/")])
    return (path for path in paths if not stat.S_ISLNK(archive.mode(path)) and not is_left_out(path))


def _document(data: bytes, name: str, options: Options) -> Document:
    """Return the document in a file; an archive in an archive is not opened."""
    found = detect_format(data, name)
    if found == "archive":
        raise UnsupportedFormatError(f"{name} is an archive in an archive", hint=_UNPACK)
    return parser_for(found).parse(data, name, replace(options, format=""))


def _nothing(name: str, refused: list[LoadError]) -> LoadError:
    """Return the error for an archive without a document."""
    if not refused:
        return UnsupportedFormatError(f"{name} contains no files to read", hint=_UNPACK)
    kind = UnsupportedFormatError if all(isinstance(one, UnsupportedFormatError) for one in refused) else LoadError
    return kind(f"none of the files in {name} could be read", hint=f"for example, {refused[0]}")


def _told(refused: list[LoadError]) -> dict[str, str]:
    if not refused:
        return {}
    more = [f"and {len(refused) - _TOLD} more"] if len(refused) > _TOLD else []
    return {NOT_READ: "; ".join([*map(str, refused[:_TOLD]), *more])}
