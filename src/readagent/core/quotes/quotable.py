"""Find quotes in a text: a quick index over blocks of it gives the places to look at, and letters decide."""

from __future__ import annotations

import unicodedata
from bisect import bisect_right
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from itertools import accumulate

from readagent.core.languages import is_function_word, likely_language
from readagent.core.patterns import lazy_pattern
from readagent.core.quotes.joints import begins_alike, ends_alike, is_boundary, is_same
from readagent.core.quotes.letters import (
    FOOTNOTE,
    Letters,
    begins_sentence,
    ends_sentence,
    fold,
    letters_of,
    same_letters,
)
from readagent.core.quotes.surroundings import (
    furthest,
    is_denied,
    is_inside_number,
    is_question_cut,
    may_leave_out,
    pieces,
    without_ends,
)
from readagent.core.quotes.turning_words import cut_after, cut_before
from readagent.core.words import count_words, is_unspaced, sentence_ends

LEAST_WORDS = 3
_LEAST_CHARACTERS = 5  # of a script without spaces
_LEAST_CONTENT = 2  # words that are neither function words nor in any text
_WORD = lazy_pattern(r"[^\W_]+")
_COMMON = frozenset(
    (
        "time times long day days night way ways thing things something anything everything other others same first "
        "last next end part parts lot kind sort hand hands side middle most many much little few well once again ever "
        "always never still back down away off too here both each every another own least rather quite perhaps "
        "however "
        "moment while "
        "zeit zeiten mal tag tage tages lang lange langer langen weg art ende teil ersten letzten anderen seite jeden "
        "immer wieder ganz ganzen einmal weise gleichen seit nach gegen während "
        "время времени раз день дня долго долгое конце конец часть образом другой другие первый самом самое очень "
        "tiempo vez veces día días mucho mucha parte forma manera fin mismo misma otro otra primera todos todas "
        "siempre "
        "temps fois jour jours longtemps partie façon manière même autre autres toujours tout toute tous toutes"
    ).split()
)
_COMMON_CJK = lazy_pattern(
    "長い[間あいだ時間]*|しばらく|その[後時日]|ある日|それから|同時|時間|時々|一方|很[长長久]|[长長]?时间|[长長]?時間|一段|的时候|的時候|"
    "[当當][时時]|同[时時]|[这這那]个|[这這那]個|[这這那]样|有一天|后来|後來|之[后後前]|以[后後前]|因此|所以|但是"
)
_CONTENT_CJK = lazy_pattern("[\u30a1-\u30fa\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003134f\\d]")
_OPENS = lazy_pattern(r"(?:^|[\"“„«»‘「『]|[.!?…][\"'”’)\]*_]*\s+|\n\s*|[。！？])[\s*_#>\"'(\[“„«‘「『-]*$")
_CLOSES = lazy_pattern(r"[,.!?…。！？]*[*_]*[\"”“»«’」』]|[\s*_)\]]*[.!?…。！？]|\s*\n\s*\n|\s*$")


def bears(text: str, start: int, end: int) -> bool:
    """Return whether this passage of a text can support anything.

    It has two words that say something, or one among four words, or a number, or it is a whole sentence or utterance.
    """
    quote = text[start:end]
    if count_words(quote) < LEAST_WORDS:
        return False
    if is_unspaced(quote):
        letters = _WORD.sub(lambda found: "x" * len(found[0]), quote).count("x")
        kana_or_han = _CONTENT_CJK.findall(_COMMON_CJK.sub("", quote))
        other = count_words(quote) if not _CONTENT_CJK.search(quote) else 0
        if letters >= _LEAST_CHARACTERS and (len(kana_or_han) >= _LEAST_CONTENT or other >= LEAST_WORDS):
            return True
        return letters >= _LEAST_CHARACTERS and _is_utterance(text, start, end)
    words = _WORD.findall(quote)
    content = {word.lower() for word in words if _says_something(word)}
    number = any(word[0].isdecimal() for word in words)
    enough = len(content) + (len(words) > LEAST_WORDS and bool(content)) >= _LEAST_CONTENT
    return enough or number or _is_utterance(text, start, end)


def _says_something(word: str) -> bool:
    small = word.lower()
    return word[0].isdecimal() or not (is_function_word(small) or small in _COMMON or len(small) < 2)


