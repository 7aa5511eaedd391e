"""Count words, and find sentences, clauses, lines and paragraphs."""

from __future__ import annotations

import itertools
import re
from array import array
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from statistics import median

from readagent.core.patterns import lazy_pattern

_BEFORE = 12  # characters before a full stop that are looked at
_AFTER = 16  # characters after it
_OPENS = r"(?:^|[\s(\[\"'“‘„–—])"
_ABBREVIATION = lazy_pattern(
    rf"{_OPENS}(?:[A-Z]|(?i:Mr|Mrs|Ms|Dr|St|Prof|Rev|Gen|Col|Capt|Lt|Sgt|Sr|Jr|Mt|vs|cf|etc|viz|Vol|Fig|Eq"
    r"|pp|ch|ed|e\.g|i\.e|a\.m|p\.m|U\.S))\.$"
)
_NUMBER_FOLLOWS = lazy_pattern(  # "Feb. 2022", "Sept. 3", "No. 5", "p. 57", "A.D. 79"
    rf"{_OPENS}(?:[a-z]|(?i:Jan|Feb|Febr|Mar|Mär|Apr|Jun|Jul|Aug|Sep|Sept|Oct|Okt|Nov|Dec|Dez|janv|févr|juil|déc"
    r"|ene|abr|ago|dic|No|Nos|Nr|Art|Abs|Abb|Bd|Kap|Tab|Sec|Ser|Par|cap|ca|approx|A\.D))\.$"
)
_DAY = lazy_pattern(r"(?:^|[^\w.,:])(?:0?[1-9]|[12]\d|3[01])\.$")
_GERMAN_MONTH = lazy_pattern(  # the only language that writes "9. November" with a capital letter
    r"(?:Januar|Jänner|Jan\.|Februar|Feb\.|März|April|Apr\.|Mai|Juni|Juli|August|Aug\.|September|Sept?\.|Oktober|Okt\."
    r"|November|Nov\.|Dezember|Dez\.|Jahrhunderts?|Jh\.|Weltkriegs?)(?!\w)"
)
_SHORT = lazy_pattern(rf"{_OPENS}(?:[a-z]|av|apr)\.$")  # "V a. C.", "44 v. Chr.", "z. B.", "52 av. J.-C."
_SHORT_FOLLOWS = lazy_pattern(r"[A-Z][a-z]{0,2}\.(?:\s|-[A-Z]\.)")
_ITEM = lazy_pattern(r"(?:^|\n|[.!?…][\"'”’»)\]*_]*\s)[^\S\n]*[(\[]?(?:\d{1,3}(?:\.\d{1,2}){0,3}|[ivx]{1,4})\.$")


def ends_no_sentence(text: str, start: int, stop: int, after: int) -> bool:
    """Return whether the full stop at ``stop`` ends no sentence.

    The sentence, or one before it, begins at ``start``; what follows the white space after it begins at ``after``.
    """
    begin = max(start, stop - _BEFORE)
    before, following = text[begin : stop + 1], text[after : after + _AFTER]
    if _ABBREVIATION.search(before):
        return True
    if following[:1].isdigit():
        return bool(_NUMBER_FOLLOWS.search(before))
    if _DAY.search(before) and _GERMAN_MONTH.match(following):
        return True
    if _SHORT.search(before) and _SHORT_FOLLOWS.match(following):
        return True
    item = _ITEM.search(before)
    return item is not None and _begins(text, begin + item.start(), start)


def _begins(text: str, at: int, start: int) -> bool:
    """Whether a number may be that of an item: nothing stands before it, or a sentence or line that is complete."""
    if text[at] == "\n":
        line = text[max(start, at - _BEFORE) : at].rstrip(" \t")
        return not line or line[-1] in "\n.!?…:;\"'”’»)]*_"
    if text[at] in "!?…":
        return True
    if text[at] == ".":
        before = text[max(start, at - _BEFORE) : at + 1]
        return not (_ABBREVIATION.search(before) or _NUMBER_FOLLOWS.search(before))
    return at == start


_LONGEST = 200
_REMEMBERED = 20_000  # characters; the counts of shorter texts are remembered for a while
_STRETCH = 1 << 16  # characters
_CJK = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uff66-\uff9d\U00020000-\U0003134f"
_CJK_MARKS = "\u3000-\u303f\uff01-\uff0f\uff1a-\uff20\uff3b-\uff40\uff5b-\uff65"
_RUN_ON = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff"  # Thai and Lao, Burmese, Khmer
_UNSPACED = lazy_pattern(f"[{_CJK}{_RUN_ON}]")
_WORD = lazy_pattern(f"[{_CJK_MARKS}]*[{_CJK}][{_CJK_MARKS}]*|[{_RUN_ON}]{{1,4}}|[^\\s{_CJK}{_RUN_ON}]{{1,{_LONGEST}}}")
_SPACED_WORD = lazy_pattern(r"\S+")

