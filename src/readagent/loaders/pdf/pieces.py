"""From the characters of a PDF page to pieces: words with their positions, joined where they are close."""

from __future__ import annotations

import itertools
import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from readagent.loaders.pdf.layout.sheet import Piece, Sheet, Span
from readagent.loaders.pdf.pdfium import HYPHEN, Characters, Pdf, upright

_WORD = re.compile(f"[^\\s{HYPHEN}]+{HYPHEN}?")
_MARKED = re.compile(r"[\d*†‡§¶]")  # possible marks of notes
_SMALL_MARK = re.compile("[⁰¹²³⁴-⁹]+")
_RIGHT_TO_LEFT = re.compile("[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]")
_LAM = "\u0644"
_LAM_ALEF = dict(zip("\u0622\u0623\u0625\u0627", "\ufef5\ufef7\ufef9\ufefb", strict=True))  # alef: both as one letter
_ONE_GLYPH = re.compile(f"{_LAM}[{''.join(_LAM_ALEF)}]|[{''.join(_LAM_ALEF)}]{_LAM}")
_TWO_LETTERS = {ord(one): _LAM + alef for alef, one in _LAM_ALEF.items()}
_LIGATURES = {0xFB00: "ff", 0xFB01: "fi", 0xFB02: "fl", 0xFB03: "ffi", 0xFB04: "ffl", 0xFB05: "st", 0xFB06: "st"}
_BULLETS = dict.fromkeys((0xF0B7, 0xF0A7, 0xF0A8, 0xF06E, 0xF076, 0xF0D8, 0xF0FC), "•")  # of symbol fonts
_INVISIBLE = dict.fromkeys([*range(32), 0x7F, 0x200B, 0x2060, 0xFEFF, 0xFFFD, 0xFFFF])
_CLEAN = _LIGATURES | _BULLETS | _INVISIBLE | _TWO_LETTERS | {ord(HYPHEN): "-"}
_ACCENTS = dict(zip("`´¨ˆ˜ˇ˘˙˚¯˝", "\u0300\u0301\u0308\u0302\u0303\u030c\u0306\u0307\u030a\u0304\u030b", strict=True))
_ACCENTED = re.compile(f"([{''.join(_ACCENTS)}]) ?([^\\W\\d_])")
_BOLD = re.compile(r"(?i)bold|black|heavy|semibd|demi(?!o)|-bd\b|\bcmb|\bsfbx|\bnimbus\w*-medi")
_MONO = re.compile(r"(?i)^mono |mono\b|monl\b|courier|consol|typewriter|\b(?:cm|sf)tt|menlo")
_MAX_COORDINATE = 1e6  # points; nothing is visible beyond
_MIN_SPACE = 0.14  # times the height of a line: a narrower gap is none between words
_MAX_GAP = 0.8  # times the font size, between the words of a piece
_MIN_ROTATED = 300  # characters; less rotated text is an axis label or a stamp
_MIN_SHARE = 0.5  # of the characters of the main direction; so much rotated text is none of them


class _Word(NamedTuple):
    """A word, or a part of it in one style; ``glued`` if it follows the one before without a space."""

    text: str
    left: float
    right: float
    base: float
    size: float
    first: int
    last: int
    glued: bool = False
    raised: bool = False


def sheets_of(characters: Characters, number: int) -> list[Sheet]:
    """Return the text of a page. A larger amount of rotated text becomes a sheet of its own, a small one is dropped."""
    rotated: defaultdict[int, list[_Word]] = defaultdict(list)
    for rotation, word in _words(characters):
        if word.text:
            rotated[rotation].append(word)
    rotated.pop(-1, None)  # slanted
    weight = {rotation: sum(len(word.text) for word in words) for rotation, words in rotated.items()}
    ranked = sorted(weight, key=lambda rotation: -weight[rotation])
    backwards = 2 * len(_RIGHT_TO_LEFT.findall(characters.text)) > sum(map(str.isalpha, characters.text))
    sheets = []
    for rotation in ranked:
        if weight[rotation] >= min(_MIN_ROTATED, _MIN_SHARE * weight[ranked[0]]):
            left, bottom, right, top = characters.bounds
            width, height = (right - left, top - bottom) if rotation % 2 == 0 else (top - bottom, right - left)
            words = [_mirrored(word, width) for word in rotated[rotation]] if backwards else rotated[rotation]
            pieces = _pieces(words, characters, width, height)
            sheets.append(Sheet(number, width, height, pieces))
    return sheets


def _mirrored(word: _Word, width: float) -> _Word:
    """Mirror right-to-left text, so that the layout code can assume left to right."""
    return word._replace(left=width - word.right, right=width - word.left)


