"""Lines of plain text that may be headings: "CHAPTER I", "XIV.", "3.2 Methods", "PREFACE".

A line is only a candidate: whether it is a heading shows in how the candidates count (``chapters``).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from readagent.loaders.text.numerals import HAN, WORDS, number_of

_LONGEST = 140  # characters of a heading's line
_WIDEST_WRAP = 110  # a longer line is a paragraph of its own
_MOST_WORDS = 18
_ENGLISH = (
    "chapter chap book part volume vol act scene section canto letter epoch stave episode lecture lesson adventure "
    "article phase"
)
_OTHER = (
    "kapitel teil buch akt aufzug szene auftritt abschnitt chapitre partie livre tome acte scène capítulo "
    "capitulo parte libro tomo acto escena capitolo atto scena livro ato cena capítol hoofdstuk deel boek luku osa "
    "rozdział część kapitola глава часть книга том действие розділ κεφάλαιο bölüm kapittel"
)
_SINGLE = (
    "prologue epilogue preface foreword introduction introductory afterword conclusion appendix postscript dedication "
    "acknowledgements acknowledgments abstract references bibliography glossary notes footnotes contents prolog epilog "
    "vorwort einleitung nachwort anhang inhalt préface épilogue avant-propos sommaire prólogo epílogo prefacio "
    "prefácio introducción introdução índice пролог эпилог предисловие введение заключение послесловие оглавление "
    "содержание 前言 序 序言 後記 后记 目录 目錄 目次 あとがき まえがき"
)
_LINE = re.compile(rf"^[ \t\f\u3000]*(\S.{{0,{_LONGEST - 1}}})$", re.MULTILINE)
_DRESS = "_*=~ \t\f\u3000"  # what plain text puts around a heading
_NUMBERED = re.compile(
    rf"(?i)(?P<word>{'|'.join(_ENGLISH.split())})\.?[ \t]+(?:(?:the|number|no\.)[ \t]+)?"
    rf"(?P<number>\d{{1,4}}|[ivxlcdm]{{1,12}}|(?:{WORDS})(?:[ -](?:{WORDS}))?)(?![\w'’])(?P<rest>.*)"
)
_ELSEWHERE = re.compile(
    rf"(?i)(?P<word>{'|'.join(_OTHER.split())})\.?[ \t]+(?P<number>\w+)(?![\w'’])(?P<rest>.*)"
    rf"|(?P<before>\w+)\.?[ \t]+(?P<behind>{'|'.join(_OTHER.split())})(?P<tail>[.:]?)"
)
_HAN_NUMBERED = re.compile(
    rf"第\s*(?P<number>[{HAN}]+|\d+)\s*(?P<word>[章回節节卷部篇集話话幕場场编編])(?P<rest>(?:[\s:：、　].*)?)"
)
_BARE = re.compile(r"[\[(]?(?P<number>[IVXLC]{1,8}|\d{1,3})[.)\]]{0,2}")
_ROMAN_TITLED = re.compile(r"(?P<number>[IVXLC]{1,8})(?:[.:)][ \t]+|[ \t]*[—–-]+[ \t]*)(?P<title>\S.*)")
_SECTION = re.compile(r"(?P<number>\d{1,2}(?:\.\d{1,2}){0,3})[.:)]?[ \t]+(?P<title>\S.*)")
_HASHED = re.compile(r"(?P<marks>#{1,6})[ \t]+(?P<title>\S.*)")
_UNDERLINE = re.compile(r"(={3,}|-{3,}|~{3,})[ \t]*")
_SINGLES = frozenset(_SINGLE.split())
CONTENTS = frozenset(("contents", "table of contents", "table des matières", "sommaire", "inhalt", "índice",
                      "оглавление", "содержание", "目录", "目錄", "目次"))  # fmt: skip


@dataclass(frozen=True, slots=True)
class Candidate:
    """A line that may be a heading: ``kind`` is its word or its form, ``path`` its number, 3.2 as (3, 2)."""

    start: int
    end: int
    kind: str
    path: tuple[int, ...] = ()
    bare: bool = True
    capitals: bool = False
    words: str = ""


def candidates(text: str) -> Iterator[Candidate]:
    """The lines of a text that may be headings, in order; a line counts if nothing runs on into it."""
    last_end = -1
    spread = one_a_line(text)
    for line in _LINE.finditer(text):
        start = text.rfind("\n", 0, line.start(1)) + 1
        words = line.group(1).strip(_DRESS)
        if not words or words[0] in '"“«‘(' or not (spread or _opens(text, start, last_end)):
            continue
        found = _candidate(words, start, line.end(), followed="" if spread else _line_at(text, line.end() + 1))
        if found:
            last_end = found.end
            yield found


def one_a_line(text: str) -> bool:
    """Whether every line is a paragraph: they are long, and hardly one is blank."""
    lines = text.count("\n") + 1
    return len(text) > _WIDEST_WRAP * lines and 20 * text.count("\n\n") < lines


def _opens(text: str, start: int, last_end: int) -> bool:
    """Whether a line opens something: what is before it is blank, a heading too, or a paragraph on one long line."""
    before = text.rfind("\n", 0, max(0, start - 1)) + 1
    return start == 0 or start - 1 == last_end or start - before > _WIDEST_WRAP or not text[before:start].strip()


def _line_at(text: str, start: int) -> str:
    """The line that begins here, as far as it matters."""
    end = text.find("\n", start, start + 2 * _LONGEST)
    return text[start : end if end >= 0 else start + 2 * _LONGEST].strip()


def _candidate(words: str, start: int, end: int, followed: str) -> Candidate | None:
    if hashed := _HASHED.fullmatch(words):
        return Candidate(start, end, "#" * len(hashed["marks"])) if not followed else None
    if (
        _UNDERLINE.fullmatch(followed)
        and abs(len(followed) - len(words)) <= 4
        and _titled(words, 14)
        and "  " not in words
    ):
        return Candidate(start, end, "=" if followed[0] == "=" else "-")
    capitals = words.isupper()
    if (numbered := _NUMBERED.fullmatch(words)) or (numbered := _HAN_NUMBERED.fullmatch(words)):
        number, rest = number_of(numbered["number"]), numbered["rest"].strip()
        if number and _runs_as_title(numbered["rest"], capitals=capitals):
            bare = not rest.strip(".:,—–- ")
            return Candidate(start, end, _SAME.get(word := numbered["word"].lower(), word), (number,), bare, capitals)
        return None
    if elsewhere := _ELSEWHERE.fullmatch(words):
        return _of_another_language(elsewhere, start, end, capitals=capitals)
    if _is_single(words, capitals=capitals):
        single = Candidate(start, end, "single", capitals=capitals, words=" ".join(words.lower().strip(".: ").split()))
        return single if not followed or capitals else None
    return _numeral(words, start, end) if not followed else None


_SAME = {"chap": "chapter", "vol": "volume"}


def _of_another_language(found: re.Match[str], start: int, end: int, *, capitals: bool) -> Candidate | None:
    """``Kapitel 3``, ``Erstes Kapitel``, ``ГЛАВА ПЕРВАЯ``: a number that cannot be read is 0."""
    if found["behind"]:
        named = found["before"][0].isupper() and found["behind"][0].isupper()
        return Candidate(start, end, found["behind"].lower(), (0,), capitals=capitals) if named else None
    number = number_of(found["number"])
    if (
        not found["word"][0].isupper()
        or not (number or capitals)
        or not _runs_as_title(found["rest"], capitals=capitals)
    ):
        return None
    return Candidate(start, end, found["word"].lower(), (number,), not found["rest"].strip(".:,—–- "), capitals)


def _runs_as_title(rest: str, *, capitals: bool) -> bool:
    """Whether what follows a heading's number reads like the rest of a heading, not of a sentence."""
    if not rest.strip(".:—–- \t"):
        return True
    parted = rest[0] in ".:;,—–-([" or rest.startswith("  ")
    words = rest.strip(".:;,—–-([ \t")
    if not words or not (parted or not words[0].islower()):
        return False
    return capitals or _titled(words, _MOST_WORDS)


