"""From a place that somebody typed, such as ``p. 57`` or ``Chapter 4``, to the text there."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from itertools import takewhile

from readagent.core.clauses import digits, find_clauses
from readagent.core.document import Document, Place, chapter_end, located, shortened
from readagent.core.patterns import lazy_pattern
from readagent.core.words import Paragraph
from readagent.errors import UsageError

_SUGGESTED = 3
_TIME = lazy_pattern(r"\d{1,3}(?::[0-5]\d){1,2}")
_PAGES = lazy_pattern(r"(?:(.+), )?(?:pp?\.?|pages?)\s*(\w+)\s*[-–—]\s*(\w+)(?:, (.+))?", re.I)
_ROWS = lazy_pattern(r"(?:(.*?),?\s+)?rows?\s+(\d+)(?:-(\d+))?", re.I)
_LAST = 60  # seconds that the last turn of a transcript may take, or one for each of its words
_LINE = lazy_pattern(r"(?:(.*):|line )\s*(\d+)", re.I)
_NUMBERED = lazy_pattern(r"(?:([^\W\d]+)\.?\s+)?((?:\d+|[^\W\d])(?:\.\d+)*|[ivxlc]+)(?![\w'’])")
_PARAGRAPH = lazy_pattern(r"(.+?),?\s+par(?:agraph|a)?\.?\s+(\d+)", re.I)
_SAME = {"page": "p", "pages": "p", "pp": "p", "pg": "p", "paragraph": "par", "para": "par"}
_COUNTED = frozenset("chapter book part section act scene canto volume letter kapitel chapitre capítulo".split())

Span = tuple[int, int]
Numbered = tuple[str, str]  # the word and the number at the start of a heading


def find_place(document: Document, given: str) -> Span:
    """Return the start and end of the text at a place: a page, a time, a line, a paragraph or a chapter.

    Raise UsageError, with places like it, if there is no such place or more than one.
    """
    if found := find_places(document, given):
        return only_place(document, found, given)
    near = near_places(document, given)
    raise UsageError(
        f"there is no place {given!r} in the text",
        hint=f"near ones: {'; '.join(near)}" if near else "the text has no pages, times or chapters of its own",
    )


def near_places(document: Document, given: str) -> list[str]:
    """Return up to three places like the given one; none if the text has no places of its own."""
    return _near(document, list(located(document)), given)


def only_place(document: Document, found: Sequence[Span], given: str) -> Span:
    """Return the one place that was found; raise UsageError if there are several."""
    if len(found) > 1:
        names = document.places([start for start, _ in found[:_SUGGESTED]])
        if len(set(names)) < len(names):
            names = [
                f"{name} (at {start / len(document.text):.0%})" for name, (start, _) in zip(names, found, strict=False)
            ]
        more = f"; and {len(found) - _SUGGESTED} more" if len(found) > _SUGGESTED else ""
        raise UsageError(f"{given!r} is ambiguous", hint=f"give one of: {'; '.join(names)}{more}")
    return found[0]


def find_places(document: Document, given: str) -> list[Span]:
    """Return the texts at all places that this may refer to, in order; none if there is no such place."""
    places, wanted = list(located(document)), _plain(given)
    finders: list[Callable[[], list[Span]]] = [
        lambda: _lines_of(document, places, given),
        lambda: _same(places, wanted, lambda one: _written(document, one)),
        lambda: _same(places, wanted, lambda one: one.own and one.numbered),
        lambda: _same(places, wanted, lambda one: one.own),
        lambda: _same(places, wanted, _bare),
        lambda: _at_time(document, places, given),
        lambda: _pages(places, given),
        lambda: _rows(places, given),
        lambda: _chapters(document, places, given),
        lambda: _paragraphs(document, places, given),
        lambda: sorted(find_clauses(document.text, document.paragraphs, given, whole=True)),
        lambda: _lines_of(document, places, f"line {given}"),
    ]
    return next((found for find in finders if (found := find())), []) if wanted else []


def _same(places: Sequence[Place], wanted: str, form: Callable[[Place], str]) -> list[Span]:
    """Return the text of the paragraphs, or parts of them, whose place has this form.

    A chapter is more than the place of its heading.
    Of a page, only paragraphs that follow one another count: its notes may be at the end of the text. After a paragraph
    across a page break, what stands on both pages may alternate: a table at the foot of the first one comes after it.
    """
    runs: list[list[Place]] = []
    before = False
    crossing: Paragraph | None = None  # the last paragraph across a page break
    pages = set[str]()  # that it is on
    for one in places:
        if one.paragraph.marks:
            pages = {*pages, one.own} if one.paragraph is crossing else {one.own}
            crossing = one.paragraph
        here = (bool(one.own) or not one.paragraph.heading) and _plain(form(one)) == wanted
        if here and before and one.own:
            runs[-1].append(one)
        elif here:
            runs.append([one])
        before = here or (before and one.own in pages)
    first = {run[0].file: run for run in reversed(runs)} if all(run[0].own for run in runs) else dict(enumerate(runs))
    return sorted((run[0].start, run[-1].end) for run in first.values())


def _written(document: Document, one: Place) -> str:
    return one.at(one.start, document.text)


def _bare(one: Place) -> str:
    return one.own.removeprefix("p. ")


def _lines_of(document: Document, places: Sequence[Place], given: str) -> list[Span]:
    """Return the line of a file of code, such as reader.py:12 or line 12."""
    typed = _LINE.fullmatch(given.strip())
    if typed is None:
        return []
    name, number = (typed[1] or "").casefold(), int(typed[2])
    found = []
    for one in places:
        if one.line is None or not f"/{one.file.casefold()}".endswith(f"/{name}" if name else ""):
            continue
        start, end = one.paragraph.start, one.paragraph.end
        lines = document.text[start:end].splitlines(keepends=True)
        blank = sum(1 for _ in takewhile(lambda line: not line.strip(), lines))
        at = number - one.line + blank
        if (number >= one.line or one is places[0]) and 0 <= at < len(lines):
            before = sum(map(len, lines[:at]))
            found.append((start + before, start + before + len(lines[at])))
    return found


def _pages(places: Sequence[Place], given: str) -> list[Span]:
    """Return the text from one page to another, such as pp. 5-6; also with the file and the chapter of the first."""
    typed = _PAGES.fullmatch(given.strip())
    if typed is None:
        return []
    file, first, last, chapter = typed.groups()
    if chapter and not any(
        _plain(one.own) == _plain(f"p. {first}") and _plain(chapter) == _plain(", ".join(map(shortened, one.titles)))
        for one in places
    ):
        return []
    names = [_plain(", ".join(filter(None, (file, f"p. {number}")))) for number in (first, last)]
    ends = [_same(places, name, lambda one: one.numbered if file else one.own) for name in names]
    return [(ends[0][0][0], ends[1][0][1])] if [len(found) for found in ends] == [1, 1] and ends[0] <= ends[1] else []


def _rows(places: Sequence[Place], given: str) -> list[Span]:
    """Return the parts of a table with these rows, such as rows 30-58 for row 50, for each sheet."""
    typed = _ROWS.fullmatch(given.strip())
    if typed is None:
        return []
    first, last = int(typed[2]), int(typed[3] or typed[2])
    found = dict[tuple[str, ...], list[Place]]()
    for one in places:
        rows = _ROWS.fullmatch(one.own)
        here = not typed[1] or _plain(typed[1]) in map(_plain, one.titles)
        if rows and here and int(rows[2]) <= last and first <= int(rows[3] or rows[2]):
            found.setdefault((one.file, *one.titles), []).append(one)
    return [(parts[0].start, parts[-1].end) for parts in found.values()]


def _at_time(document: Document, places: Sequence[Place], given: str) -> list[Span]:
    """Return what is said at a time: the paragraph with the last time that is not later. None after the end."""
    if not _TIME.fullmatch(given.strip()):
        return []
    before = [one for one in places if _TIME.fullmatch(one.own) and _seconds(one.own) <= _seconds(given)]
    latest = {one.file: max(_seconds(other.own) for other in before if other.file == one.file) for one in before}
    found = [one for one in before if _seconds(one.own) == latest[one.file]]
    first = {one.file: one.paragraph for one in reversed(found)}
    last = {one.file: one for one in places if _TIME.fullmatch(one.own)}
    for file in list(first):
        words = len(document.text[last[file].paragraph.start : last[file].paragraph.end].split())
        if _seconds(given) > _seconds(last[file].own) + max(_LAST, words):
            del first[file]
    return sorted((one.start, one.end) for one in first.values())


def _seconds(time: str) -> int:
    total = 0
    for part in time.strip().split(":"):
        total = total * 60 + int(part)
    return total


def _chapters(document: Document, places: Sequence[Place], given: str) -> list[Span]:
    """Return the chapters with this heading or this number; else those whose heading begins with it, or contains it.

    Chapter 5 is the one whose whole number is 5, not 5.1.
    """
    headings = [one for one in places if one.paragraph.heading]
    wanted, (word, number) = _plain(given), _number(given, whole=True)
    tests: list[Callable[[str, str, Numbered], bool]] = [
        lambda whole, own, numbered: wanted in (own, whole),
        lambda whole, own, numbered: number != "" and numbered == (word, number),
        lambda whole, own, numbered: number != "" and numbered[1] == number and (not word or _counts(word, numbered)),
        lambda whole, own, numbered: own.startswith(f"{wanted} "),
        lambda whole, own, numbered: whole.startswith(f"{wanted} "),
        lambda whole, own, numbered: f" {wanted} " in f" {whole} ",
        lambda whole, own, numbered: word in _COUNTED and not numbered[0] and digits(numbered[1]) == number,
    ]
    named = list[tuple[Paragraph, str, str, Numbered]]()
    for one in headings:
        title = one.titles[-1] if one.titles else one.file
        whole = _plain(" ".join((one.file, *one.titles)))
        named.append((one.paragraph, whole, _plain(title), _number(title)))
    unknown = ("", "")
    named += [(one.paragraph, _plain(_written(document, one)), "", unknown) for one in headings]  # shortened titles
    for test in tests:
        if found := {one.start: one for one, whole, own, numbered in named if test(whole, own, numbered)}:
            return sorted((one.start, chapter_end(document, one)) for one in found.values())
    return []


def _number(title: str, *, whole: bool = False) -> Numbered:
    """Return the word and the number that a heading begins with, or consists of: ("chapter", "5.8")."""
    typed = title.casefold().strip()
    found = _NUMBERED.fullmatch(typed.rstrip(".:")) if whole else _NUMBERED.match(typed)
    if found is None:
        return "", ""
    word = found[1] or ""
    return word, digits(found[2]) if word in _COUNTED else found[2]


def _counts(word: str, numbered: Numbered) -> bool:
    """Return whether a heading with a number alone may be a chapter, or whatever the word says."""
    return word in _COUNTED and not numbered[0]


def _paragraphs(document: Document, places: Sequence[Place], given: str) -> list[Span]:
    """Return a paragraph of a chapter that is named otherwise than by its whole title: Chapter 5, par. 3."""
    typed = _PARAGRAPH.fullmatch(given.strip())
    if typed is None:
        return []
    found = list[Span]()
    for start, end in _chapters(document, places, typed[1]):
        after = (one for one in places if start < one.start < end)
        own = takewhile(lambda one: not one.paragraph.heading, after)
        found += [(one.paragraph.start, one.paragraph.end) for one in own if one.number == int(typed[2])][:1]
    return found


def _near(document: Document, places: Sequence[Place], given: str) -> list[str]:
    """Return the places most like the given one: by number for a page or a time, or else by their words."""
    wanted = _plain(given)
    number = re.match(r"p (\d+)", wanted)
    pages = [one for one in places if re.fullmatch(r"p\. \d+", one.own)]
    times = [one for one in places if _TIME.fullmatch(one.own)]
    distance = dict[str, int]()
    if number and pages:
        distance = {one.numbered: abs(int(_bare(one)) - int(number[1])) for one in pages}
    elif times and re.fullmatch(r"\d+(?::\d+)+", given.strip()):
        distance = {one.numbered: abs(_seconds(one.own) - _seconds(given)) for one in times}
    if distance:
        return sorted(sorted(distance, key=distance.__getitem__)[:_SUGGESTED], key=list(distance).index)
    from difflib import get_close_matches  # only an error needs it

    names = dict[str, str]()
    for one in places:
        if one.paragraph.heading or one.own:
            name = _written(document, one)
            names.setdefault(_plain(name), name)
    close = get_close_matches(wanted, names, _SUGGESTED, 0.5)
    return [names[one] for one in close or list(names)[:_SUGGESTED]]


def _plain(text: str) -> str:
    """Return the words of a place in the form in which places are compared."""
    return " ".join(_numbers(_SAME.get(word, word) for word in re.findall(r"\w+", text.casefold())))


def _numbers(words: Iterable[str]) -> Iterable[str]:
    """Yield the words; a Roman number after a word such as "chapter" as digits."""
    before = ""
    for word in words:
        yield digits(word) if before in _COUNTED else word
        before = word
