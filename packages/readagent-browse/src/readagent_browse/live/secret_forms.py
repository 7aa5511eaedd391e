"""SecretForms: where a text contains a secret, also in another spelling or encoding.

The text is decoded (percent signs, HTML entities, backslash escapes, up to three times; escapes of CSS and of
quoted-printable), folded (case, compatibility forms such as full-width letters, invisible characters), and read without
what stands between letters. What is found in these is mapped back to the text.
"""

from __future__ import annotations

import re
from base64 import b32encode, b64encode, urlsafe_b64encode
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from html import escape, unescape
from json import dumps
from unicodedata import normalize
from urllib.parse import quote, quote_plus, unquote

MIN_LENGTH = 4  # characters; shorter texts also occur in a page for other reasons
_ROUNDS = 3  # of decoding
_MIN_SPREAD = 6  # characters of secrets that are also found in several pieces; "1 2 3 4" occurs for other reasons
_MIN_LETTERS = 6  # of secrets that are also found with anything but letters and digits in between
_MIN_ENCODED = 8  # characters of encoded secrets that are also found with white space in between
_HEX = "[0-9a-fA-F]"
_NEXT = "%[89abAB]" + _HEX  # a byte that continues a character
_ENCODED = re.compile(
    rf"%[0-7]{_HEX}|%[cdCD]{_HEX}{_NEXT}|%[eE]{_HEX}(?:{_NEXT}){{2}}|%[fF][0-7](?:{_NEXT}){{3}}"
    rf"|&(?:\#[0-9]{{1,7}}|\#[xX]{_HEX}{{1,6}}|[A-Za-z]{{2,8}});?"
    rf"|\\(?:u[dD][89abAB]{_HEX}{{2}}\\u[dD][c-fC-F]{_HEX}{{2}}|u{_HEX}{{4}}|u\{{{_HEX}{{1,6}}\}}|x{_HEX}{{2}}"
    rf"|[0-3][0-7]{{2}}|[0-7]{{1,2}}|[\"'/\\bfnrt])"
)
_CSS = re.compile(rf"\\({_HEX}{{1,6}})\s?")
_QUOTED_PRINTABLE = re.compile(rf"=({_HEX}{{2}})")
_BETWEEN = re.compile(r"[\W_]+")
_SPACE = re.compile(r"\s+")
TAG = re.compile(r"<[^>]*>")
_IN_LINE = re.compile(
    r"</?(?:a|abbr|b|bdi|bdo|big|br|cite|code|data|del|dfn|em|font|i|ins|kbd|label|mark|q|r[bpt]|rtc|ruby|s|samp|slot|small"
    r"|span|strike|strong|su[bp]|time|tt|u|var|wbr|[a-z]+-[\w-]*)[\s/>]"
)
_SIMPLE = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}
_INVISIBLE = "\u00ad\u034f\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff"
_FOLDED = re.compile(rf"[{_INVISIBLE}]+|\s{{2,}}|[^\S ]|[^\x00-\x7f]")
_LOWER = {code: code + 32 for code in range(ord("A"), ord("Z") + 1)}


@dataclass(slots=True)
class _View:
    """A text that was made from another one; ``edits`` are the places that changed, as (start, end) in both."""

    text: str
    of: _View | None = None
    edits: list[tuple[int, int, int, int]] = field(default_factory=list)

    def replaced(self, pattern: re.Pattern[str], change: Callable[[str], str]) -> _View:
        """Return the text with every match changed."""
        parts: list[str] = []
        edits: list[tuple[int, int, int, int]] = []
        done = size = 0
        for match in pattern.finditer(self.text):
            new = change(match[0])
            start, end = match.span()
            size += start - done
            if len(new) != end - start:
                edits.append((size, size + len(new), start, end))
            parts += (self.text[done:start], new)
            size, done = size + len(new), end
        return _View("".join((*parts, self.text[done:])), self, edits)

    def origin(self, start: int, end: int) -> tuple[int, int]:
        """Return where a non-empty part of this text comes from in the first text."""
        if self.of is None:
            return start, end
        return self.of.origin(self._source(start, first=True), self._source(end - 1, first=False))

    def _source(self, place: int, *, first: bool) -> int:
        """Return where the character at a place begins in the text before, or where it ends."""
        index = bisect_right(self.edits, (place, len(self.text) + 1)) - 1
        if index < 0:
            return place if first else place + 1
        _, new_end, old_start, old_end = self.edits[index]
        if place < new_end:
            return old_start if first else old_end
        return place - new_end + old_end + (0 if first else 1)


