"""Archives (.zip, .tar) and compressed files (.gz): what is in them is read as the files of a folder."""

from __future__ import annotations

import io
import stat
import tarfile
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import PurePosixPath

from readagent.core.document import Document
from readagent.errors import LoadError
from readagent.loaders.blocks import one_line
from readagent.loaders.formats import MAX_CHARACTERS, NOT_READ, Options, parser_for, too_long
from readagent.loaders.sandbox import confinement
from readagent.loaders.sandbox.archive import GET_AGAIN, Archive, Bounds, gunzipped, points_outside
from readagent.loaders.sniff import GZIP, detect_format, is_tar
from readagent.loaders.sources.combine import Part, combined
from readagent.loaders.sources.folder import by_name, is_left_out
from readagent.loaders.speech.chat import parse_json
from readagent.loaders.speech.export import document_of, together
from readagent.loaders.text.decode import decode
from readagent.loaders.unsupported import UnsupportedFormatError

_SECONDS_A_FILE = 2.0  # of processor time
_TOLD = 10  # files that could not be read and are named
_UNPACK = "unpack it and read the folder"


def parse(data: bytes, name: str, options: Options) -> Document:
    """Return the files of an archive as one document, as ``combined`` does; the only one as it is."""
    stem = PurePosixPath(name).stem.removesuffix(".tar")
    if data.startswith(GZIP):
        data = gunzipped(data, name)
        if not is_tar(data):
            return _document(data, PurePosixPath(name).name.removesuffix(".gz"), options)
    paths, read, outside = _files(data, name)
    refused = [LoadError(f"{one_line(path)} has a name that points outside") for path in outside]
    parts, size = list[Part](), 0
    for of, members in together(paths):
        confinement.add(_SECONDS_A_FILE * len(members))
        if len(members) > 1:
            document = document_of(members, lambda member: _json(read(member), member, refused))
        else:
            content = read(members[0])
            try:
                document = _document(content, one_line(of), options)
            except LoadError as error:
                refused.append(error)
                continue
        size += len(document.text)
        if size > MAX_CHARACTERS:
            raise too_long(name, MAX_CHARACTERS, hint=_UNPACK)
        if document.text.strip():
            parts.append(Part(one_line(of) or stem, document))
    if not parts:
        raise _nothing(name, refused)
    only = parts[0].document if len(parts) == 1 else None
    document = only or combined(parts, title=stem, source="")
    return replace(document, metadata={**document.metadata, **_told(refused)})


def _files(data: bytes, name: str) -> tuple[list[str], Callable[[str], bytes], list[str]]:
    """Return the files in the order of a folder, what reads them, and those outside; no links, no hidden files."""
    if is_tar(data):
        contents, outside = _in_tar(data, name)
        paths, read = list(contents), contents.__getitem__
    else:
        archive = Archive(data, name)
        paths, read, outside = archive.names(), archive.read, archive.outside
        paths = [path for path in paths if not stat.S_ISLNK(archive.mode(path))]
    kept = (path for path in paths if not is_left_out(path))
    return sorted(kept, key=lambda path: [by_name(part) for part in path.split("/")]), read, outside


def _in_tar(data: bytes, name: str) -> tuple[dict[str, bytes], list[str]]:
    """Return the contents of the files in a tar archive, and the names of those outside; links are left out."""
    found, outside = dict[str, bytes](), list[str]()
    try:
        with tarfile.open(fileobj=io.BytesIO(data), mode="r:") as opened:
            for number, info in enumerate(opened, start=1):
                if number > Bounds().members:
                    raise LoadError(f"{name} has more than {Bounds().members:,} parts", hint=_UNPACK)
                if points_outside(info.name):
                    outside.append(info.name)
                elif info.isreg() and not info.issparse():
                    found[info.name.removeprefix("./")] = data[info.offset_data : info.offset_data + info.size]
                    if info.offset_data + info.size > len(data):
                        raise tarfile.ReadError("the end is missing")
    except (tarfile.TarError, ValueError, OverflowError, RecursionError, OSError) as error:
        raise LoadError(f"{name} is damaged: it could not be unpacked", hint=GET_AGAIN) from error
    return found, outside


def _json(data: bytes, name: str, refused: list[LoadError]) -> object:
    """Return the JSON value in a file; note it if there is none."""
    with suppress(LoadError, RecursionError):
        if (value := parse_json(decode(data, name)[0])) is not None:
            return value
    refused.append(LoadError(f"{one_line(name)} is not valid JSON"))
    return None


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
