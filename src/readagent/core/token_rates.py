"""Estimate tokens from characters: rates for pairs of ASCII characters, for letters and for blocks of Unicode.

Runs of characters that no language has are counted apart; and a text has a fewest plausible number of tokens.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import chain
from pathlib import Path

_LONG = 40  # characters; hardly any word has so many letters
_OF_A_RUN = 0.5  # tokens for each character
_OF_A_RULER = 1 / 32
_OF_A_CHANGE = 0.5  # from one kind of white space to another
_SINGLES = 20  # letters or marks in a row, with white space between them
_FEWEST_OF_A_RUN = 1 / 10  # with the tokenizer that joins most; "xxxx" has one token for 8 characters
_FEWEST_OF_A_RULER = 1 / 128
_RULERS = frozenset("-=_*.#/+~")
_LETTERS = re.compile(rf"[A-Za-z]{{{_LONG},}}")
_MARKS = re.compile(rf"[!-/:-@\[-`{{-~]{{{_LONG},}}")
_SPACE = re.compile(rf"[ \t\n\r\f\v]{{{_LONG},}}")
_KINDS_OF_SPACE = re.compile(r" +|\t+|[\n\r\f\v]+")
_REPEATED = re.compile(rf"([\u0080-\u1fff])\1{{{_LONG - 1},}}|[\u0080-\u024f]{{{_LONG},}}")
_SINGLE = re.compile(rf"(?:(?<![!-~])[!-~][ \t\n\r\f\v]){{{_SINGLES},}}")


def _classes(letter: str, mark: str, digit: str) -> bytes:
    """Return a table that gives each byte its kind: white space is " ", and what is none of these is "?"."""
    kinds = {"letter": letter, "mark": mark, "digit": digit, "space": " "}
    return bytes(ord(kinds.get(_kind(chr(byte)), "?")) for byte in range(256))


def _kind(character: str) -> str:
    if not character.isascii():
        return ""
    if character in " \t\n\r\f\v":
        return "space"
    return "letter" if character.isalpha() else "digit" if character.isdigit() else "mark" * character.isprintable()


# What a text has if it has a run: searching its bytes for that is far quicker than searching for a pattern.
_EACH, _ANY = _classes("l", "m", "d"), _classes("a", "a", "a")
_SIGNS = ((_LONG * b"l", _LETTERS), (_LONG * b"m", _MARKS), (_LONG * b" ", _SPACE))


def runs_in(text: str) -> Iterator[tuple[str, float]]:
    """Yield the runs in a text, each with its least tokens."""
    data = text.encode("utf-8", "surrogatepass")
    kinds = data.translate(_EACH)
    for sign, pattern in _SIGNS:
        for found in pattern.finditer(text) if sign in kinds else ():
            run = found[0]
            ruler = run.isspace() or _RULERS.issuperset(run)
            least = (_OF_A_RULER if ruler else _OF_A_RUN) * len(run)
            yield run, max(least, _OF_A_CHANGE * _changes(run)) if run.isspace() else least
    for found in _SINGLE.finditer(text) if _SINGLES * b"a " in data.translate(_ANY) else ():
        yield found[0], len(found[0]) / 2
    for found in () if text.isascii() else _REPEATED.finditer(text):
        yield found[0], len(found[0])


def _changes(space: str) -> int:
    """Return how often white space changes from one kind to another."""
    return sum(1 for _ in _KINDS_OF_SPACE.finditer(space)) - 1


def without_runs(text: str) -> tuple[str, float]:
    """Return a text without its runs of letters, marks and white space, and the fewest tokens that these have."""
    fewest = 0.0
    for _, pattern in _SIGNS:
        for found in pattern.finditer(text):
            letters = found[0][0].isalpha()
            fewest += len(found[0]) * (_FEWEST_OF_A_RUN if letters else _FEWEST_OF_A_RULER)
        text = pattern.sub(" ", text)
    return text, fewest


DEFAULT = "default"  # the rates for models whose tokenizer is not known: those of the worst of four tokenizers
PAIR_UNIT = 0.01  # tokens
BLOCK_UNIT = 0.02  # tokens
_BLOCK_UNITS = 2  # of a pair
_CHEAP = 41  # units of a pair that counts as cheap
_CHEAP_RUN = 40  # cheap pairs in a row; hardly any sentence has so many
_CHEAP_RUNS = re.compile(b"\1{%d,}" % _CHEAP_RUN)
_PIECE = 16_384  # characters that are weighed at once; more do not fit the cache of a processor

# Classes of ASCII characters; 15 is any byte beyond ASCII. Letters are told apart by how common they are in English.
CLASSES = (
    "\n" + "".join(map(chr, (*range(9), *range(11, 32), 127))), " \t", "0123456789", "EIONSRLHDU", "ABCFGJKMPQTVWXYZ",
    "e", "aiou", "tnsr", "hldc", "mfpgbvyw", "jkqxz", ".,;:'\"!?-", "(){}[]<>", "_/\\=+*", "#$%&@^`|~",
)  # fmt: skip
_CLASS_KINDS = {2: "digits", **dict.fromkeys(range(3, 11), "words")}  # all others are marks

# Pages of letters and marks that many languages share, by their high byte in UTF-16: each letter has a rate, since rare
# ones tell which language it is.
PAGES = {0x00: "accents", 0x01: "accents", 0x04: "cyrillic", 0x06: "arabic", 0x20: "marks"}

# All other scripts: the high bytes of their characters, and the kinds that their tokens are counted as, each with the
# first of 16 blocks that it begins at. They fill sheets of up to 15 scripts, so that a byte can name a block.
Script = tuple[tuple[int, ...], dict[int, str]]
SHEETS: tuple[tuple[Script, ...], ...] = (
    (
        ((0x02,), {0: "accents"}), ((0x1E,), {0: "accents"}), ((0x03, 0x1F), {0: "greek"}),
        ((0x05,), {0: "armenian", 9: "hebrew"}), ((0x07, 0xFB, 0xFC, 0xFD), {0: "arabic"}),
        ((0x21,), {0: "marks"}), ((*range(0x22, 0x25), *range(0x28, 0x2D), 0x2E, 0x2F), {0: "symbols"}),
        ((0x25,), {0: "boxes"}),
        ((0x26, 0x27), {0: "emoji"}), (tuple(range(0x30, 0x34)), {0: "cjk"}), (tuple(range(0x34, 0xA0)), {0: "cjk"}),
        ((0x11, *range(0xAC, 0xD8)), {0: "hangul"}), (tuple(range(0xD8, 0xDC)), {0: "emoji"}),
    ),
    (
        ((0x09,), {0: "devanagari", 8: "bengali"}), ((0x0A,), {0: "gurmukhi", 8: "gujarati"}),
        ((0x0B,), {0: "odia", 8: "tamil"}), ((0x0C,), {0: "telugu", 8: "kannada"}),
        ((0x0D,), {0: "malayalam", 8: "sinhala"}), ((0x0E,), {0: "thai", 8: "lao"}), ((0x0F,), {0: "tibetan"}),
        ((0x10,), {0: "burmese", 10: "georgian"}), ((0x12,), {0: "ethiopic"}),
        (tuple(range(0x14, 0x17)), {0: "syllabics"}), ((0x17,), {0: "khmer"}), ((0x18,), {0: "mongolian"}),
        ((0xFE, 0xFF), {0: "cjk"}), (tuple(range(0xA0, 0xA5)), {0: "yi"}),
        ((0x08, 0x19, 0x1A, 0x1B, 0x1C, 0x1D, *range(0xA5, 0xAC), *range(0xE0, 0xFB)), {0: "other"}),
    ),
    (
        ((0x13,), {0: "ethiopic", 10: "syllabics"}), ((0x2D,), {0: "other", 8: "ethiopic"}),
        *(((page,), {0: "emoji"}) for page in range(0xDC, 0xE0)),
    ),
)  # fmt: skip
_SCRIPT_KINDS = (kind for one in SHEETS for _, kinds in one for kind in kinds.values())
KINDS = ("words", "digits", *dict.fromkeys((*PAGES.values(), *_SCRIPT_KINDS)))

_NAMES = (
    ("qwen", r"qwen|qwq|qvq"),
    ("llama3", r"llama[-_]?3|distill-llama"),
    ("o200k", r"gpt-?4o|gpt-4\.[1-9]|gpt-[5-9]|gpt-oss|\bo[1-9]\b|codex"),
    ("cl100k", r"gpt-?4|gpt-?3\.?5"),
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


_SECOND = _table(tuple(tuple(map(ord, group)) for group in CLASSES), 15, 1)
_FIRST = bytes(16 * number for number in _SECOND)
_SCRIPTS = tuple(_table(tuple(pages for pages, _ in sheet), 15, 16) for sheet in SHEETS)
_BLOCK = bytes(byte >> 4 for byte in range(256))
_OTHER_SCRIPTS = bytes(range(240, 256))
_OTHER_PAGES = {page: bytes(0 if byte == page else 255 for byte in range(256)) for page in PAGES}
_NO_LETTERS = {page: bytes([*range(0 if page else 128), 255]) for page in PAGES}


def pair_codes(text: str, before: str = "\n") -> bytes:
    """Return a byte for each byte of the text in UTF-8: the classes of the one before it and of itself.

    ``before`` is what precedes the text.
    """
    data = text.encode("utf-8", "surrogatepass")
    last = before.encode("utf-8", "surrogatepass")[-1]
    return _both(bytes([_FIRST[last]]) + data[:-1].translate(_FIRST), data.translate(_SECOND))


def code_units(text: str) -> tuple[bytes, bytes]:
    """Return the high bytes and the low bytes of a text in UTF-16."""
    data = text.encode("utf-16-le", "surrogatepass")
    return data[1::2], data[::2]


def letter_codes(high: bytes, low: bytes, page: int) -> bytes:
    """Return the low byte of each code unit that is on a page beyond ASCII, but for the last of the page."""
    return _both(high.translate(_OTHER_PAGES[page]), low).translate(None, _NO_LETTERS[page])


def block_codes(high: bytes, low: bytes, sheet: int) -> bytes:
    """Return a byte for each code unit that is on a sheet: its script and its block of 16 characters."""
    return _both(high.translate(_SCRIPTS[sheet]), low.translate(_BLOCK)).translate(None, _OTHER_SCRIPTS)


def _both(one: bytes, other: bytes) -> bytes:
    """Return the bits that are set in one or the other."""
    return (int.from_bytes(one, "little") | int.from_bytes(other, "little")).to_bytes(len(one), "little")


@dataclass(frozen=True, slots=True)
class Rates:
    """The rates of one tokenizer, for each code of a pair and, by page, of a letter and, by sheet, of a block."""

    pairs: bytes
    letters: tuple[bytes, ...]
    blocks: tuple[bytes, ...]

    def weigh(self, text: str) -> dict[str, float]:
        """Return the estimated tokens of a text by kind of character."""
        found = dict.fromkeys(KINDS, 0)
        for start in range(0, len(text), _PIECE):
            piece = text[start : start + _PIECE]
            codes = pair_codes(piece, text[start - 1] if start else "\n")
            for kind, others in _PAIRS_NOT_OF.items():
                found[kind] += sum(codes.translate(self.pairs, others))
            for kind, units in () if piece.isascii() else self._beyond_ascii(piece):
                found[kind] += _BLOCK_UNITS * units
            for run, least in runs_in(piece):
                units = sum(pair_codes(run, run[0]).translate(self.pairs))
                found["words"] += max(0, round(least / PAIR_UNIT) - units)
            found["words"] += self._of_cheap_words(piece, codes)
        return {kind: PAIR_UNIT * units for kind, units in found.items()}

    def _of_cheap_words(self, piece: str, codes: bytes) -> int:
        """Return what words in a row lack that have cheap pairs only, such as "the the the": a token for each word."""
        cheap = codes.translate(_cheap(self.pairs))
        if _CHEAP_RUN * b"\1" not in cheap:
            return 0
        data, lacking = piece.encode("utf-8", "surrogatepass"), 0
        for run in _CHEAP_RUNS.finditer(cheap):
            words = len(data[run.start() : run.end()].split())
            units = sum(codes[run.start() : run.end()].translate(self.pairs))
            lacking += max(0, round(words / PAIR_UNIT) - units)
        return lacking

    def _beyond_ascii(self, piece: str) -> Iterator[tuple[str, int]]:
        high, low = code_units(piece)
        for (page, kind), table in zip(PAGES.items(), self.letters, strict=True):
            if page in high:
                yield kind, sum(letter_codes(high, low, page).translate(table))
        for sheet, table in enumerate(self.blocks):
            codes = block_codes(high, low, sheet)
            for kind in {BLOCK_KINDS[sheet][code] for code in set(codes)}:
                yield kind, sum(codes.translate(table, _BLOCKS_NOT_OF[sheet][kind]))


@cache
def _cheap(pairs: bytes) -> bytes:
    """Return a table that tells which codes of pairs are cheap."""
    return bytes(rate <= _CHEAP for rate in pairs)


def _kinds(sheet: tuple[Script, ...]) -> tuple[str, ...]:
    """Return the kind of each code of a sheet."""
    begins = [kinds for _, kinds in sheet]
    return tuple(kinds[max(first for first in kinds if first <= block)] for kinds in begins for block in range(16))


def _not_of(kinds: tuple[str, ...]) -> dict[str, bytes]:
    return {kind: bytes(code for code, its in enumerate(kinds) if its != kind) for kind in dict.fromkeys(kinds)}


PAIR_KINDS = tuple(_CLASS_KINDS.get(code % 16, "marks") for code in range(256))
BLOCK_KINDS = tuple(map(_kinds, SHEETS))
_PAIRS_NOT_OF, _BLOCKS_NOT_OF = _not_of(PAIR_KINDS), tuple(map(_not_of, BLOCK_KINDS))


@cache
def rates(family: str) -> Rates:
    """Return the rates of a tokenizer; those of the default if there are none for it."""
    table = _shipped()
    found = table.get(family, table[DEFAULT])
    return Rates(bytes(chain(*found["pairs"])), _tables(found["letters"]), _tables(found["blocks"]))


FAMILIES = tuple(name for name, _ in _NAMES)


def _tables(rows: list[list[int]]) -> tuple[bytes, ...]:
    whole = bytes(chain(*rows))
    return tuple(whole[start : start + 256] for start in range(0, len(whole), 256))


@cache
def _shipped() -> dict[str, dict[str, list[list[int]]]]:
    file = Path(__file__).with_name("token_rates.json")
    families: dict[str, dict[str, list[list[int]]]] = json.loads(file.read_text("utf-8"))["families"]
    return families


_LOWEST = 0.7  # of an estimate for the right tokenizer; ordinary texts have more than this


def fewest_tokens(text: str, family: str = DEFAULT) -> int:
    """Return the fewest tokens that a text has with this tokenizer, or with any if it is not known which it is."""
    rest, fewest = without_runs(text)
    weighed = [rates(one).weigh(rest) for one in (FAMILIES if family == DEFAULT else (family,))]
    return int(fewest + _LOWEST * sum(min(one[kind] for one in weighed) for kind in weighed[0]))
