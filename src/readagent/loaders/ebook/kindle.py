"""Kindle books (.mobi, .azw, .azw3, .prc) and Palm documents (.pdb) without copy protection: their text is HTML.

A file with the same book in two versions is read in the first one.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from readagent.core.document import Document
from readagent.errors import LoadError
from readagent.loaders.blocks import compose
from readagent.loaders.formats import MAX_CHARACTERS, Options, too_long
from readagent.loaders.html.parser import blocks_of
from readagent.loaders.sandbox.archive import GET_AGAIN
from readagent.loaders.text.plain import parse as parse_plain

_MAX_TEXT = 65_536  # bytes that one record may unpack to; usual are 4096
_MAX_NESTING = 32  # of phrases within phrases

Unpack = Callable[[bytes], bytes]


def records_of(data: bytes) -> list[bytes]:
    """Return the records of a database; raise ValueError or struct.error if it is damaged."""
    (count,) = struct.unpack_from(">H", data, 76)
    starts = [struct.unpack_from(">I", data, 78 + 8 * index)[0] for index in range(count)]
    ends = [*starts[1:], len(data)]
    if sorted(starts) != starts or (starts and starts[-1] > len(data)):
        raise ValueError("the records are not in order")
    return [data[start:end] for start, end in zip(starts, ends, strict=True)]


def unpack_palmdoc(data: bytes) -> bytes:
    """Unpack a record: literal bytes, pairs that refer to earlier text, and a space before a letter in one byte."""
    text = bytearray()
    at = 0
    while at < len(data) and len(text) < _MAX_TEXT:
        byte = data[at]
        at += 1
        if 1 <= byte <= 8:
            text += data[at : at + byte]
            at += byte
        elif byte < 0x80:
            text.append(byte)
        elif byte >= 0xC0:
            text += bytes((0x20, byte ^ 0x80))
        elif at < len(data):
            pair = (byte << 8 | data[at]) & 0x3FFF
            at += 1
            distance, length = pair >> 3, (pair & 7) + 3
            if not 0 < distance <= len(text):
                raise ValueError("a reference points before the text")
            for _ in range(length):
                text.append(text[-distance])
    return bytes(text)


def huffman_unpacker(records: Sequence[bytes]) -> Unpack:
    """Return a function that unpacks records with the code and the phrases in these ones."""
    return _Huffman(records).unpack


class _Huffman:
    """A Huffman code of up to 32 bits, whose symbols are phrases, which may contain codes themselves."""

    def __init__(self, records: Sequence[bytes]) -> None:
        if not records or not records[0].startswith(b"HUFF"):
            raise ValueError("the code is missing")
        first, second = struct.unpack_from(">II", records[0], 8)
        self._short = struct.unpack_from(">256I", records[0], first)
        limits = struct.unpack_from(">64I", records[0], second)
        self._least = (0, *limits[0::2])
        self._most = (0, *limits[1::2])
        self._phrases: list[tuple[bytes, bool]] = []
        for record in records[1:]:
            self._add_phrases(record)
        self._unpacked: dict[int, bytes] = {}

    def _add_phrases(self, record: bytes) -> None:
        if not record.startswith(b"CDIC"):
            raise ValueError("the phrases are missing")
        total, bits = struct.unpack_from(">II", record, 8)
        count = min(1 << min(bits, 16), total - len(self._phrases))
        for start in struct.unpack_from(f">{max(0, count)}H", record, 16):
            (length,) = struct.unpack_from(">H", record, 16 + start)
            self._phrases.append((record[18 + start : 18 + start + (length & 0x7FFF)], bool(length & 0x8000)))

    def unpack(self, data: bytes, depth: int = 0) -> bytes:
        """Unpack the codes in these bytes."""
        if depth > _MAX_NESTING:
            raise ValueError("phrases are nested too deeply")
        bits = int.from_bytes(data + bytes(8), "big")
        left, size = 8 * len(data), 8 * len(data) + 64
        text = bytearray()
        while left > 0 and len(text) < _MAX_TEXT:
            window = bits >> (size - 32 - (8 * len(data) - left)) & 0xFFFFFFFF
            length, most = self._code(window)
            left -= length
            if left < 0:
                break
            text += self._phrase((most - window) >> (32 - length), depth)
        return bytes(text)

    def _code(self, window: int) -> tuple[int, int]:
        """Return the length of the code at the start of the window, and the largest code of that length."""
        entry = self._short[window >> 24]
        length, most = entry & 0x1F, entry >> 8
        if not length:
            raise ValueError("there is no such code")
        if not entry & 0x80:
            while length < 32 and window < self._least[length] << (32 - length):
                length += 1
            most = self._most[length]
        return length, ((most + 1) << (32 - length)) - 1

    def _phrase(self, index: int, depth: int) -> bytes:
        if not 0 <= index < len(self._phrases):
            raise ValueError("there is no such phrase")
        phrase, final = self._phrases[index]
        if final:
            return phrase
        if index not in self._unpacked:
            self._unpacked[index] = self.unpack(phrase, depth + 1)
        return self._unpacked[index]


_NONE, _PALMDOC, _HUFFMAN = 1, 2, 17_480  # compressions
_UTF8 = 65_001
_VERSION_8 = 8  # of the format, as in .azw3
_FIELDS = {100: "author", 106: "date", 524: "language", 503: "title"}
_TAGS = re.compile(r"<(?:/?mbp:[a-z]+|a\s+filepos=[^>]*|/?guide|reference)\b[^>]*>", re.IGNORECASE)
_SKELETON = re.compile(r"</body>\s*</html>|<(?:html|body)\b[^>]*>|<\?xml[^>]*\?>|<!DOCTYPE[^>]*>", re.IGNORECASE)
_DRM = "it can only be read in the shop's own program; get a copy without copy protection"


@dataclass(frozen=True, slots=True)
class _Head:
    """What the first record says about the others, and the metadata.

    ``count`` is the number of records with text, ``trailing`` the kinds of bytes after the text of each, ``flows`` the
    record that lists the parts of the text.
    """

    compression: int
    count: int
    encoding: str
    trailing: int
    version: int
    flows: int
    huffman: tuple[int, int]
    fields: dict[str, str]


def parse(data: bytes, name: str, options: Options) -> Document:
    """Return a Kindle book as a document."""
    try:
        records = records_of(data)
        head = _head(records[0], name)
        text = _text(records, head, name)
    except (struct.error, ValueError, IndexError) as error:
        raise LoadError(f"{name} is damaged: its text could not be unpacked", hint=GET_AGAIN) from error
    if not head.version and not text.lstrip().startswith("<"):
        return parse_plain(text.encode(), name, options)
    title = head.fields.pop("title", "")
    return compose(blocks_of(_SKELETON.sub("", _TAGS.sub("", text))), title=title, metadata=head.fields)


def _head(record: bytes, name: str) -> _Head:
    compression, _, _, count, _, encryption = struct.unpack_from(">HHIHHH", record)
    if encryption:
        raise LoadError(f"{name} is copy-protected (DRM)", hint=_DRM)
    if compression not in (_NONE, _PALMDOC, _HUFFMAN):
        raise ValueError("the compression is unknown")
    if record[16:20] != b"MOBI":
        return _Head(compression, count, "cp1252", 0, 0, 0, (0, 0), {})
    length, _, encoding, _, version = struct.unpack_from(">5I", record, 20)
    codec = "utf-8" if encoding == _UTF8 else "cp1252"
    (flags,) = struct.unpack_from(">I", record, 128)
    trailing = struct.unpack_from(">H", record, 242)[0] if length >= 228 and len(record) >= 244 else 0
    name_start, name_length = struct.unpack_from(">II", record, 84)
    fields = {"title": record[name_start : name_start + min(name_length, 1000)].decode(codec, "replace")}
    if flags & 0x40:
        fields |= _metadata(record[16 + length :], codec)
    flows = struct.unpack_from(">I", record, 192)[0] if len(record) >= 196 else 0
    return _Head(compression, count, codec, trailing, version, flows, struct.unpack_from(">II", record, 112), fields)


def _metadata(data: bytes, codec: str) -> dict[str, str]:
    """Return the known fields of the EXTH header; several authors are joined."""
    found: dict[str, list[str]] = {}
    if data.startswith(b"EXTH"):
        (count,) = struct.unpack_from(">I", data, 8)
        at = 12
        for _ in range(min(count, 1000)):
            if at + 8 > len(data):
                break
            kind, length = struct.unpack_from(">II", data, at)
            if kind in _FIELDS:
                found.setdefault(_FIELDS[kind], []).append(data[at + 8 : at + length].decode(codec, "replace"))
            at += max(8, length)
    joined = {field: ", ".join(dict.fromkeys(values)) for field, values in found.items()}
    return {**joined, **({"date": joined["date"][:10]} if "date" in joined else {})}


def _text(records: Sequence[bytes], head: _Head, name: str) -> str:
    unpack = _unpacker(records, head)
    pieces = list[bytes]()
    size = 0
    for record in records[1 : head.count + 1]:
        pieces.append(unpack(_without_trailing(record, head.trailing)))
        size += len(pieces[-1])
        if size > 4 * MAX_CHARACTERS:
            raise too_long(name, MAX_CHARACTERS)
    start, end = _main_flow(records, head)
    return b"".join(pieces)[start:end].decode(head.encoding, "replace").replace("\x00", "")


def _main_flow(records: Sequence[bytes], head: _Head) -> tuple[int, int | None]:
    """Return where the text begins and ends; in version 8, style sheets and drawings come after it."""
    if head.version >= _VERSION_8 and head.flows < len(records) and records[head.flows].startswith(b"FDST"):
        start, end = struct.unpack_from(">II", records[head.flows], 12)
        return start, end
    return 0, None


def _unpacker(records: Sequence[bytes], head: _Head) -> Unpack:
    if head.compression == _HUFFMAN:
        first, count = head.huffman
        return huffman_unpacker(records[first : first + count])
    return unpack_palmdoc if head.compression == _PALMDOC else bytes


def _without_trailing(record: bytes, flags: int) -> bytes:
    """Return a record without the entries after its text: one for each flag, with its size at its end."""
    for bit in range(15, 0, -1):
        if flags >> bit & 1:
            size = 0
            for byte in record[-4:]:
                size = byte & 0x7F if byte & 0x80 else size << 7 | byte & 0x7F
            record = record[: max(0, len(record) - size)]
    if flags & 1 and record:
        record = record[: max(0, len(record) - (record[-1] & 3) - 1)]
    return record