def _words(characters: Characters) -> Iterator[tuple[int, _Word]]:
    """Yield the words of a page with their rotation, in the order of the file."""
    bounds = characters.bounds
    spans: Iterator[Span] = ((match.start(), match.end()) for match in _WORD.finditer(characters.text))
    if characters.mixes_spaces():
        spans = (part for span in spans for part in _split_at_gaps(span, characters))
    for first, end_of_word in spans:
        last = end_of_word - 1
        box = characters.box(first)
        style = characters.style(first, box)
        size, rotation = style.size, style.rotation
        end = characters.box(last)
        if not (0 < size < 2000 and abs(sum(box)) < _MAX_COORDINATE and abs(sum(end)) < _MAX_COORDINATE):
            continue
        first_box, last_box = upright(box, rotation, bounds), upright(end, rotation, bounds)
        if abs(first_box[1] - last_box[1]) + abs(first_box[3] - last_box[3]) > 0.2 * size or _MARKED.search(
            characters.text, first, end_of_word
        ):
            yield from _by_character(characters, first, last)
            continue
        text = _letters(characters, first, last, rotation)
        if text[:1] == text[1:2]:
            text = _without_doubles(text, characters, first)
        if not (text.isascii() and text.isprintable()):
            text = text.translate(_CLEAN)
        if text:
            left, right = min(first_box[0], last_box[0]), max(first_box[2], last_box[2])
            yield rotation, _Word(text, left, right, _base(characters, first, rotation), size, first, last)


def _split_at_gaps(span: Span, characters: Characters) -> Iterator[Span]:
    """Yield the parts of a word between gaps as wide as a space; letters that are all spaced out stay together."""
    start, end = span
    boxes = [characters.box(index) for index in range(start, end)]
    height = max(box[3] - box[1] for box in boxes)  # about the font size
    wide = [
        start + number
        for number, (before, box) in enumerate(itertools.pairwise(boxes), 1)
        if _MIN_SPACE * height < box[0] - before[2] < height and abs(box[1] - before[1]) < 0.2 * height
    ]
    if len(wide) > 0.4 * (end - start):
        wide = []
    yield from itertools.pairwise((start, *wide, end))


def _by_character(characters: Characters, first: int, last: int) -> Iterator[tuple[int, _Word]]:
    """Yield the parts of a word that have one style."""
    part: _Word | None = None
    last_rotation = 0
    for index in range(first, last + 1):
        if characters.text[index] == " ":  # between letters that are spaced out
            continue
        box = characters.box(index)
        style = characters.style(index, box)
        size, rotation = style.size, style.rotation
        left, _, right, _ = upright(box, rotation, characters.bounds)
        base = _base(characters, index, rotation)
        raised = rotation == 0 and _is_raised(characters, index, size)
        alike = part and rotation == last_rotation and raised == part.raised
        if part and alike and abs(base - part.base) + abs(size - part.size) < 0.1 * part.size:
            part = part._replace(left=min(left, part.left), right=max(right, part.right), last=index)
            continue
        if part:
            yield last_rotation, _worded(part, characters, last_rotation)
        glued = part is not None and rotation == last_rotation
        part, last_rotation = _Word(" ", left, right, base, size, index, index, glued, raised), rotation
    if part:
        yield last_rotation, _worded(part, characters, last_rotation)


def _worded(part: _Word, characters: Characters, rotation: int) -> _Word:
    return part._replace(text=_letters(characters, part.first, part.last, rotation).translate(_CLEAN))


def _letters(characters: Characters, first: int, last: int, rotation: int) -> str:
    """Return the letters of a word; Arabic and Hebrew in visual order are reversed."""
    text = characters.text[first : last + 1]
    if not text.isascii() and _RIGHT_TO_LEFT.search(text):

        def left(at: int) -> float:
            return upright(characters.box(first + at), rotation, characters.bounds)[0]

        letters = [at for at, one in enumerate(text) if one.isalpha()] or [0]
        text, start, end = _with_lam_alef(text, characters, first), letters[0], letters[-1]
        if _RIGHT_TO_LEFT.match(text) and _RIGHT_TO_LEFT.match(text[-1:]) and left(len(text) - 1) > left(0):
            text = text[::-1]
        elif left(end) > left(start):  # only the letters, not the comma after them
            text = text[:start] + text[start : end + 1][::-1] + text[end + 1 :]
    return text.replace(" ", "")


def _with_lam_alef(text: str, characters: Characters, first: int) -> str:
    """Return a word of the same length in which lam and alef are one character if they are one glyph, in any order."""
    for found in _ONE_GLYPH.finditer(text):
        at = found.start()
        if characters.box(first + at) == characters.box(first + at + 1):
            text = f"{text[:at]}{_LAM_ALEF[found[0].strip(_LAM)]} {text[at + 2 :]}"
    return text


def _is_raised(characters: Characters, index: int, size: float) -> bool:
    """Whether a digit or mark is drawn small above the baseline, although its font size is normal."""
    if not _MARKED.match(characters.text[index]):
        return False
    return characters.ink(index)[1] - characters.origin(index)[1] > 0.2 * size


