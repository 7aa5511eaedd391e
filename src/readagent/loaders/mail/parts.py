"""The text of one part of a message: its transfer encoding and its encoding undone, as far as they are correct."""

from __future__ import annotations

import base64
import email.errors
import re
from contextlib import suppress
from email.message import Message
from email.parser import BytesParser

from readagent.errors import LoadError
from readagent.loaders.text.decode import decode

PART_ERRORS = (LookupError, ValueError, TypeError, AttributeError, email.errors.MessageError)
_NOT_PLAIN = (b"%PDF-", b"%!PS", b"{\\rtf")  # files that may consist of letters only
_BASE64_LINE = re.compile(r"[A-Za-z0-9+/]*={0,2}")
_MIN_BASE64 = 40  # characters before other text; a shorter run may be a word
_UTF7_RUN = re.compile(rb"\+[A-Za-z0-9+/]*-?")
_ENRICHED = re.compile(r"<<|<param>.{0,2000}?</param>|</?([A-Za-z0-9-]{1,60})>", re.IGNORECASE | re.DOTALL)
_BOUNDARY = re.compile(r"^--([^\s\"]{1,200})[ \t]*\r?\n(?=Content-[A-Za-z-]+:)", re.MULTILINE | re.IGNORECASE)


def text_of(part: Message, name: str) -> str:
    """Return the text of a part that contains text; ``name`` is the file, for messages."""
    data = _bytes_of(part)
    with suppress(*PART_ERRORS):
        charset = part.get_content_charset() or ""
        if charset in ("utf-7", "unicode-1-1-utf-7"):
            return _from_utf7(data)
        if charset in ("iso-8859-1", "latin-1", "latin1"):  # most programs mean the encoding of Windows
            charset = "cp1252"
        if charset not in ("", "us-ascii", "ascii", "unknown-8bit"):
            return data.decode(charset)
    try:
        return decode(data, name)[0]
    except LoadError:
        return data.replace(b"\x00", b"").decode("cp1252", "replace")


def is_text(part: Message) -> bool:
    """Whether a part that need not be declared as text contains plain text."""
    kind = part.get_content_type()
    if not (kind.startswith(("text/", "multipart/")) or kind == "application/octet-stream"):
        return False
    data = _bytes_of(part)
    try:
        return bool(decode(data, "")[0].strip()) and not data.lstrip().startswith(_NOT_PLAIN)
    except LoadError:
        return False


def with_true_boundary(part: Message) -> Message | None:
    """Return a part whose declared boundary is not in it as its own lines divide it; None if they do not."""
    text = str(part.get_payload())
    if not (found := _BOUNDARY.search(text)):
        return None
    head = f'Content-Type: {part.get_content_type()}; boundary="{found[1]}"\n\n'
    divided = BytesParser().parsebytes((head + text).encode("utf-8", "surrogateescape"))
    return divided if divided.is_multipart() else None


def without_marks(text: str) -> str:
    """Return enriched text (RFC 1896) as plain text."""
    return _ENRICHED.sub(_mark, text)


def _mark(found: re.Match[str]) -> str:
    return {"<<": "<", "<lt>": "<", "<nl>": "\n"}.get(found[0].lower(), "")


def _bytes_of(part: Message) -> bytes:
    """Return the content of a part; text that is labelled base64 and is not is returned as it is."""
    with suppress(*PART_ERRORS):
        raw = part.get_payload()
        if isinstance(raw, str) and str(part.get("content-transfer-encoding", "")).strip().lower() == "base64":
            return _from_base64(raw)
    with suppress(*PART_ERRORS):
        payload: object = part.get_payload(decode=True)
        return payload if isinstance(payload, bytes) else b""
    return b""


def _from_base64(text: str) -> bytes:
    """Decode base64; servers of mailing lists add plain text below it."""
    lines = text.splitlines(keepends=True)
    end = next((at for at, line in enumerate(lines) if not _BASE64_LINE.fullmatch(line.strip())), len(lines))
    encoded = "".join("".join(lines[:end]).split())
    rest = "".join(lines[end:])
    if (rest.strip() and len(encoded) < _MIN_BASE64) or (len(encoded.rstrip("=")) % 4 == 1 and not encoded[40:]):
        return text.encode("utf-8", "surrogateescape")
    code = encoded.rstrip("=")
    code = code[: len(code) - (len(code) % 4 == 1)]
    below = f"\n\n{rest}" if rest.strip() else ""
    return base64.b64decode(code + "=" * (-len(code) % 4)) + below.encode("utf-8", "surrogateescape")


def _from_utf7(data: bytes) -> str:
    """Decode UTF-7. A plus sign that begins nothing valid, as in a signature, stays."""

    def decoded(found: re.Match[bytes]) -> bytes:
        with suppress(UnicodeDecodeError):
            return found[0].decode("utf-7").encode("utf-8", "replace")
        return found[0]

    return _UTF7_RUN.sub(decoded, data).decode("utf-8", "replace")
