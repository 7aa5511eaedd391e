"""Join lines to passages and passages to paragraphs: hyphenated words, and text that goes on in the next column."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise

from readagent.loaders.pdf.layout.paragraphs import CAPTION, Kind, Passage
from readagent.loaders.pdf.layout.sheet import Line
from readagent.loaders.pdf.layout.typography import Typography, is_cjk, is_short
from readagent.loaders.text.headings import number_of

_TOKEN = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*(?:[-‐][^\W\d_]+(?:['’][^\W\d_]+)*)*")
_HYPHENATED = re.compile(r"([^\W\d_]+(?:['’‐-][^\W\d_]+)*)[-‐]$")
_SOFT_HYPHEN = "\u00ad"
_URL_END = re.compile(r"(?:https?://|www\.)\S*[/._=?&%#~-]$")
_MIN_PART = 4  # letters in each part of a compound, without other evidence


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """How often the document contains a word, and a compound with a hyphen; whether it hyphenates lines at all."""

    words: Counter[str] = field(default_factory=Counter)
    compounds: Counter[str] = field(default_factory=Counter)
    hyphenates: bool = True


def vocabulary_of(lines: Iterable[Line]) -> Vocabulary:
    """Return the words of these lines, without those hyphenated at the ends of lines."""
    words: Counter[str] = Counter()
    compounds: Counter[str] = Counter()
    divided: list[tuple[str, str]] = []
    half = ""
    for line in lines:
        tokens = _TOKEN.findall(line.text.casefold().replace("‐", "-"))
        if half and tokens:
            divided.append((half, tokens.pop(0)))
        half = tokens.pop() if tokens and line.text.endswith(("-", "‐", _SOFT_HYPHEN)) else ""
        for token in tokens:
            (compounds if "-" in token else words)[token] += 1
    evidence = sum(_evidence(first, second, words, compounds) for first, second in divided)
    return Vocabulary(words, compounds, hyphenates=evidence > 0)


def _evidence(first: str, second: str, words: Counter[str], compounds: Counter[str]) -> int:
    """Return 1 if a hyphen at the end of a line seems to split a word, -1 if it seems to join two, else 0."""
    if words[first + second]:
        return 1
    if compounds[f"{first}-{second}"]:
        return -1
    return (not words[first] and not words[second]) - (words[first] > 0 and words[second] > 0)


def text_of(lines: Sequence[Line], known: Vocabulary) -> str:
    """Return the lines joined to one text."""
    parts: list[str] = []
    for line in lines:
        more = line.text.strip()
        if parts and more:
            kept, between = _join(parts[-1], more, known)
            parts[-1] = kept
            parts.append(between)
        if more:
            parts.append(more)
    return "".join(parts)


def _join(text: str, more: str, known: Vocabulary) -> tuple[str, str]:
    """Return what is kept of a line before another, and what is put between them."""
    if text.endswith(_SOFT_HYPHEN):
        return text.rstrip(_SOFT_HYPHEN), ""
    divided, begun = _HYPHENATED.search(text[-80:]), _TOKEN.match(more)
    if divided and begun:
        return (text, "") if _is_compound(divided[1], begun[0], known) else (text[:-1], "")
    if text[-1] in "-‐" and text[-2:-1].strip():
        return text, ""
    if (is_cjk(text[-1]) and is_cjk(more[0])) or _URL_END.search(text[-200:]):
        return text, ""
    tight = (text[-1] == "—" and text[-2:-1].strip()) or (more[0] == "—" and more[1:2].strip())
    return text, "" if tight else " "


def divides_word(text: str, more: str, known: Vocabulary) -> bool:
    """Return whether a line ends in the middle of a word that the document has, and the next one goes on with it."""
    divided, begun = _HYPHENATED.search(text.rstrip()[-80:]), _TOKEN.match(more.lstrip())
    if not divided or not begun or not begun[0][0].islower():
        return False
    whole = (divided[1].rpartition("-")[2] + begun[0]).casefold()
    return known.words[whole] > 0 and not _is_compound(divided[1], begun[0], known)


def _is_compound(left: str, right: str, known: Vocabulary) -> bool:
    """Whether a hyphen at the end of a line is part of the word."""
    left, right = left.replace("‐", "-"), right.replace("‐", "-")
    whole, hyphened = (left + right).casefold(), f"{left}-{right}".casefold()
    if known.words[whole] or known.compounds[hyphened] or known.compounds[whole]:
        return known.compounds[hyphened] > known.words[whole] + known.compounds[whole]
    if not known.hyphenates or (right[0].isupper() and not left.isupper()) or number_of(hyphened):
        return True
    last, right = left.casefold().rpartition("-")[2], right.casefold().partition("-")[0]
    if known.words[last + right]:
        return False
    if "-" in hyphened[len(left) + 1 :]:
        return True
    if "-" in left:
        return known.words[last] > 0
    return min(len(last), len(right)) >= _MIN_PART and known.words[last] > 0 and known.words[right] > 0


def join_divided(passages: Iterable[Passage], known: Vocabulary) -> list[Passage]:
    """Return the passages with those joined that a hyphenated word of the document's vocabulary connects.

    Lines that end in the middle of such a word are no verse.
    """
    found: list[Passage] = []
    for given in passages:
        passage = replace(given, kind=Kind.TEXT) if _is_prose(given, known) else given
        if found and _goes_on(found[-1], passage, known):
            found[-1] = replace(found[-1], lines=(*found[-1].lines, *passage.lines), right=passage.right)
        else:
            found.append(passage)
    return found


def _is_prose(passage: Passage, known: Vocabulary) -> bool:
    return passage.kind is Kind.VERSE and any(
        divides_word(above.text, below.text, known) for above, below in pairwise(passage.lines)
    )


def _goes_on(above: Passage, passage: Passage, known: Vocabulary) -> bool:
    kinds: Sequence[Kind] = (Kind.TEXT, Kind.ITEM)
    return (
        above.kind in kinds
        and passage.kind is Kind.TEXT
        and abs(above.size - passage.size) < 0.06 * above.size
        and divides_word(above.lines[-1].text, passage.lines[0].text, known)
    )


_QUOTES = "\"“„«‘'—–"
_MAX_LINES = 300  # of one paragraph, so that the work for each page does not grow
_MAX_BETWEEN = 4  # passages between the two halves of one


def join_continued(columns: Sequence[Sequence[Passage]], typography: Typography) -> list[Passage]:
    """Return the passages of all columns in order, with those that continue in the next column joined."""
    found: list[Passage] = []
    for passages in columns:
        rest = list(passages)
        for last in _possible_ends(found, typography):
            index = _continuation(found[last], rest, typography, certain=last < len(found) - 1)
            if index is not None:
                found[last] = _joined(found[last], rest.pop(index))
                break
        found += rest
    return found


def _possible_ends(passages: Sequence[Passage], typography: Typography) -> Iterator[int]:
    """Yield the indexes of the passages that may go on: the last before tables and captions, and before small notes."""
    near = range(len(passages) - 1, max(-1, len(passages) - 1 - _MAX_BETWEEN), -1)
    last = next((index for index in near if not _is_inserted(passages[index], passages[index].size)), len(passages) - 1)
    if passages:
        yield last
    small = passages and passages[last].size < 0.94 * typography.body
    normal = next((index for index in near if not _is_inserted(passages[index], typography.body)), last)
    if small and normal != last:
        yield normal


def _is_inserted(passage: Passage, size: float) -> bool:
    other = abs(passage.size - size) > 0.06 * size
    return passage.kind in (Kind.TABLE, Kind.LISTING) or other or bool(CAPTION.match(passage.text))


def _continuation(
    passage: Passage, following: Sequence[Passage], typography: Typography, *, certain: bool
) -> int | None:
    """Return the index of the following passage that continues another, or None."""
    for index, candidate in enumerate(following[: _MAX_BETWEEN + 1]):
        if _continues(passage, candidate, typography, certain=index > 0 or certain):
            return index
        if not _is_inserted(candidate, passage.size):
            return None
    return None


def _continues(passage: Passage, following: Passage, typography: Typography, *, certain: bool) -> bool:
    """Whether a passage continues in another; ``certain`` requires an unfinished sentence."""
    if {passage.kind, following.kind} - {Kind.TEXT, Kind.ITEM} or following.kind is Kind.ITEM:
        return False
    if len(passage.lines) > _MAX_LINES:
        return False
    if CAPTION.match(following.text) or CAPTION.match(passage.text):
        return False
    if abs(passage.size - following.size) > 0.06 * passage.size or passage.bold != following.bold:
        return False
    last, first = passage.lines[-1], following.lines[0]
    if last.text.endswith(("-", "‐", "\u00ad")) and first.text[:1].islower():
        return True
    lower_case = first.text[:1].islower()
    short = is_short(last, first, passage.right)
    if certain or short:
        return lower_case and not last.ends_sentence and not (certain and short)
    indented = first.left > following.left + 0.6 * first.size and passage.kind is Kind.TEXT
    if lower_case or not last.ends_sentence:
        return lower_case or not (typography.indent and indented)
    if indented or passage.size > 1.1 * typography.body:
        return False
    return typography.indent > 0 or (len(passage.lines) > 1 and first.text[0] not in _QUOTES)


def _joined(passage: Passage, more: Passage) -> Passage:
    return replace(passage, lines=(*passage.lines, *more.lines), right=more.right)