class SecretForms:
    """The forms of one secret: as it is, in other letters, reversed, spaced, encoded, as numbers and in base64.

    A short secret is found only in one piece, or in fields that contain nothing else.
    """

    def __init__(self, value: str) -> None:
        self.is_short = len(value) < _MIN_SPREAD
        self._exact = tuple(dict.fromkeys(one for text in _variants(value) for one in _spellings(text)))
        self._folded = _pattern(value, in_pieces=not self.is_short)
        self._in_values = re.compile(" ?".join(map(_literal, _letters(value))))
        self._encoded = tuple(one for one in self._exact if len(one) >= _MIN_ENCODED)
        letters = _BETWEEN.sub("", _folded(_View(value)).text)
        self._letters = (letters, letters[::-1]) if len(letters) >= _MIN_LETTERS else ()

    def spans(self, views: Views) -> Iterator[tuple[int, int]]:
        """Yield the places in a text that contain the secret; they may overlap."""
        for plain, folded in views.pairs:
            yield from _found(self._exact, plain)
            if self._folded is not None:
                yield from (folded.origin(*found.span()) for found in self._folded.finditer(folded.text))
            yield from _found_without(_BETWEEN, self._letters, folded)
        yield from _found_without(_SPACE, self._encoded, views.pairs[0][0])

    def spans_in_values(self, views: Views) -> Iterator[tuple[int, int]]:
        """Yield the places in values with line ends between them that contain the secret, also over several values."""
        for _, folded in views.pairs:
            for pattern in filter(None, (self._in_values, self._folded)):
                yield from (folded.origin(*found.span()) for found in pattern.finditer(folded.text) if found[0])
            yield from _found_without(_BETWEEN, self._letters, folded)


def _found(texts: Iterable[str], view: _View) -> Iterator[tuple[int, int]]:
    """Yield where one of the texts stands."""
    for one in texts:
        at = view.text.find(one)
        while at >= 0:
            yield view.origin(at, at + len(one))
            at = view.text.find(one, at + 1)


def _found_without(pattern: re.Pattern[str], texts: Sequence[str], view: _View) -> Iterator[tuple[int, int]]:
    """Yield where one of the texts stands, if what the pattern matches is left out."""
    shorter = pattern.sub("", view.text) if texts else ""
    if any(one in shorter for one in texts):
        yield from _found(texts, view.replaced(pattern, lambda _: ""))


class Views:
    """A text, and what it is after one and more rounds of decoding, each as it is and folded.

    ``html`` leaves the tags out: those within a line join the letters around them, and the others are spaces.
    """

    def __init__(self, text: str, *, html: bool = False) -> None:
        view = _View(text)
        if html:
            view = view.replaced(TAG, lambda tag: "" if _IN_LINE.match(tag) else " ")
        self.pairs = [(view, _folded(view))]
        for _ in range(_ROUNDS):
            decoded = view.replaced(_ENCODED, _decoded)
            if decoded.text == view.text:
                break
            view = decoded
            self.pairs.append((view, _folded(view)))
        for pattern in (_CSS, _QUOTED_PRINTABLE):
            if pattern.search(self.pairs[0][0].text):
                other = self.pairs[0][0].replaced(pattern, lambda found: _character(found[1:].strip(), found))
                self.pairs.append((other, _folded(other)))


def _folded(view: _View) -> _View:
    folded = view.replaced(_FOLDED, _fold)
    return _View(folded.text.translate(_LOWER), folded.of, folded.edits)


@lru_cache(maxsize=4096)
def _fold(found: str) -> str:
    """Return what stands for some invisible characters, for white space, or for one letter beyond ASCII."""
    if found.isspace():
        return " "
    if re.fullmatch(f"[{_INVISIBLE}]+", found):
        return ""
    return re.sub(f"[{_INVISIBLE}]", "", re.sub(r"\s+", " ", normalize("NFKD", normalize("NFKD", found).casefold())))


def _decoded(found: str) -> str:
    """Return the character that an escape stands for; the escape itself, if it stands for none."""
    if found[0] == "%":
        return unquote(found, errors="replace")
    if found[0] == "&":
        return unescape(found)
    if found[1] in "uxU":
        digits = re.findall(r"[0-9a-fA-F]+", found)
        if len(digits) == 2:
            return bytes.fromhex("".join(digits)).decode("utf-16-be", "replace")
        return _character(digits[0], found)
    if found[1].isdigit():
        return chr(int(found[1:], 8))
    return _SIMPLE.get(found[1], found[1])


def _character(digits: str, otherwise: str) -> str:
    """Return the character of a hexadecimal number."""
    code = int(digits, 16)
    return chr(code) if code < 0x110000 and not 0xD800 <= code < 0xE000 else otherwise


