"""Decode text in any encoding."""

from __future__ import annotations

import codecs

from readagent.errors import LoadError
from readagent.loaders.formats import MAX_CHARACTERS, too_long
from readagent.loaders.text.encoding import guess
from readagent.loaders.unsupported import binary_file, has_binary_signature, looks_binary

_BYTE_ORDER_MARKS = (  # the longer ones first: the mark of UTF-32-LE begins with that of UTF-16-LE
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_SAMPLE = 100_000  # characters checked to see whether UTF-16 without a byte order mark gives readable text


def decode(data: bytes, name: str) -> tuple[str, str]:
    """Return the text and its encoding, found by byte order mark, then UTF-16, then UTF-8, then a guess.

    Stray zero bytes are removed. If characters could not be decoded, the encoding includes their number: ``utf-8, 3
    unreadable places``.
    """
    one_byte_each = len(data) > MAX_CHARACTERS and data.isascii() and b"\x00" not in data
    if one_byte_each or len(data) > 4 * MAX_CHARACTERS:
        raise _too_long(name)
    text, encoding = _decode(data, name)
    if len(text) > MAX_CHARACTERS:
        raise _too_long(name)
    return text, encoding


def _too_long(name: str) -> LoadError:
    return too_long(name, MAX_CHARACTERS)


def _decode(data: bytes, name: str) -> tuple[str, str]:
    for mark, encoding in _BYTE_ORDER_MARKS:
        if data.startswith(mark):
            return _marked(data[len(mark) :], encoding, name), encoding
    if b"\x00" in data and (found := utf16(data)):
        return found
    plain = data.replace(b"\x00", b"")  # stray zero bytes, or a gap in a log
    if looks_binary(plain) or (plain != data and (has_binary_signature(data) or not _is_text(plain))):
        raise binary_file(data, name)
    data = plain
    if b"\x1b$" in data and (encoding := guess(data)) == "iso2022_jp":
        return data.decode(encoding), encoding
    try:
        return data.decode("utf-8"), "utf-8"
    except UnicodeDecodeError:
        return _not_utf8(data)


def _marked(data: bytes, encoding: str, name: str) -> str:
    """Decode text that has a byte order mark. Many undecodable characters mean that it was no text after all."""
    text = data.decode(encoding, "replace")
    if "\x00" in text or text.count("\ufffd") > max(2, len(text) // 20):
        raise binary_file(data, name)
    return text


def utf16(data: bytes) -> tuple[str, str] | None:
    """Decode UTF-16 without a byte order mark: its zero bytes are on one side of the pairs, and the result is text.

    A few zero bytes in bytes that are text without them are stray.
    """
    even, odd = data[0::2].count(0), data[1::2].count(0)
    encoding = "utf-16-le" if odd > even else "utf-16-be"
    if min(even, odd) * 20 > max(even, odd) or (4 * (even + odd) < len(data) and _is_plain(data.replace(b"\x00", b""))):
        return None
    try:
        text = data[: len(data) // 2 * 2].decode(encoding)
    except UnicodeDecodeError:
        return None
    sample = text[:_SAMPLE]
    unprintable = sum(1 for character in sample if not (character.isprintable() or character.isspace()))
    common = sum(1 for character in sample if character.isspace() or character.isascii())
    return (text, encoding) if unprintable * 100 <= len(sample) and common * 100 >= len(sample) else None


def _is_plain(data: bytes) -> bool:
    return data.isascii() and not looks_binary(data)


def _is_text(data: bytes) -> bool:
    """Whether bytes without their zeros are text in UTF-8, or at least in an encoding with letters below 128."""
    readable = sum(map(data.count, b" etaoin\n"))
    return 5 * readable > len(data) or _is_utf8(data)


def _is_utf8(data: bytes) -> bool:
    try:
        return len(data.decode("utf-8")) > 0
    except UnicodeDecodeError:
        return False


def _not_utf8(data: bytes) -> tuple[str, str]:
    """Decode as UTF-8 with a few errors if most of it is valid, otherwise in the encoding it looks like."""
    text = data.decode("utf-8", "replace")
    errors = text.count("\ufffd")
    valid = len(text) - len(text.encode("ascii", "ignore")) - errors
    if valid > 4 * errors:
        return text, _with_errors("utf-8", errors)
    encoding = guess(data)
    text = data.decode(encoding, "replace")
    return text, _with_errors(encoding, text.count("\ufffd"))


def _with_errors(encoding: str, errors: int) -> str:
    return f"{encoding}, {errors} unreadable {'place' if errors == 1 else 'places'}" if errors else encoding