_CLOSERS = "\"'”’»)\\]*_"
_ENDS = ".!?…؟۔।॥։"  # marks that end a sentence, followed by white space
_SENTENCE_END = lazy_pattern(f"(?<![{_ENDS}])[{_ENDS}]+[{_CLOSERS}]*\\s+|(?<![。！？])[。！？]+[」』”’）]*\\s*")
_CLAUSE_END = lazy_pattern(f"[,;:—–][{_CLOSERS}]*\\s+|[，、；：]\\s*")
_BLANK_LINE = lazy_pattern(r"\n[^\S\n]*\n\s*")


def count_words(text: str) -> int:
    """Return the number of words; for text with spaces exactly ``len(text.split())``."""
    return _counted(text) if len(text) < _REMEMBERED else sum(map(_count, stretches(text)))


def stretches(text: str) -> Iterator[str]:
    """Yield the text in stretches that end with a line, so that the words of a long one are not all held at once."""
    start = 0
    while len(text) - start > 2 * _STRETCH and (cut := text.find("\n", start + _STRETCH)) >= 0:
        yield text[start : cut + 1]
        start = cut + 1
    yield text[start:] if start else text


def _count(text: str) -> int:
    if not is_unspaced(text):
        words = text.split()
        if max(map(len, words), default=0) <= _LONGEST:
            return len(words)
    return sum(1 for _ in _WORD.finditer(text))


_counted = lru_cache(maxsize=512)(_count)  # a page, its prompt and its gist are counted several times in a row


def is_unspaced(text: str) -> bool:
    """Return whether any character is of a script without spaces between words."""
    return not text.isascii() and bool(_UNSPACED.search(text))


def _spaced(text: str) -> bool:
    """Return whether white space separates all words: no script without spaces, and no run that is too long."""
    if is_unspaced(text):
        return False
    half = _LONGEST // 2  # a run that is too long fills at least one stretch of this length
    if all(len(text[at : at + half].split(None, 1)) > 1 for at in range(0, len(text) - half + 1, half)):
        return True
    return max(map(len, text.split()), default=0) <= _LONGEST


class WordIndex:
    """The offsets of all words of a text, to count the words of any span quickly."""

    def __init__(self, text: str) -> None:
        word = _SPACED_WORD if _spaced(text) else _WORD
        self._starts = array("I", map(re.Match.start, word.finditer(text)))
        self._end = len(text)

    def __len__(self) -> int:
        return len(self._starts)

    def count(self, start: int, end: int) -> int:
        """Return how many words begin in ``text[start:end]``."""
        return bisect_left(self._starts, end) - bisect_left(self._starts, start)

    def after(self, start: int, words: int) -> int:
        """Return the offset at which word number ``words`` after ``start`` begins, or the end of the text."""
        position = bisect_left(self._starts, start) + words
        return self._starts[position] if position < len(self._starts) else self._end


def sentence_ends(text: str, start: int, end: int) -> Iterator[int]:
    """Yield the offsets in ``(start, end)`` at which a new sentence begins."""
    for match in _SENTENCE_END.finditer(text, start, end):
        cut = match.end()
        if cut >= end or text[cut].islower():
            continue
        if text[match.start()] == "." and ends_no_sentence(text, start, match.start(), cut):
            continue
        yield cut


def line_ends(text: str, start: int, end: int) -> Iterator[int]:
    """Yield the offsets in ``(start, end)`` at which a new line begins."""
    at = text.find("\n", start, end - 1)
    while at >= 0:
        yield at + 1
        at = text.find("\n", at + 1, end - 1)


def clause_ends(text: str, start: int, end: int) -> Iterator[int]:
    """Yield the offsets in ``(start, end)`` at which a clause begins after a comma, semicolon, colon or dash."""
    for match in _CLAUSE_END.finditer(text, start, end):
        if match.end() < end:
            yield match.end()


def sentences(text: str) -> list[str]:
    """Return the sentences of ``text``, stripped; a blank line also ends a sentence."""
    ends = {*sentence_ends(text, 0, len(text)), *(gap.end() for gap in _BLANK_LINE.finditer(text))}
    pieces = (text[a:b].strip() for a, b in itertools.pairwise([0, *sorted(ends), len(text)]))
    return [piece for piece in pieces if piece]


def truncate(text: str, words: int) -> str:
    """Return the first ``words`` words of ``text``, unchanged."""
    return text[: WordIndex(text).after(0, words)].rstrip()


def lead(text: str, words: int) -> str:
    """Return the first sentences of ``text``, at most ``words`` words; not empty unless the text is."""
    kept: list[str] = []
    room = words
    for sentence in sentences(text):
        size = count_words(sentence)
        if size > room:
            break
        kept.append(sentence)
        room -= size
    return " ".join(kept) if kept else truncate(text.strip(), max(1, words))


