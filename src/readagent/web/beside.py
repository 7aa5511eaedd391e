"""What is beside a text over HTTP: pages of the original as pictures, and the passages that are highlighted.

A PDF is foreign material that may act in a viewer. Its pages are drawn in the sandbox in which files are parsed;
nothing of the file itself reaches the browser.
"""

from __future__ import annotations

import struct
import zlib
from base64 import b64encode
from collections.abc import Sequence

from readagent.core.document import places_of_passages
from readagent.loaders.sandbox.messages import PagePicture
from readagent.loaders.sandbox.pool import picture_in_sandbox
from readagent.records.documents import FILE, OriginalPage, PassageInText
from readagent.web.operations import Call, Operation
from readagent.web.problems import RefusedError

_LONGEST = 4_000  # characters of a passage that is looked for
_HINT = "add the same PDF on the page once more: it is kept then"


def _page(call: Call) -> OriginalPage:
    service, name = call.service, call.path("document")
    service.row(name)
    file = service.library.original(name)
    if file is None:
        raise RefusedError(404, "the file of this document was not kept", hint=_HINT)
    document = service.document(name)
    start, end = call.query_number("start", 0), call.query_number("end", 0)
    passage = document.text[start : min(end, start + _LONGEST)]
    share = start / max(1, len(document.text))
    file_name = document.metadata.get(FILE) or "original.pdf"
    shown = picture_in_sandbox(file, file_name, call.query_number("page", 0), passage, share)
    png = b64encode(_as_png(shown)).decode()
    return OriginalPage(shown.page, shown.pages, shown.width, shown.height, list(shown.lines), png)


def _as_png(picture: PagePicture) -> bytes:
    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    length = 3 * picture.width
    rows = (picture.pixels[at : at + length] for at in range(0, len(picture.pixels), length))
    head = struct.pack(">IIBBBBB", picture.width, picture.height, 8, 2, 0, 0, 0)
    pixels = zlib.compress(b"".join(b"\0" + row for row in rows))
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", pixels) + chunk(b"IEND", b"")


def _passage(call: Call) -> PassageInText:
    return _passages(call, [_span(call)])[0]


def _passages(call: Call, spans: Sequence[tuple[int, int]]) -> list[PassageInText]:
    document = call.service.document(call.path("document"))
    places = places_of_passages(document, spans)
    return [
        PassageInText(start, end, document.text[start:end], place, document.speaker_at(start))
        for (start, end), place in zip(spans, places, strict=True)
    ]


def _span(call: Call) -> tuple[int, int]:
    return call.number("start"), call.number("end")


def _highlights(call: Call) -> list[PassageInText]:
    call.service.row(call.path("document"))
    return _passages(call, call.service.library.highlights(call.path("document")))


def _highlight(call: Call) -> list[PassageInText]:
    service, name, (start, end) = call.service, call.path("document"), _span(call)
    total = len(service.document(name).text)
    if not 0 <= start < end <= total:
        raise RefusedError(422, f"a passage lies between 0 and {total}, not between {start} and {end}")
    service.library.highlight(name, start, end)
    return _highlights(call)


def _unhighlight(call: Call) -> list[PassageInText]:
    call.service.library.unhighlight(call.path("document"), *_span(call))
    return _highlights(call)


_ONE = "/api/documents/{document}"
_HIGHLIGHT = f"{_ONE}/highlights/{{start}}-{{end}}"
OPERATIONS = (
    Operation(
        "GET", f"{_ONE}/original", _page, "Show a page of a PDF that was uploaded.", OriginalPage,
        query=(("page", "its number, counted from 0"), ("start", "offset of a passage: its page is shown instead"),
               ("end", "offset after the passage")),
    ),
    Operation("GET", f"{_ONE}/passages/{{start}}-{{end}}", _passage, "Show a passage and its place.", PassageInText),
    Operation("GET", f"{_ONE}/highlights", _highlights, "List the highlighted passages.", list[PassageInText]),
    Operation("PUT", _HIGHLIGHT, _highlight, "Highlight a passage; the response has all.", list[PassageInText]),
    Operation("DELETE", _HIGHLIGHT, _unhighlight, "Take a highlight away.", list[PassageInText]),
)  # fmt: skip
