"""SecretForms: where a text contains a secret, also in another spelling or encoding.

The text is decoded (percent signs, HTML entities, backslash escapes, up to three times) and folded (case, compatibility
forms such as full-width letters, invisible characters). What is found in these is mapped back to the text.
"""

from __future__ import annotations

import re
from base64 import b64encode, urlsafe_b64encode
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from html import escape, unescape
from json import dumps
from unicodedata import normalize
from urllib.parse import quote, quote_plus, unquote

MIN_LENGTH = 4  # characters; shorter texts also occur in a page for other reasons
_ROUNDS = 3  # of decoding
_HEX = "[0-9a-fA-F]"
_NEXT = "%[89abAB]" + _HEX  # a byte that continues a character
_ENCODED = re.compile(
    rf"%[0-7]{_HEX}|%[cdCD]{_HEX}{_NEXT}|%[eE]{_HEX}(?:{_NEXT}){{2}}|%[fF][0-7](?:{_NEXT}){{3}}"
    rf"|&(?:\#[0-9]{{1,7}}|\#[xX]{_HEX}{{1,6}}|[A-Za-z]{{2,8}});?"
    rf"|\\(?:u[dD][89abAB]{_HEX}{{2}}\\u[dD][c-fC-F]{_HEX}{{2}}|u{_HEX}{{4}}|u\{{{_HEX}{{1,6}}\}}|x{_HEX}{{2}}"
    rf"|[0-3][0-7]{{2}}|[\"'/\\bfnrt])"
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
    """The forms of one secret: as it is, in other letters, reversed, spaced, encoded, as numbers and in base64."""

    def __init__(self, value: str) -> None:
        self._exact = tuple(dict.fromkeys(one for text in _variants(value) for one in _spellings(text)))
        self._folded = _pattern(value)

    def spans(self, views: Views) -> Iterator[tuple[int, int]]:
        """Yield the places in a text that contain the secret; they may overlap."""
        for plain, folded in views.pairs:
            for spelling in self._exact:
                at = plain.text.find(spelling)
                while at >= 0:
                    yield plain.origin(at, at + len(spelling))
                    at = plain.text.find(spelling, at + 1)
            if self._folded is not None:
                yield from (folded.origin(*found.span()) for found in self._folded.finditer(folded.text))


class Views:
    """A text, and what it is after one and more rounds of decoding, each as it is and folded."""

    def __init__(self, text: str) -> None:
        view = _View(text)
        self.pairs = [(view, _folded(view))]
        for _ in range(_ROUNDS):
            decoded = view.replaced(_ENCODED, _decoded)
            if decoded.text == view.text:
                break
            view = decoded
            self.pairs.append((view, _folded(view)))


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
        code = int(digits[0], 16)
        return chr(code) if code < 0x110000 and not 0xD800 <= code < 0xE000 else found
    if found[1].isdigit():
        return chr(int(found[1:], 8))
    return _SIMPLE.get(found[1], found[1])


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
    yield from (data.hex(), data.hex().upper())
    for once in (b64encode(data).decode(), *_base64(data)):
        yield once
        yield b64encode(once.encode()).decode()
        yield from _base64(once.encode())


def _base64(data: bytes) -> Iterator[str]:
    """Yield the three forms of base64, by the place of the text in what is encoded."""
    for skipped in range(3):
        first, last = (4 * skipped + 2) // 3 if skipped else 0, (len(data) + skipped) * 4 // 3
        for encode in (b64encode, urlsafe_b64encode):
            inner = encode(b"\0" * skipped + data).decode()[first:].rstrip("=")[: last - first]
            if len(inner) >= MIN_LENGTH:
                yield inner


def _pattern(value: str) -> re.Pattern[str] | None:
    """Return the pattern for folded texts: the secret, reversed, with gaps between the letters, or as numbers."""
    words = _folded(_View(value)).text.strip()
    if len(words) < MIN_LENGTH:
        return None
    backwards = _folded(_View(value[::-1])).text.strip()
    letters = [one for char in value if (one := _folded(_View(char)).text.strip())]
    gap = r"(?: ?[.,:;|_/-] ?| )"
    parts = [_literal(words), _literal(backwards), gap.join(map(_literal, letters))]
    data = value.encode("utf-8", "surrogatepass")
    parts += (_hexadecimal(data), _hexadecimal(value.encode("utf-16-be", "surrogatepass")))
    parts += (_decimal(data), _decimal(map(ord, value)))
    return re.compile("|".join(parts))


def _hexadecimal(data: bytes) -> str:
    return r"(?:0x)?" + r"[\s:,;-]*(?:0x)?".join(f"{byte:02x}" for byte in data)


def _decimal(numbers: Iterable[int]) -> str:
    return r"(?<!\d)" + r"[\s,;]+".join(f"0?{number}" for number in numbers) + r"(?!\d)"


def _literal(text: str) -> str:
    """Return the pattern of a folded text, in which a space may also be the plus sign of a query."""
    return re.escape(text).replace(r"\ ", "[ +]")
