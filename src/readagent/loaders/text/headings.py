"""Lines of plain text that may be headings: "CHAPTER I", "XIV.", "3.2 Methods", "PREFACE".

A line is only a candidate. Whether it is a heading is decided by how the candidates are numbered (``chapters``).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

_ROMAN = re.compile(r"(?i)M{0,3}(?:CM|CD|D?C{0,4})(?:XC|XL|L?X{0,4})(?:IX|IV|V?I{0,4})")
_VALUES = {"I": 1, "V": 5, "X": 10, "L": 50, "C": 100, "D": 500, "M": 1000}
_SIGNS = (
    ("m", 1000), ("cm", 900), ("d", 500), ("cd", 400), ("c", 100), ("xc", 90), ("l", 50), ("xl", 40), ("x", 10),
    ("ix", 9), ("v", 5), ("iv", 4), ("i", 1),
)  # fmt: skip
_UNITS = "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen".split()  # fmt: skip  # noqa: E501
_ORDINALS = "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth".split()  # fmt: skip  # noqa: E501
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split()
_WORDS = {
    **{word: value for value, word in enumerate(_UNITS, 1)},
    **{word: value for value, word in enumerate(_ORDINALS, 1)},
    **{word: 10 * value for value, word in enumerate(_TENS, 2)},
    **{word[:-1] + "ieth": 10 * value for value, word in enumerate(_TENS, 2)},
}
_HAN = {mark: value for value, mark in enumerate("零一二三四五六七八九")} | {"〇": 0, "两": 2, "兩": 2}
_HAN_TENS = {"十": 10, "百": 100, "千": 1000}

WORDS = "|".join(sorted(_WORDS, key=len, reverse=True))
HAN = "".join([*_HAN, *_HAN_TENS])


def number_of(text: str) -> int:
    """Return the number that a numeral stands for, or 0 if it is none."""
    text = text.strip()
    if text.isdecimal():
        return int(text) if len(text) <= 4 else 0
    if text[:1] in HAN:
        return _of_han(text)
    return _of_roman(text.upper()) or _of_words(text.lower())


def _of_roman(text: str) -> int:
    if not text or len(text) > 15 or not _ROMAN.fullmatch(text):
        return 0
    total = 0
    for letter, following in zip(text, [*text[1:], ""], strict=True):
        value = _VALUES[letter]
        total += -value if value < _VALUES.get(following, 0) else value
    return total


def _of_words(text: str) -> int:
    """Return the number in words up to ninety-nine: the tens and the last word."""
    parts = [part for part in re.split(r"[\s-]+", text) if part]
    values = [_WORDS.get(part, 0) for part in parts]
    if len(values) == 1:
        return values[0]
    return sum(values) if len(values) == 2 and values[0] >= 20 and 0 < values[1] < 10 else 0


def _of_han(text: str) -> int:
    total = digit = 0
    for character in text:
        if character in _HAN:
            digit = digit * 10 + _HAN[character] if digit else _HAN[character]
        elif character in _HAN_TENS:
            total += (digit or 1) * _HAN_TENS[character]
            digit = 0
        else:
            return 0
    return total + digit


def roman(value: int, *, capital: bool = False) -> str:
    """Return a number from 1 to 3999 in Roman numerals."""
    found = ""
    for sign, worth in _SIGNS:
        found += sign * (value // worth)
        value %= worth
    return found.upper() if capital else found


_MAX_LINE = 140  # characters
_MAX_WRAP = 110  # characters; a longer line is a paragraph of its own
_MAX_WORDS = 18
_ENGLISH = (
    "chapter chap book part volume vol act scene section canto letter epoch stave episode lecture lesson adventure "
    "article phase"
)
_PUBLISHED_ALONE = frozenset("lecture lesson episode letter article adventure".split())
_SINGLES = frozenset(
    "prologue epilogue preface foreword introduction introductory afterword conclusion appendix postscript dedication "
    "acknowledgements acknowledgments abstract references bibliography glossary notes footnotes contents".split()
)
_LINE = re.compile(rf"^[ \t\f\u3000]*(\S.{{0,{_MAX_LINE - 1}}})$", re.MULTILINE)
_DECORATION = "_*=~ \t\f\u3000"  # around a heading
_NUMBERED = re.compile(
    rf"(?i)(?P<word>{'|'.join(_ENGLISH.split())})\.?[ \t]+(?:(?:the|number|no\.)[ \t]+)?"
    rf"(?P<number>\d{{1,4}}|[ivxlcdm]{{1,12}}|(?:{WORDS})(?:[ -](?:{WORDS}))?)(?![\w'’])(?P<rest>.*)"
)
_OTHER_NUMBERED = re.compile(  # "Kapitel 3", "Chapitre III": any word, and a number that is not in words
    r"(?P<word>[^\W\d_]{2,20})\.?[ \t]+(?P<number>\d{1,3}|[IVXLC]{1,8})(?![\w'’]|\.\d)(?P<rest>.*)"
)
_LABELS = frozenset("figure fig illustration table listing example page plate".split())  # not of parts of the text
_FRAMED = re.compile(r"[^\W\d_]+[ \t]+[^\W\d_]+\.?")  # "Erstes Kapitel"
_HAN_NUMBERED = re.compile(
    rf"第\s*(?P<number>[{HAN}]+|\d+)\s*(?P<word>[章回節节卷部篇集話话幕場场编編])(?P<rest>(?:[\s:：、　].*)?)"
)
_BARE = re.compile(r"[\[(]?(?P<number>[IVXLC]{1,8}|\d{1,3})[.)\]]{0,2}")
_ROMAN_WITH_TITLE = re.compile(r"(?P<number>[IVXLC]{1,8})(?:[.:)][ \t]+|[ \t]*[—–-]+[ \t]*)(?P<title>\S.*)")
_SECTION = re.compile(r"(?P<number>\d{1,2}(?:\.\d{1,2}){0,3})[.:)]?[ \t]+(?P<title>\S.*)")
_HASHED = re.compile(r"(?P<marks>#{1,6})[ \t]+(?P<title>\S.*)")
_UNDERLINE = re.compile(r"(={3,}|-{3,}|~{3,})[ \t]*")
NUMERALS = ("arabic", "roman", "roman titled", "section")  # kinds of headings with a number and no word
CONTENTS = ("contents", "table of contents")


@dataclass(frozen=True, slots=True)
class Candidate:
    """A line that may be a heading; ``kind`` is its word or form, ``path`` its number, such as (3, 2) for 3.2.

    It is ``unsure`` if its word is not known, so that it may name something else than a part of the text.
    """

    start: int
    end: int
    kind: str
    path: tuple[int, ...] = ()
    bare: bool = True
    capitals: bool = False
    words: str = ""
    unsure: bool = False


def candidates(text: str) -> Iterator[Candidate]:
    """Yield the lines that may be headings, in order; a line that continues a paragraph is not one of them."""
    last_end = -1
    unwrapped = is_unwrapped(text)
    for line in _LINE.finditer(text):
        start = text.rfind("\n", 0, line.start(1)) + 1
        words = line.group(1).strip(_DECORATION)
        if not words or words[0] in '"“«‘(' or not (unwrapped or _begins_block(text, start, last_end)):
            continue
        found = _candidate(words, start, line.end(), followed="" if unwrapped else _line_at(text, line.end() + 1))
        if found:
            last_end = found.end
            yield found


def is_unwrapped(text: str) -> bool:
    """Whether every line is a paragraph: the lines are long, and hardly any is blank."""
    lines = text.count("\n") + 1
    return len(text) > _MAX_WRAP * lines and 20 * text.count("\n\n") < lines


def _begins_block(text: str, start: int, last_end: int) -> bool:
    """Whether a line does not continue a paragraph: it follows a blank line, a heading or a one-line paragraph."""
    before = text.rfind("\n", 0, max(0, start - 1)) + 1
    return start == 0 or start - 1 == last_end or start - before > _MAX_WRAP or not text[before:start].strip()


def _line_at(text: str, start: int) -> str:
    """Return the line that begins here, cut off if it is long."""
    end = text.find("\n", start, start + 2 * _MAX_LINE)
    return text[start : end if end >= 0 else start + 2 * _MAX_LINE].strip()


def _candidate(words: str, start: int, end: int, followed: str) -> Candidate | None:
    if hashed := _HASHED.fullmatch(words):
        return Candidate(start, end, "#" * len(hashed["marks"])) if not followed else None
    if (
        _UNDERLINE.fullmatch(followed)
        and abs(len(followed) - len(words)) <= 4
        and _reads_as_title(words, 14)
        and "  " not in words
    ):
        return Candidate(start, end, "=" if followed[0] == "=" else "-")
    capitals = words.isupper()
    if (numbered := _NUMBERED.fullmatch(words)) or (numbered := _HAN_NUMBERED.fullmatch(words)):
        number, rest = number_of(numbered["number"]), numbered["rest"].strip()
        if number and _continues_as_title(numbered["rest"], capitals=capitals):
            bare = not rest.strip(".:,—–- ")
            return Candidate(start, end, _SAME.get(word := numbered["word"].lower(), word), (number,), bare, capitals)
        return None
    if _is_single(words, capitals=capitals):
        single = Candidate(start, end, "single", capitals=capitals, words=" ".join(words.lower().strip(".: ").split()))
        return single if not followed or capitals else None
    if followed:
        return None
    return _numeral(words, start, end) or _other(words, start, end, capitals=capitals)


_SAME = {"chap": "chapter", "vol": "volume"}


def _other(words: str, start: int, end: int, *, capitals: bool) -> Candidate | None:
    """Return the candidate for a word of any language with a number, or for two words, which may be a number too."""
    if (found := _OTHER_NUMBERED.fullmatch(words)) and found["word"][0].isupper():
        word, rest = found["word"].lower(), found["rest"]
        if word in _LABELS or rest.endswith(".") or not _continues_as_title(rest, capitals=capitals):
            return None
        number = number_of(found["number"])
        return Candidate(start, end, word, (number,), not rest.strip(".:—–- "), capitals, unsure=True)
    if _FRAMED.fullmatch(words) and words[0].isupper():
        return Candidate(start, end, "framed", words=words.lower().strip("."))
    return None


def is_chapter(line: str) -> bool:
    """Whether a line is the heading of a chapter with a word and a number, and so not the title of a whole text.

    A lecture or a letter with a title may be the whole text.
    """
    found = _candidate(line.strip(_DECORATION), 0, len(line), followed="")
    if found is None or not found.path or found.unsure or found.kind in NUMERALS:
        return False
    return found.bare or found.kind not in _PUBLISHED_ALONE


def _continues_as_title(rest: str, *, capitals: bool) -> bool:
    """Whether the text after a number reads like the rest of a heading, not of a sentence."""
    if not rest.strip(".:—–- \t"):
        return True
    separated = rest[0] in ".:;,—–-([" or rest.startswith("  ")
    words = rest.strip(".:;,—–-([ \t")
    if not words or not (separated or not words[0].islower()):
        return False
    return capitals or _reads_as_title(words, _MAX_WORDS)


def _reads_as_title(words: str, max_words: int) -> bool:
    """Whether this is a few words that neither begin nor end in the middle of a sentence."""
    return len(words.split()) <= max_words and words[-1] not in ",;" and not words[0].islower()


def _is_single(words: str, *, capitals: bool) -> bool:
    plain = words.strip(".:— ").lower().split()
    if not plain or (words[-1] == "." and not capitals) or words[0].islower():
        return False
    if len(plain) == 1:
        return plain[0] in _SINGLES
    if plain[0] == "appendix" and len(plain) == 2:
        return len(plain[1]) == 1 or number_of(plain[1]) > 0
    if plain == ["table", "of", "contents"]:
        return True
    return capitals and len(plain) <= 8 and any(word.strip(".:,—-") in _SINGLES for word in plain[:3])


def _numeral(words: str, start: int, end: int) -> Candidate | None:
    """Return the candidate for a line that begins with a number: ``XIV.``, ``I. The Period``, ``3.2 Methods``."""
    if bare := _BARE.fullmatch(words):
        kind = "arabic" if bare["number"].isdigit() else "roman"
        number = number_of(bare["number"])
        return Candidate(start, end, kind, (number,)) if number else None
    titled = _ROMAN_WITH_TITLE.fullmatch(words)
    if titled and (number := number_of(titled["number"])) and _reads_as_title(titled["title"], _MAX_WORDS):
        return Candidate(start, end, "roman titled", (number,), bare=False)
    section = _SECTION.fullmatch(words)
    if (
        section
        and _reads_as_title(section["title"], 12)
        and section["title"][0].isalpha()
        and section["title"][-1] not in ".!?:"
    ):
        return Candidate(start, end, "section", tuple(int(part) for part in section["number"].split(".")), bare=False)
    return None
