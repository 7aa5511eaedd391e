"""Join the lines of a passage to a text, and rejoin words that were hyphenated at the ends of lines.

No dictionary is needed: the rest of the document shows whether a word is written as one or with a hyphen.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from readagent.loaders.pdf.layout.sheet import Line
from readagent.loaders.pdf.layout.typography import is_cjk
from readagent.loaders.text.numerals import number_of

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