def _titled(words: str, most: int) -> bool:
    """Few words, no end of a clause behind them, and not in the middle of a sentence at the start."""
    return len(words.split()) <= most and words[-1] not in ",;" and not words[0].islower()


def _is_single(words: str, *, capitals: bool) -> bool:
    plain = words.strip(".:— ").lower().split()
    if not plain or (words[-1] == "." and not capitals) or words[0].islower():
        return False
    if len(plain) == 1:
        return plain[0] in _SINGLES
    if plain[0] == "appendix" and len(plain) == 2:
        return len(plain[1]) == 1 or number_of(plain[1]) > 0
    if plain in (["table", "of", "contents"], ["table", "des", "matières"]):
        return True
    return capitals and len(plain) <= 8 and any(word.strip(".:,—-") in _SINGLES for word in plain[:3])


def _numeral(words: str, start: int, end: int) -> Candidate | None:
    """A line that begins with a number alone: ``XIV.``, ``12``, ``I. The Period``, ``3.2 Methods``."""
    if bare := _BARE.fullmatch(words):
        kind = "arabic" if bare["number"].isdigit() else "roman"
        number = number_of(bare["number"])
        return Candidate(start, end, kind, (number,)) if number else None
    titled = _ROMAN_TITLED.fullmatch(words)
    if titled and (number := number_of(titled["number"])) and _titled(titled["title"], _MOST_WORDS):
        return Candidate(start, end, "roman titled", (number,), bare=False)
    section = _SECTION.fullmatch(words)
    if (
        section
        and _titled(section["title"], 12)
        and section["title"][0].isalpha()
        and section["title"][-1] not in ".!?:"
    ):
        return Candidate(start, end, "section", tuple(int(part) for part in section["number"].split(".")), bare=False)
    return None
