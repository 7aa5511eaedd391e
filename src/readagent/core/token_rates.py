"""Estimate tokens from characters: rates for pairs of ASCII characters and for blocks of Unicode, by tokenizer.

A text is weighed with a few passes over its bytes. Every rate is zero or more, so a longer text never weighs less, and
the weight of two texts together is the sum of both. ``benchmarks/tokens_fit.py`` fits ``token_rates.json`` to real
tokenizers.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from functools import cache
from itertools import chain
from pathlib import Path

DEFAULT = "default"  # the rates for models whose tokenizer is not known: those of the worst of four tokenizers
PAIR_UNIT = 0.01  # tokens
BLOCK_UNIT = 0.02  # tokens
_BLOCK_UNITS = 2  # of a pair
_PIECE = 16_384  # characters that are weighed at once; more do not fit the cache of a processor

# Classes of ASCII characters; 15 is any byte beyond ASCII. Letters are told apart by how common they are in English.
CLASSES = (
    "\r\n\0", " \t", "0123456789", "ABCDEFGHIJKLMNOPQRSTUVWXYZ", "e", "aiou", "tnsr", "hldc", "mfpgbvyw", "jkqxz",
    ".,;:'\"!?-", "(){}[]<>", "_/\\=+*", "#$%&@^`|~",
)  # fmt: skip
_CLASS_KINDS = {2: "digits", **dict.fromkeys(range(3, 10), "words")}  # all others are marks

# Scripts by the high byte of a character in UTF-16, with the kind that their tokens are counted as; 15 is the rest.
SCRIPTS: tuple[tuple[str, tuple[int, ...]], ...] = (
    ("accents", (0x00,)), ("accents", (0x01, 0x02)), ("greek", (0x03, 0x1F)), ("cyrillic", (0x04,)),
    ("hebrew", (0x05,)), ("arabic", (0x06, 0x07, 0xFB, 0xFC, 0xFD)), ("indic", tuple(range(0x08, 0x0E))),
    ("thai", (0x0E, 0x0F)), ("marks", tuple(range(0x20, 0x30))), ("cjk", tuple(range(0x30, 0x34))),
    ("cjk", tuple(range(0x34, 0xA0))), ("accents", (0x1E,)), ("hangul", (0x11, *range(0xA9, 0xD8))),
    ("cjk", (0xFE, 0xFF)), ("emoji", tuple(range(0xD8, 0xE0))), ("other", ()),
)  # fmt: skip
KINDS = ("words", "digits", *dict.fromkeys(kind for kind, _ in SCRIPTS))

_NAMES = (
    ("qwen", r"qwen|qwq|qvq"),
    ("llama3", r"llama-?3"),
    ("o200k", r"gpt-?4o|gpt-4\.[1-9]|gpt-[5-9]|gpt-oss|\bo[1-9]\b|codex"),
    ("cl100k", r"gpt-?4|gpt-?3\.5"),
    ("deepseek", r"deepseek"),
    ("mistral", r"mistral-(?:nemo|small|medium)|ministral|pixtral|devstral|magistral"),
    ("gemma", r"gemma-?3|gemini"),
)


def family_of(model: str) -> str:
    """Return the tokenizer that a model of this name uses, or the default if that is not known."""
    return next((family for family, names in _NAMES if re.search(names, model, re.I)), DEFAULT)


def _table(groups: tuple[tuple[int, ...], ...], rest: int, scale: int) -> bytes:
    numbers = {byte: number for number, group in enumerate(groups) for byte in group}
    return bytes(numbers.get(byte, rest) * scale for byte in range(256))


_ASCII = tuple(tuple(map(ord, group)) for group in CLASSES)
_OTHER_ASCII = tuple(sorted(set(range(128)) - {byte for group in _ASCII for byte in group}))
_SECOND = _table((*_ASCII, _OTHER_ASCII), 15, 1)
_FIRST = bytes(16 * number for number in _SECOND)
_SCRIPT = _table(tuple(pages for _, pages in SCRIPTS), 15, 16)
_BLOCK = bytes(byte >> 4 for byte in range(256))


def pair_codes(text: str, before: str = "\n") -> bytes:
    """Return a byte for each byte of the text in UTF-8: the classes of the one before it and of itself.

    ``before`` is what precedes the text.
    """
    data = text.encode("utf-8", "surrogatepass")
    last = before.encode("utf-8", "surrogatepass")[-1]
    first = int.from_bytes(data[:-1].translate(_FIRST), "little") << 8 | _FIRST[last]
    return (first | int.from_bytes(data.translate(_SECOND), "little")).to_bytes(len(data), "little")


def block_codes(text: str) -> bytes:
    """Return a byte for each code unit of the text in UTF-16: its script, and its block of 16 characters there."""
    data = text.encode("utf-16-le", "surrogatepass")
    script = int.from_bytes(data[1::2].translate(_SCRIPT), "little")
    block = int.from_bytes(data[::2].translate(_BLOCK), "little")
    return (script | block).to_bytes(len(data) // 2, "little")


@dataclass(frozen=True, slots=True)
class Rates:
    """The rates of one tokenizer, for each code of a pair and of a block, in their units."""

    pairs: bytes
    blocks: bytes

    def weigh(self, text: str) -> dict[str, float]:
        """Return the estimated tokens of a text by kind of character."""
        found = dict.fromkeys(KINDS, 0)
        for start in range(0, len(text), _PIECE):
            piece = text[start : start + _PIECE]
            codes = pair_codes(piece, text[start - 1] if start else "\n")
            for kind, others in _PAIRS_NOT_OF.items():
                found[kind] += sum(codes.translate(self.pairs, others))
            if not piece.isascii():
                codes = block_codes(piece).translate(None, _ASCII_BLOCKS)
                for kind, others in _BLOCKS_NOT_OF.items():
                    found[kind] += _BLOCK_UNITS * sum(codes.translate(self.blocks, others))
        return {kind: PAIR_UNIT * units for kind, units in found.items()}


_ASCII_BLOCKS = bytes(range(8))
_PAIR_KINDS = tuple(_CLASS_KINDS.get(code % 16, "marks") for code in range(256))
_BLOCK_KINDS = tuple(SCRIPTS[code // 16][0] for code in range(256))


def _not_of(kinds: tuple[str, ...]) -> dict[str, bytes]:
    return {kind: bytes(code for code in range(256) if kinds[code] != kind) for kind in dict.fromkeys(kinds)}


_PAIRS_NOT_OF, _BLOCKS_NOT_OF = _not_of(_PAIR_KINDS), _not_of(_BLOCK_KINDS)


@cache
def rates(family: str) -> Rates:
    """Return the rates of a tokenizer; those of the default if there are none for it."""
    table = _shipped()
    found = table.get(family, table[DEFAULT])
    return Rates(bytes(chain(*found["pairs"])), bytes(chain(*found["blocks"])))


@cache
def _shipped() -> dict[str, dict[str, list[list[int]]]]:
    file = Path(__file__).with_name("token_rates.json")
    families: dict[str, dict[str, list[list[int]]]] = json.loads(file.read_text("utf-8"))["families"]
    return families