def _is_utterance(text: str, start: int, end: int) -> bool:
    """Return whether a passage begins and ends where a sentence or a direct speech does."""
    begins = start in (0, *sentence_ends(text, max(0, start - 200), start + 1)) or _OPENS.search(
        text[max(0, start - 12) : start]
    )
    closed = text[end - 1] in ".!?…。！？" or _CLOSES.match(text, end)
    return bool(begins) and bool(closed)


_BLOCK = 400  # characters of a block of the index
_LONGEST_WORD = 50
_AROUND = 80  # characters around a place that are looked at with it
_SUPERSCRIPTS = lazy_pattern("[⁰¹²³⁴-⁹⁺⁻™®©℠]")
_CONTEXT = 500  # characters around a quote that show which language it is in
_SPACE = lazy_pattern(r"\s")
_NOT_WORD = lazy_pattern(r"[\W_]+")


@dataclass(frozen=True, slots=True)
class Found:
    """Where a quote is: ``text[start:end]``; ``exact`` if it is there character for character."""

    start: int
    end: int
    exact: bool


class Quotable:
    """A text to find quotes in."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._blocks: dict[int, str] = {}
        self._letters: dict[tuple[int, int], Letters] = {}

    def find(self, quote: str, start: int = 0, end: int | None = None) -> Found | None:
        """Return where the quote is between these offsets, if it can support something there, or None.

        It cannot if it says too little, or if it was cut from a negation or the like that turns what it says.
        """
        if count_words(quote) < LEAST_WORDS:  # such a quote may be in thousands of places
            return None
        return next((found for found in self._places(quote, start, end) if self._supports(found)), None)

    def locate(self, quote: str, start: int = 0, end: int | None = None) -> Found | None:
        """Return where the quote is between these offsets, whether or not it can support anything, or None."""
        return next(self._places(quote, start, end), None)

    def says_too_little(self, quote: str) -> bool:
        """Return whether the quote is in the text, but says too little to support anything."""
        found = self.locate(quote)
        return found is not None and not bears(self.text, found.start, found.end)

    def _supports(self, found: Found) -> bool:
        if not bears(self.text, found.start, found.end):
            return False
        if begins_sentence(self.text, found.start) and ends_sentence(self.text, found.end):
            return True
        if is_denied(self.text, found.start, found.end):
            return False
        spoken = self._language(found.start, found.end)
        return not cut_before(self.text, found.start, spoken) and not cut_after(self.text, found.end, spoken)

    def _language(self, start: int, end: int) -> Callable[[], str]:
        """Return a function that tells the language around a passage; it takes time, and few words depend on it."""
        return cache(lambda: likely_language(self.text[max(0, start - _CONTEXT) : end + _CONTEXT]))

    def _places(self, quote: str, start: int, end: int | None) -> Iterator[Found]:
        """Yield where the quote is: exact places first, then those that are otherwise the same, with ellipses last."""
        quote = without_ends(quote.strip())
        last = len(self.text) if end is None else end
        letters = letters_of(quote)
        if not letters.text:
            return
        at = self.text.find(quote, start, last)
        while at >= 0:
            if self._is_copied(at, at + len(quote), letters):
                yield Found(at, at + len(quote), exact=True)
            at = self.text.find(quote, at + 1, last)
        for near in self._candidates(quote, start, last, 0):
            yield from (found for found in _matches(near, letters) if start <= found.start and found.end <= last)
        if parts := pieces(quote):
            for near in self._candidates(parts[0], start, last, furthest(parts)):
                yield from self._joined(near, [letters_of(part) for part in parts], start, last)

    def _is_copied(self, start: int, end: int, quote: Letters) -> bool:
        """Return whether this copy of a quote is of whole sentences, or cuts no word or number at its ends."""
        if begins_sentence(self.text, start) and ends_sentence(self.text, end):
            return True
        near = self._near(start, end)
        return any(start <= found.start and found.end <= end for found in _matches(near, quote))

    def _joined(self, near: Letters, parts: list[Letters], start: int, last: int) -> Iterator[Found]:
        """Yield where the pieces of a quote are, with nothing between them that must not be left out."""
        begun = {found.end: found.start for found in _matches(near, parts[0]) if start <= found.start}
        for part in parts[1:]:
            following = [found for found in _matches(near, part) if found.end <= last]
            begun = {
                found.end: first  # of several beginnings the last, so that the passage is short
                for found in following
                for reached, first in begun.items()
                if reached <= found.start
                and may_leave_out(self.text, reached, found.start, self._language(reached, found.start))
            }
        yield from (Found(first, reached, exact=False) for reached, first in begun.items())

    def _candidates(self, quote: str, start: int, last: int, more: int) -> Iterator[Letters]:
        """Yield the letters of each part of the text that has those of the quote, and of ``more`` text after it."""
        wanted = _index_form(quote)
        if not wanted:
            return
        low, high = max(0, start // _BLOCK - 1), max(start, last - 1) // _BLOCK
        forms = [self._form(number) for number in range(low, high + 1)]
        begins = list(accumulate(map(len, forms), initial=0))
        index = "".join(forms)
        at, seen = index.find(wanted), (-1, -1)
        while at >= 0:
            blocks = bisect_right(begins, at) - 1, bisect_right(begins, at + len(wanted) - 1) - 1
            if blocks != seen:
                yield self._near(self._edge(low + blocks[0]), self._edge(low + blocks[1] + 1) + more)
                seen = blocks
            at = index.find(wanted, at + 1)

    def _form(self, number: int) -> str:
        if number not in self._blocks:
            self._blocks[number] = _index_form(self.text[self._edge(number) : self._edge(number + 1)])
        return self._blocks[number]

    def _edge(self, number: int) -> int:
        """Return where a block begins: not inside a word, if it is not very long, nor before an accent."""
        at = number * _BLOCK
        if number == 0 or at >= len(self.text):
            return min(at, len(self.text))
        if space := _SPACE.search(self.text, at, at + _LONGEST_WORD):
            return space.start()
        while at < len(self.text) and unicodedata.combining(self.text[at]):
            at += 1
        return at

    def _near(self, start: int, end: int) -> Letters:
        key = max(0, start - _AROUND), min(len(self.text), end + _AROUND)
        if key not in self._letters:
            if len(self._letters) > 200:
                self._letters.clear()
            self._letters[key] = letters_of(self.text, *key)
        return self._letters[key]


def _index_form(text: str) -> str:
    """Return the letters and digits of a text in a form in which all that may be a quote's is the same."""
    if "[" in text:
        text = FOOTNOTE.sub("", text)
    if not text.isascii():
        text = unicodedata.normalize("NFKC", _SUPERSCRIPTS.sub("", text))
    return _NOT_WORD.sub("", fold(text))