def _variants(value: str) -> Iterator[str]:
    """Yield the secret with its spaces and with single ones, and in other letters that may be encoded."""
    yield value
    yield from (one for one in (" ".join(value.split()), value.upper(), value.lower(), value[::-1]) if one)


def _spellings(text: str) -> Iterator[str]:
    """Yield the forms in which a text is found as it is: escaped, encoded, as hexadecimal numbers and in base64."""
    encoded = (quote(text, safe=""), quote_plus(text), quote(text))
    yield from (text, escape(text), escape(text, quote=False), *encoded)
    yield from (quote(one, safe="") for one in encoded)
    yield from (dumps(text)[1:-1], dumps(dumps(text)[1:-1])[1:-1])
    data = text.encode("utf-8", "surrogatepass")
    numbers = (data.hex(), data.hex().upper())
    yield from numbers
    yield from _base32(data)
    for once in (b64encode(data).decode(), *_base64(data)):
        yield from (once, once[::-1], once.encode().hex(), b64encode(once.encode()).decode())
        yield from _base64(once.encode())
    wide = (text.encode(code, "surrogatepass") for code in ("utf-16-le", "utf-16-be"))
    for inner in (*(one.encode() for one in (*numbers, *encoded)), *wide):
        yield from _base64(inner)


def _base64(data: bytes) -> Iterator[str]:
    """Yield the three forms of base64, by the place of the text in what is encoded."""
    for skipped in range(3):
        for encode in (b64encode, urlsafe_b64encode):
            yield from _inner(encode(b"\0" * skipped + data).decode(), 8 * skipped, 8 * len(data), 6)


def _base32(data: bytes) -> Iterator[str]:
    """Yield the five forms of base32, in capital and in small letters."""
    for skipped in range(5):
        for inner in _inner(b32encode(b"\0" * skipped + data).decode(), 8 * skipped, 8 * len(data), 5):
            yield from (inner, inner.lower())


def _inner(encoded: str, before: int, size: int, bits: int) -> Iterator[str]:
    """Yield the characters, each of some bits, that depend on nothing but the text; none if they are too few."""
    inner = encoded[-(-before // bits) : (before + size) // bits]
    if len(inner) >= MIN_LENGTH:
        yield inner


def _letters(value: str) -> list[str]:
    """Return the letters of a secret, folded."""
    return [one for char in value if (one := _folded(_View(char)).text.strip())]


def _pattern(value: str, *, in_pieces: bool) -> re.Pattern[str] | None:
    """Return the pattern for folded texts: the secret, reversed, as numbers, and if wanted with gaps in it."""
    words = _folded(_View(value)).text.strip()
    if len(words) < MIN_LENGTH:
        return None
    backwards = _folded(_View(value[::-1])).text.strip()
    parts = [_literal(words), _literal(backwards)]
    if in_pieces:
        letters = _letters(value)
        parts.append(r"(?: ?[.,:;|_/-] ?| )".join(map(_literal, letters)))
        parts += (_evenly_spaced(letters, "a"), _evenly_spaced(letters[::-1], "b"))
    data = value.encode("utf-8", "surrogatepass")
    parts += (_hexadecimal(data), _hexadecimal(value.encode("utf-16-be", "surrogatepass")))
    parts += (_decimal(data), _decimal(map(ord, value)))
    parts += ("".join(f"{byte:03}" for byte in data), _octal(data), _binary(data))
    return re.compile("|".join(parts))


def _evenly_spaced(letters: Sequence[str], name: str) -> str:
    """Return the pattern of letters with the same marks between all of them."""
    first, *others = map(_literal, letters)
    between = rf"(?P<{name}>[\W_]{{1,5}})"
    return first + between + f"(?P={name})".join(others) if others else first


def _hexadecimal(data: bytes) -> str:
    return r"(?:0x)?" + r"[\s:,;-]*(?:0x)?".join(f"{byte:02x}" for byte in data)


def _decimal(numbers: Iterable[int]) -> str:
    return r"(?<!\d)" + r"[\s,;]+".join(f"0?{number}" for number in numbers) + r"(?!\d)"


def _octal(data: bytes) -> str:
    return r"(?<!\d)" + r"[\s,;]+".join(f"(?:0o?)?{byte:o}" for byte in data) + r"(?!\d)"


def _binary(data: bytes) -> str:
    return r"[\s,;]*".join(f"(?:0b)?0{{0,8}}{byte:b}" for byte in data)


def _literal(text: str) -> str:
    """Return the pattern of a folded text, in which a space may also be the plus sign of a query."""
    return re.escape(text).replace(r"\ ", "[ +]")
