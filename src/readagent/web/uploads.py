"""New documents over HTTP: uploaded files, pasted texts and web addresses, all through the loader with its sandbox."""

from __future__ import annotations

import re
import tempfile
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import anyio
import msgspec
from starlette.responses import Response

from readagent.core.document import Document
from readagent.core.escaping import visible
from readagent.errors import LoadError
from readagent.loaders import is_address, load
from readagent.records.documents import FILE, DocumentRecord
from readagent.web.documents import document_record
from readagent.web.operations import JSON, Call, Operation, as_json
from readagent.web.problems import RefusedError
from readagent.web.service import Service

_UNSAFE = re.compile(r'[\x00-\x1f\x7f<>:"|?*]+')
_LONGEST = 120  # characters of a file name
_PDF = b"%PDF-"  # the files that are kept: their pages can be shown
_AT_ONCE = 4  # files that are parsed
_KNOWN = (200, "It was in the library already.")
_loading = anyio.CapacityLimiter(_AT_ONCE)


class NewDocument(msgspec.Struct, forbid_unknown_fields=True):
    """A text with a title, or the URL of a web page or file."""

    text: str = ""
    title: str = ""
    url: str = ""


async def _add(call: Call) -> DocumentRecord | Response:
    body, service = call.body, call.service
    if bool(body.text.strip()) == bool(body.url.strip()):
        raise RefusedError(422, "give either text or url")
    if body.text:
        data = body.text.encode("utf-8", "replace")

        async def pasted() -> AsyncIterator[bytes]:
            yield data

        return await _from_file(service, pasted(), "", body.title.strip() or _first_line(body.text))
    if not is_address(body.url.strip()):
        raise RefusedError(422, "a web address begins with http:// or https://", hint="upload files instead")

    def loaded() -> Document:
        return load(body.url.strip(), title=body.title.strip(), allow_private=service.options.allow_private)

    return await _kept(service, await anyio.to_thread.run_sync(loaded, limiter=_loading), current=True)


async def _upload(call: Call) -> DocumentRecord | Response:
    most, announced = call.service.options.max_upload, call.request.headers.get("content-length", "")
    if announced.isdecimal() and int(announced[:15]) > most:
        raise _too_large(most)
    return await _from_file(call.service, call.request.stream(), file_name(call.query("name")))


async def _from_file(
    service: Service, chunks: AsyncIterator[bytes], name: str, title: str = ""
) -> DocumentRecord | Response:
    """Write a stream to a temporary file, parse that, and keep only the name that the file was given."""
    with tempfile.TemporaryDirectory(prefix="readagent-") as folder:
        path, size = Path(folder) / (name or "pasted.txt"), 0
        async with await anyio.open_file(path, "wb") as file:
            async for chunk in chunks:
                size += len(chunk)
                if size > service.options.max_upload:
                    raise _too_large(service.options.max_upload)
                await file.write(chunk)

        def loaded() -> tuple[Document, bytes]:
            try:
                document, file = load(path, title=title), path.read_bytes()
                return document, file if file.startswith(_PDF) else b""
            except LoadError as error:  # its message names the temporary file
                raise LoadError(
                    str(error).replace(str(path), path.name), hint=error.hint.replace(str(path), path.name)
                ) from error

        document, original = await anyio.to_thread.run_sync(loaded, limiter=_loading)
    metadata = {**document.metadata, **({FILE: name} if name else {})}
    return await _kept(service, replace(document, source="", metadata=metadata), original)


async def _kept(
    service: Service, document: Document, original: bytes = b"", *, current: bool = False
) -> DocumentRecord | Response:
    """Add a document with its original. What is in the library already is answered with a status that says so."""

    def kept() -> DocumentRecord | Response:
        known = service.library.row(document.id) is not None
        name = service.library.add(document, current=current)
        if original:
            service.library.keep_original(name, original)
        record = document_record(service, name)
        return Response(as_json(record), _KNOWN[0], media_type=JSON) if known else record

    return await service.on_thread(kept)


def file_name(given: str) -> str:
    """Return the name of an uploaded file: no folders, nothing that a file system or a terminal minds."""
    name = _UNSAFE.sub(" ", visible(given.replace("\\", "/").rpartition("/")[2])).strip().lstrip(".")
    stem, dot, suffix = name.rpartition(".")
    if len(name) > _LONGEST and dot and len(suffix) < 10:
        name = f"{stem[: _LONGEST - len(suffix) - 1]}.{suffix}"
    name = name[:_LONGEST].strip()
    while len(name.encode("utf-8", "replace")) > 200:  # bytes, which file systems limit
        name = f"{name[: len(name) // 2]}{name[-8:]}"
    return name.encode("utf-8", "replace").decode() or "upload"


def _first_line(text: str) -> str:
    line = next((" ".join(line.split()) for line in text.splitlines() if line.strip()), "")
    return line if len(line) <= 60 else f"{line[:59].rstrip()}…"


def _too_large(most: int) -> RefusedError:
    return RefusedError(
        413,
        f"the file is larger than {most / 1_000_000:g} MB",
        hint="split it, or start the server with a larger `max_upload`",
    )


OPERATIONS = (
    Operation(
        "POST", "/api/documents", _add, "Add a text, or what is at a URL.", DocumentRecord, NewDocument, 201,
        otherwise=_KNOWN,
    ),
    Operation(
        "POST", "/api/uploads", _upload, "Add a file: the body is the file itself.", DocumentRecord, status=201,
        query=(("name", "the name of the file; its ending tells the format"),), media="application/octet-stream",
        otherwise=_KNOWN,
    ),
)  # fmt: skip