def _without_doubles(text: str, characters: Characters, first: int) -> str:
    """Return a word once whose letters are all drawn twice to look bold."""
    if len(text) % 2 or text[::2] != text[1::2]:
        return text
    left, _, right, _ = characters.box(first)
    return text[::2] if abs(characters.box(first + 1)[0] - left) < 0.3 * (right - left) else text


def _base(characters: Characters, index: int, rotation: int) -> float:
    x, y = characters.origin(index)
    return upright((x, y, x, y), rotation, characters.bounds)[1]


@dataclass(slots=True)
class _PieceBuilder:
    """A piece under construction."""

    words: list[_Word]
    right: float
    base: float
    size: float
    letters: int = 0

    def accepts(self, word: _Word) -> bool:
        """Whether a word is right of these, close enough, and on their line."""
        size = max(self.size, word.size)
        if not -0.3 * size <= word.left - self.right <= _MAX_GAP * size:
            return False
        distance = abs(word.base - self.base)
        alike = min(self.size, word.size) > 0.85 * size
        return distance <= (0.12 if alike else 0.55) * size

    def add(self, word: _Word) -> None:
        """Append a word; the larger type determines the baseline."""
        self.words.append(word)
        self.right = max(self.right, word.right)
        self.letters += len(word.text)
        if word.size > 1.1 * self.size and self.letters < 8:
            self.base, self.size = word.base, word.size


def _pieces(words: Sequence[_Word], characters: Characters, width: float, height: float) -> tuple[Piece, ...]:
    pieces: list[Piece] = []
    builder: _PieceBuilder | None = None
    for word in words:
        if builder and builder.accepts(word):
            builder.add(word)
            continue
        if builder:
            pieces.append(_piece(builder, characters, len(pieces)))
        builder = _PieceBuilder([word], word.right, word.base, word.size, len(word.text))
    if builder:
        pieces.append(_piece(builder, characters, len(pieces)))
    seen = [piece for piece in pieces if -2 < piece.left < width and 0 < piece.base < height + 2 and piece.right > 0]
    return tuple(_without_repeats(seen or pieces))


def _piece(builder: _PieceBuilder, characters: Characters, order: int) -> Piece:
    words = builder.words
    sizes: Counter[tuple[float, float]] = Counter()
    for word in words:
        sizes[word.size, word.base] += len(word.text)
    size, base = max(sizes, key=sizes.__getitem__)
    text, raised = "", list[Span]()
    end = words[0].left
    for word in words:
        higher = word.raised or (word.size < 0.85 * size and base - word.base > 0.15 * size)
        higher = higher or bool(_SMALL_MARK.fullmatch(word.text))
        tight = higher or word.text[0] in _ACCENTS or (word.text in ("-", "‐") and word is words[-1])
        if text and not (word.glued or (tight and word.left - end < 0.2 * size)):
            text += " "
        if higher:
            raised.append((len(text), len(text) + len(word.text)))
        text += word.text
        end = word.right
    fonts = (characters.font(words[0].first), characters.font(words[-1].last))
    bold, mono = (all(map(kind.search, fonts)) for kind in (_BOLD, _MONO))
    left, right = min(word.left for word in words), builder.right
    if not raised:
        text = _ACCENTED.sub(_composed, text)
    return Piece(text, left, right, base, size, bold, mono, tuple(raised), order)


def _composed(match: re.Match[str]) -> str:
    """Combine an accent and the letter it is drawn over."""
    letter = match[2].replace("ı", "i").replace("ȷ", "j")
    combined = unicodedata.normalize("NFC", letter + _ACCENTS[match[1]])
    return combined if len(combined) == 1 else match[0]


def _without_repeats(pieces: list[Piece]) -> Iterator[Piece]:
    """Yield the pieces without those drawn again at the same position, as a shadow or to look bold."""
    drawn: defaultdict[str, list[Piece]] = defaultdict(list)
    for piece in pieces:
        near = 0.3 * piece.size
        before = drawn[piece.text][-8:]
        if not any(abs(piece.left - other.left) < near and abs(piece.base - other.base) < near for other in before):
            drawn[piece.text].append(piece)
            yield piece


_COMMON_WORDS = re.compile(
    r"(?<![^\W\d_])(?:the|and|for|with|that|this|der|die|und|den|das|mit|les|des|est|pour|dans|que|los|las|con|para|del|che"
    r"|non|per|een|het|van|och|att|som|nie|jest)(?![^\W\d_])"
)
_MIN_COMMON = 0.015  # of the words; a manual with many tables has two per cent
_PAGES = 12  # that are looked at


def reads_like_text(pdf: Pdf) -> bool:
    """Whether a sample of the pages has common words of a language."""
    words = common = 0
    for number in range(0, pdf.pages, pdf.pages // _PAGES + 1):
        with pdf.page(number) as page:
            text = page.text.casefold() if page else ""
        words += len(text.split())
        common += len(_COMMON_WORDS.findall(text))
    return common > 0 and common >= _MIN_COMMON * words
