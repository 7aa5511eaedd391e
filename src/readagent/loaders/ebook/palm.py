"""The records of a Palm database, and the compressions of the texts in it (PalmDOC and HUFF/CDIC)."""

from __future__ import annotations

import struct
from collections.abc import Callable, Sequence

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
