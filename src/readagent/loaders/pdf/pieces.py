"""From a PDF page's characters to pieces of print: words with their places, put together where they stand together."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from readagent.loaders.pdf.layout.page import Piece, Sheet, Span
from readagent.loaders.pdf.pdfium import HYPHEN, Box, Characters

_WORD = re.compile(f"[^\\s{HYPHEN}]+{HYPHEN}?")
_MARKED = re.compile(r"[\d*†‡§¶]")  # what may be the mark of a note
_SMALL_MARK = re.compile("[⁰¹²³⁴-⁹]+")
_RIGHT_TO_LEFT = re.compile("[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]")
_LIGATURES = {0xFB00: "ff", 0xFB01: "fi", 0xFB02: "fl", 0xFB03: "ffi", 0xFB04: "ffl", 0xFB05: "st", 0xFB06: "st"}
_BULLETS = dict.fromkeys((0xF0B7, 0xF0A7, 0xF0A8, 0xF06E, 0xF076, 0xF0D8, 0xF0FC), "•")  # of symbol fonts
_UNREAD = dict.fromkeys([*range(32), 0x7F, 0x200B, 0x2060, 0xFEFF, 0xFFFD, 0xFFFF])
_CLEAN = _LIGATURES | _BULLETS | _UNREAD | {ord(HYPHEN): "-"}
_ACCENTS = dict(zip("`´¨ˆ˜ˇ˘˙˚¯˝", "\u0300\u0301\u0308\u0302\u0303\u030c\u0306\u0307\u030a\u0304\u030b", strict=True))
_ACCENTED = re.compile(f"([{''.join(_ACCENTS)}]) ?([^\\W\\d_])")
_BOLD = re.compile(r"(?i)bold|black|heavy|semibd|demi(?!o)|-bd\b|\bcmb|\bsfbx|\bnimbus\w*-medi")
_MONO = re.compile(r"(?i)^mono |mono\b|monl\b|courier|consol|typewriter|\b(?:cm|sf)tt|menlo")
_FAR = 1e6  # points; nothing is printed there
_WIDE = 0.8  # of the type size: a gap that ends a piece
_TURNED_TEXT = 300  # characters; less of it is an axis or a stamp in the margin


class _Word(NamedTuple):
    """A word, or what of it is set alike; ``glued`` where it follows the one before without a space."""

    text: str
    left: float
    right: float
    base: float
    size: float
    first: int
    last: int
    glued: bool = False
    raised: bool = False


def sheets_of(characters: Characters, number: int, place: str) -> list[Sheet]:
    """What is printed on a page. Lines turned sideways are a sheet of their own where they are many, else left out."""
    turned: defaultdict[int, list[_Word]] = defaultdict(list)
    for turn, word in _words(characters):
        if word.text:
            turned[turn].append(word)
    turned.pop(-1, None)  # aslant
    weight = {turn: sum(len(word.text) for word in words) for turn, words in turned.items()}
    ranked = sorted(weight, key=lambda turn: -weight[turn])
    backwards = 2 * len(_RIGHT_TO_LEFT.findall(characters.text)) > sum(map(str.isalpha, characters.text))
    sheets = []
    for turn in ranked:
        if turn == ranked[0] or weight[turn] >= _TURNED_TEXT:
            left, bottom, right, top = characters.bounds
            width, height = (right - left, top - bottom) if turn % 2 == 0 else (top - bottom, right - left)
            words = [_mirrored(word, width) for word in turned[turn]] if backwards else turned[turn]
            sheets.append(Sheet(number, place, width, height, _pieces(words, characters, width, height)))
    return sheets


def _mirrored(word: _Word, width: float) -> _Word:
    """Text that runs from right to left is read in a mirror, so that everything else may run from left to right."""
    return word._replace(left=width - word.right, right=width - word.left)


def _words(characters: Characters) -> Iterator[tuple[int, _Word]]:
    """The words of a page with the quarters by which their lines are turned, in the order of the file."""
    bounds = characters.bounds
    for match in _WORD.finditer(characters.text):
        text, first, last = match.group(), match.start(), match.end() - 1
        box = characters.box(first)
        style = characters.style(first, box)
        size, turn = style.size, style.turn
        end = characters.box(last)
        if not (0 < size < 2000 and abs(sum(box)) < _FAR and abs(sum(end)) < _FAR):
            continue
        begun, ended = _seen(box, turn, bounds), _seen(end, turn, bounds)
        if abs(begun[1] - ended[1]) + abs(begun[3] - ended[3]) > 0.2 * size or _MARKED.search(text):
            yield from _by_character(characters, first, last)
            continue
        if text[:1] == text[1:2]:
            text = _once_said(text, characters, first)
        if not (text.isascii() and text.isprintable()):
            text = _cleaned(text, backwards=ended[0] > begun[0])
        if text:
            left, right = min(begun[0], ended[0]), max(begun[2], ended[2])
            yield turn, _Word(text, left, right, _base(characters, first, turn), size, first, last)


def _by_character(characters: Characters, first: int, last: int) -> Iterator[tuple[int, _Word]]:
    """The parts of a word that are set alike, one after the other."""
    part: _Word | None = None
    turn_before = 0
    for index in range(first, last + 1):
        box = characters.box(index)
        style = characters.style(index, box)
        size, turn = style.size, style.turn
        left, _, right, _ = _seen(box, turn, characters.bounds)
        base = _base(characters, index, turn)
        raised = turn == 0 and _is_raised(characters, index, size)
        alike = part and turn == turn_before and raised == part.raised
        if part and alike and abs(base - part.base) + abs(size - part.size) < 0.1 * part.size:
            part = part._replace(left=min(left, part.left), right=max(right, part.right), last=index)
            continue
        if part:
            yield turn_before, _worded(part, characters)
        glued = part is not None and turn == turn_before
        part, turn_before = _Word(" ", left, right, base, size, index, index, glued, raised), turn
    if part:
        yield turn_before, _worded(part, characters)


def _worded(part: _Word, characters: Characters) -> _Word:
    backwards = characters.box(part.last)[0] > characters.box(part.first)[0]
    return part._replace(text=_cleaned(characters.text[part.first : part.last + 1], backwards=backwards))


def _cleaned(text: str, *, backwards: bool) -> str:
    """A word without what nobody reads; Arabic and Hebrew told in the order in which they are seen are turned round."""
    text = text.translate(_CLEAN)
    turned = backwards and _RIGHT_TO_LEFT.match(text) and _RIGHT_TO_LEFT.match(text[-1:])
    return text[::-1] if turned else text


def _is_raised(characters: Characters, index: int, size: float) -> bool:
    """Whether a digit or a mark stands above the baseline, drawn small without being of a smaller size."""
    if not _MARKED.match(characters.text[index]):
        return False
    return characters.ink(index)[1] - characters.origin(index)[1] > 0.2 * size


def _once_said(text: str, characters: Characters, first: int) -> str:
    """A word of which every letter is drawn twice, for boldness, said once."""
    if len(text) % 2 or text[::2] != text[1::2]:
        return text
    left, _, right, _ = characters.box(first)
    return text[::2] if abs(characters.box(first + 1)[0] - left) < 0.3 * (right - left) else text


def _seen(box: Box, turn: int, bounds: Box) -> Box:
    """A box as it is seen when the page is turned so that its text is upright: left, top, right, bottom."""
    left, bottom, right, top = box
    west, south, east, north = bounds
    if turn == 1:
        return bottom - south, left - west, top - south, right - west
    if turn == 2:
        return east - right, bottom - south, east - left, top - south
    if turn == 3:
        return north - top, east - right, north - bottom, east - left
    return left - west, north - top, right - west, north - bottom


def _base(characters: Characters, index: int, turn: int) -> float:
    x, y = characters.origin(index)
    return _seen((x, y, x, y), turn, characters.bounds)[1]


@dataclass(slots=True)
class _Growing:
    """A piece that is being put together."""

    words: list[_Word]
    right: float
    base: float
    size: float
    letters: int = 0

    def takes(self, word: _Word) -> bool:
        """Whether a word stands right of these, close enough, and on their line."""
        size = max(self.size, word.size)
        if not -0.3 * size <= word.left - self.right <= _WIDE * size:
            return False
        apart = abs(word.base - self.base)
        alike = min(self.size, word.size) > 0.85 * size
        return apart <= (0.12 if alike else 0.55) * size

    def add(self, word: _Word) -> None:
        """Put a word at the end; the line is that of the larger type."""
        self.words.append(word)
        self.right = max(self.right, word.right)
        self.letters += len(word.text)
        if word.size > 1.1 * self.size and self.letters < 8:
            self.base, self.size = word.base, word.size


def _pieces(words: Sequence[_Word], characters: Characters, width: float, height: float) -> tuple[Piece, ...]:
    pieces: list[Piece] = []
    growing: _Growing | None = None
    for word in words:
        if growing and growing.takes(word):
            growing.add(word)
            continue
        if growing:
            pieces.append(_finished(growing, characters, len(pieces)))
        growing = _Growing([word], word.right, word.base, word.size, len(word.text))
    if growing:
        pieces.append(_finished(growing, characters, len(pieces)))
    seen = [piece for piece in pieces if -2 < piece.left < width and 0 < piece.base < height + 2 and piece.right > 0]
    return tuple(_once(seen or pieces))


def _finished(growing: _Growing, characters: Characters, order: int) -> Piece:
    words = growing.words
    sizes: Counter[tuple[float, float]] = Counter()
    for word in words:
        sizes[word.size, word.base] += len(word.text)
    size, base = max(sizes, key=sizes.__getitem__)
    text, raised = "", list[Span]()
    end = words[0].left
    for word in words:
        higher = word.raised or (word.size < 0.85 * size and base - word.base > 0.15 * size)
        higher = higher or bool(_SMALL_MARK.fullmatch(word.text))
        loose = higher or word.text[0] in _ACCENTS or (word.text in ("-", "‐") and word is words[-1])
        if text and not (word.glued or (loose and word.left - end < 0.2 * size)):
            text += " "
        if higher:
            raised.append((len(text), len(text) + len(word.text)))
        text += word.text
        end = word.right
    fonts = (characters.font(words[0].first), characters.font(words[-1].last))
    bold, mono = (all(map(kind.search, fonts)) for kind in (_BOLD, _MONO))
    left, right = min(word.left for word in words), growing.right
    if not raised:
        text = _ACCENTED.sub(_composed, text)
    return Piece(text, left, right, base, size, bold, mono, tuple(raised), order)


def _composed(match: re.Match[str]) -> str:
    """An accent and the letter over which it is drawn, as one letter."""
    letter = match[2].replace("ı", "i").replace("ȷ", "j")
    whole = unicodedata.normalize("NFC", letter + _ACCENTS[match[1]])
    return whole if len(whole) == 1 else match[0]


def _once(pieces: list[Piece]) -> Iterator[Piece]:
    """Pieces less those drawn a second time at the same place, as a shadow or for boldness."""
    drawn: defaultdict[str, list[Piece]] = defaultdict(list)
    for piece in pieces:
        near = 0.3 * piece.size
        before = drawn[piece.text][-8:]
        if not any(abs(piece.left - other.left) < near and abs(piece.base - other.base) < near for other in before):
            drawn[piece.text].append(piece)
            yield piece