def _matches(text: Letters, quote: Letters) -> Iterator[Found]:
    """Yield where the quote is in the text, from a boundary to a boundary and with the same joints."""
    size = len(quote.text)
    at = text.text.find(quote.text)
    while at >= 0 and size:
        if _is_whole(text, at, at + size) and _is_equal(text, at, quote):
            yield Found(text.starts[at], text.ends[at + size - 1], exact=False)
        at = text.text.find(quote.text, at + 1)


def _is_whole(text: Letters, start: int, end: int) -> bool:
    """Return whether words and numbers are not cut at either end."""
    for at in (start, end):
        if not is_boundary(text, at):
            return False
        if 0 < at < len(text.text) and is_inside_number(text.source, text.ends[at - 1], text.starts[at]):
            return False
    return True


def _is_equal(text: Letters, at: int, quote: Letters) -> bool:
    """Return whether the marks between the letters, and capitals that make another word, are the same."""
    size = len(quote.text)
    if not begins_alike(text, at, quote) or not all(is_same(text, at + i, quote, i) for i in range(1, size)):
        return False
    start, end, tail = text.starts[at], text.ends[at + size - 1], quote.source[quote.ends[size - 1] :]
    if not ends_alike(text.source[end : end + 8], tail) or is_question_cut(text.source, start, end, tail):
        return False
    return same_letters(text.origin(at, at + size), quote.origin(0, size))


_QUOTATION = lazy_pattern(
    r"[“”„\"]([^“”„\"\n]+)[“”\"]|[«»]([^«»\n]+)[«»]|[「『]([^「」『』\n]+)[」』]|(?<!\w)‘(.+?)’(?!\w)"
)
_LEAST = 2  # words; one word in quotation marks may be a writer's own
_ENDS = " ,.;:!?…—–-"


def made_up_quotation(statement: str, text: Quotable) -> str:
    """Return the first quotation of a statement that is not in the text; "" if there is none."""
    for match in _QUOTATION.finditer(statement):
        quotation: str = next(filter(None, match.groups()))
        if count_words(quotation) >= _LEAST and not (text.locate(quotation) or text.locate(quotation.strip(_ENDS))):
            return quotation
    return ""
