"""Numbered clauses: from a name such as ``2.1(b)`` to the paragraphs of a text that begin with these numbers."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from readagent.core.document import Document
from readagent.core.patterns import lazy_pattern
from readagent.core.words import Paragraph, truncate

_MOST_WORDS = 400  # of a clause that are shown for a question
_MOST_PLACES = 3  # that a name in a question may mean
_LONGEST = 100  # characters at the beginning of a paragraph that may be its numbers
_HEAD = r"(?:(?P<word>[^\W\d_]+|§+)\.?\s*)??(?P<number>\d{1,3}(?:\.\d{1,3})*|(?<=\s)[IVXLC]+)"  # Article 2, 2.1
_BELOW = r"(?P<below>(?:\s?\((?:\d{1,3}|[^\W\d_]{1,5})\))*)"  # (b)(ii)
_NAME = lazy_pattern(rf"(?<![\w.,$€£-]){_HEAD}{_BELOW}(?![\w%]|[.,]\d|\s\w{{1,3}}illi)(?:\s+(?P<next>[^\W\d_]{{4,}}))?")
_LEAD = r"[\s#*_>•·–-]*"  # white space, and marks of Markdown
_BEGINS = lazy_pattern(rf"{_LEAD}{_HEAD}(?!\.?\d|[^\W\d])(?P<mark>[.):]*){_BELOW}\s*(?P<next>\S?)")
_ITEM = lazy_pattern(rf"{_LEAD}(?:(?P<below>(?:\(\w{{1,5}}\)\s?)+)|(?P<item>\w{{1,5}})(?P<mark>[.)]))(?:\s|$)")
_ROMAN = lazy_pattern(r"(?=.)(?:c{0,3})(?:xc|xl|l?x{0,3})(?:ix|iv|v?i{0,3})")
_VALUES = {"i": 1, "v": 5, "x": 10, "l": 50, "c": 100}

Span = tuple[int, int]


class _Label(NamedTuple):
    """A number at the beginning of a paragraph.

    ``level`` is ``§article`` for Article 2, ``#1`` for 2.1, and the kind of bracket and number for others: ``(a``.
    """

    level: str
    word: str
    number: str
    start: int
    heading: int

    @property
    def is_head(self) -> bool:
        return self.level[0] in "§#"


_Numbered = tuple[int, tuple[_Label, ...]]  # where a paragraph starts, its numbers and those that it is below


def clauses_in(document: Document, question: str) -> list[tuple[int, str]]:
    """Return where each clause starts that a question names, and its text, cut if it is very long."""
    text = document.text
    spans = find_clauses(text, document.paragraphs, question)
    starts = ((end - len(text[start:end].lstrip()), end) for start, end in spans)
    return [(start, truncate(text[start:end], _MOST_WORDS)) for start, end in starts]


def find_clauses(text: str, paragraphs: Iterable[Paragraph], words: str, *, whole: bool = False) -> list[Span]:
    """Return where the clauses are that these words name, each with what is numbered below it, the longest first.

    A name may mean up to three places; where there are more, it says too little. With ``whole``, the words are one
    name, and all its places are returned. An integer alone names a clause only together with the word before it, as in
    "Article 3", and a heading only if something is numbered below that.
    """
    found = [_NAME.fullmatch(words.strip())] if whole else _NAME.finditer(words)
    names = [one for one in found if one and (one["word"] or one["below"] or "." in one["number"])]
    numbered = _numbered(text, paragraphs) if names else []
    spans = list[Span]()
    for name in names:
        following = "" if name["below"] else name["next"]
        if following and (whole or re.search(rf"\d\s{following}\b", text)):  # 2.1 million
            continue
        places = _places(numbered, name, len(text))
        spans += places if whole or len(places) <= _MOST_PLACES else ()
    return sorted(dict.fromkeys(spans), key=lambda span: span[0] - span[1])


def _places(numbered: Sequence[_Numbered], name: re.Match[str], end: int) -> list[Span]:
    """Return the start and end of each clause of this name."""
    number, below, word = digits(name["number"].casefold()), _items(name["below"]), (name["word"] or "").casefold()
    found = list[tuple[bool, bool, Span]]()
    for at, (start, path) in enumerate(numbered):
        for size in range(len(below) + 1, len(path) + 1):
            head, *others = path[size - len(below) - 1 : size]
            said = "." in number or head.word == word or (bool(below) and not head.word)
            is_named = head.is_head and head.number == number and said and [one.number for one in others] == below
            if not is_named or path[size - 1].start != start:
                continue
            after = (other for other in range(at, len(numbered)) if numbered[other][1][:size] != path[:size])
            last = next(after, len(numbered))
            has_more = any(len(its) > size for _, its in numbered[at:last])
            stop = numbered[last][0] if last < len(numbered) else end
            found.append((head.heading > 0, has_more or "." in number or bool(below), (start, stop)))
    headings = any(heading for heading, _, _ in found)  # then others without numbers below are a table of contents
    return [span for _, is_clause, span in found if is_clause or not headings]


def _numbered(text: str, paragraphs: Iterable[Paragraph]) -> list[_Numbered]:
    """Return the paragraphs that begin with numbers, and the headings, where what is above them ends."""
    found = [(one, list(_labels(text[one.start : one.start + _LONGEST], one))) for one in paragraphs]
    found = [(one, labels) for one, labels in found if labels or one.heading]
    words = {(label.word, label.number) for _, labels in found for label in labels}
    above, numbered = tuple[_Label, ...](), list[_Numbered]()
    for at, (one, labels) in enumerate(found):
        if one.heading:
            above = tuple(label for label in above if 0 < label.heading < one.heading)
        following = [label.number.lower() for _, some in found[at + 1 : at + 2] for label in some]
        for label in labels:
            known = label if label.is_head else label._replace(level=_level(label, above, following))
            if not (known.level[0] == "§" and _is_single(known, words)):
                above = (*_outer(above, known), known)
        numbered.append((one.start, above))
    return numbered


def _labels(text: str, one: Paragraph) -> Iterator[_Label]:
    """Yield the numbers that a paragraph begins with; the level of those in brackets is not known yet."""
    line = text.lstrip().partition("\n")[0]
    begins, item = _BEGINS.match(line), _ITEM.match(line)
    below = level = ""
    if begins:
        word, number, after = (begins["word"] or "").casefold(), digits(begins["number"].casefold()), begins["next"]
        dots = number.count(".")
        if begins["mark"] or begins["below"] or not after or one.heading or (not after.islower() if word else dots):
            yield _Label(f"§{word}" if word and not dots else f"#{dots}", word, number, one.start, one.heading)
            below, level = begins["below"], "("
    elif item:
        below, level = item["below"] or item["item"], item["mark"] or "("
    for number in _items(below):
        if number.isdecimal() or len(set(number)) == 1 or _ROMAN.fullmatch(number.lower()):
            yield _Label(level, "", number, one.start, one.heading)


def _items(brackets: str) -> list[str]:
    return re.findall(r"\w+", brackets)


def _level(label: _Label, above: Sequence[_Label], following: Sequence[str]) -> str:
    """Return the level of a number in brackets. What stands before and after tells letters from Roman numbers."""
    if label.number.isdecimal():
        return f"{label.level}1"
    number, before = label.number.lower(), {one.level: one.number.lower() for one in above}
    letters, roman = (f"{label.level}{one if label.number.islower() else one.upper()}" for one in "ai")
    value, last = digits(number), digits(before.get(roman, "-"))
    if value.isdecimal() and last.isdecimal() and int(value) == int(last) + 1:
        return roman
    if number == "i":
        return letters if before.get(letters) == "h" and "ii" not in following else roman
    return roman if value.isdecimal() and len(set(number)) > 1 else letters


def _is_single(label: _Label, words: set[tuple[str, str]]) -> bool:
    """Whether a number after a word is in no series: Apollo 13."""
    number = label.number
    return number != "1" and not (number.isdecimal() and (label.word, str(int(number) - 1)) in words)


def _outer(above: tuple[_Label, ...], label: _Label) -> tuple[_Label, ...]:
    """Return those of the numbers above that a label is below."""
    same = next((at for at, one in enumerate(above) if one.level == label.level), None)
    if same is not None:
        return above[:same]
    if label.level[0] == "§":
        return above if above and above[-1].level[0] == "§" else ()
    if label.level == "#0":  # a list, or the first clause after what is only lettered
        return above if any(one.is_head for one in above) else ()
    if label.is_head:
        return tuple(one for one in above if one.level[0] == "§" or label.number.startswith(f"{one.number}."))
    return above


def digits(word: str) -> str:
    """Return a Roman number in digits; any other word as it is."""
    if not _ROMAN.fullmatch(word):
        return word
    values = [_VALUES[letter] for letter in word]
    return str(sum(-one if one < after else one for one, after in zip(values, [*values[1:], 0], strict=True)))