_BLANKS = lazy_pattern(r"\n[^\S\n]*(?:\n[^\S\n]*)+")
_CLOSED = lazy_pattern(r"[.!?…:;。！？\"'”’»)\]*_—-]\s*$")
_WIDEST_WRAP = 110  # characters; text is not wrapped by hand beyond this
_LONG_BLOCK = 120  # words; shorter blocks (a stanza, an address, a list) stay together
_SEPARATORS = (",", ";", "\t", "|")  # of the fields in a row
_TIME = lazy_pattern(r"[\[<(]?(?:\d{4}[-/.]\d\d?[-/.]\d\d?|\d\d?[-/.:]\d\d?[-/.:]\d\d|[A-Z][a-z]{2} {1,2}\d\d? \d\d:)")
_LEAST_ROWS = 8
_ROWS = 0.8  # of the lines that must look alike

Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Paragraph:
    """A paragraph is ``text[start:end]`` of its document, including the white space after it.

    ``heading`` is 0 for running text, or the level of a heading, from 1. ``place`` is its position in the source, for
    people, if known: ``page 12``, ``0:41:07``. ``lines`` is True for code, tables and verse, which are only cut
    between lines. ``marks`` are the places that begin inside it, each with its offset from ``start``: the next page of
    a PDF, for a paragraph across a page break. ``speaker`` is who speaks, in a transcript or a chat; the paragraph that
    a turn begins with also has the name before its text.
    """

    index: int
    start: int
    end: int
    heading: int = 0
    place: str = ""
    lines: bool = False
    marks: tuple[tuple[int, str], ...] = ()
    speaker: str = ""


def paragraph_starts(text: str) -> list[int]:
    """Return the offsets at which paragraphs begin, the first of them 0."""
    starts = [start for block in _blocks(text) for start in _split(text, block)]
    return [0, *starts[1:]] if starts else ([0] if text else [])


def has_rows(text: str) -> bool:
    """Return whether a paragraph consists of rows: lines with the same separators, or lines that begin with a time."""
    lines = [line for line in text.split("\n") if line.strip()]
    if len(lines) < _LEAST_ROWS:
        return False
    counts = (Counter(line.count(mark) for line in lines).most_common(1)[0] for mark in _SEPARATORS)
    if any(marks and rows >= _ROWS * len(lines) for marks, rows in counts):
        return True
    return sum(bool(_TIME.match(line)) for line in lines) >= _ROWS * len(lines)


def _blocks(text: str) -> list[Span]:
    """Return the blocks between blank lines, or between double ones if single ones separate wrapped lines."""
    single = list(_between(text, _BLANKS.finditer(text)))
    wide = [gap for gap in _BLANKS.finditer(text) if gap.group().count("\n") > 2]
    if not wide or len(single) < 8:
        return single
    inner = [block for block in single if text[block[1] : block[1] + 4].count("\n") <= 2]
    unfinished = sum(1 for a, b in inner if not _CLOSED.search(text, a, b))
    return list(_between(text, iter(wide))) if unfinished > len(single) / 2 else single


def _between(text: str, gaps: Iterator[re.Match[str]]) -> Iterator[Span]:
    start = 0
    for gap in gaps:
        if text[start : gap.start()].strip():
            yield start, gap.start()
            start = _line_start(text, gap.end())
    if text[start:].strip():
        yield start, len(text)


def _line_start(text: str, offset: int) -> int:
    """Return the start of a line's indent, so that the indent belongs to the paragraph."""
    while offset > 0 and text[offset - 1] in " \t\u3000":
        offset -= 1
    return offset


def _lines(text: str, block: Span) -> list[Span]:
    """Return the lines of a block that are not blank, without line ends."""
    spans, start = [], block[0]
    while start < block[1]:
        newline = text.find("\n", start, block[1])
        end = newline if newline >= 0 else block[1]
        if text[start:end].strip():
            spans.append((start, end))
        start = end + 1
    return spans


def _split(text: str, block: Span) -> list[int]:
    """Return where the paragraphs of a block begin."""
    lines = _lines(text, block)
    starts = [start for start, _ in lines]
    if len(lines) < 2:
        return starts[:1] or [block[0]]
    indented = [start for start in starts if text[start] in " \t\u3000"]
    if 0 < len([start for start in indented if start != starts[0]]) <= len(lines) * 0.6 and len(indented) < len(lines):
        return [starts[0], *(start for start in indented if start != starts[0])]
    widths = [end - start for start, end in lines]
    if max(widths) > _WIDEST_WRAP:
        return starts
    if len(text[block[0] : block[1]].split()) < _LONG_BLOCK:
        return starts[:1]
    if median(widths) < 0.7 * max(widths):
        return starts
    return [starts[0], *_after_short_lines(text, lines, max(widths))]


def _after_short_lines(text: str, lines: list[Span], width: int) -> Iterator[int]:
    """Return the lines after short ones: in wrapped text, a short line at a sentence end closes its paragraph."""
    for (start, end), (following, _) in itertools.pairwise(lines):
        if end - start < 0.75 * width and _CLOSED.search(text, start, end):
            yield following
