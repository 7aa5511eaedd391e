"""Tell sentences from other pieces of a text: headings, rows of tables, rules, code and labels of lists."""

from __future__ import annotations

import re

_ENDS = re.compile(r"[.!?…:;。！？][\"'”’»)\]*_]*$")
_MARKUP = re.compile(
    r"</?[A-Za-z!?][^<>]*>|\|.*\||[{}]\s*[;,]?|(?:^|\s)[-+=|_*#]{3,}(?:\s|$)|\S=[\"'’]|;\s*$|::|\\\w|\w\(\)"
)
_RULE = re.compile(r"[\s*#=~·•+|_.:-]+")
_LABEL = re.compile(r"[(\[]?(?:\d{1,3}(?:\.\d{1,3})*|[a-zA-Z]|[ivxlc]{1,5})[.)\]]?")
_NUMBERED = re.compile(r"\d{1,2}(?:\.\d{1,2})+\.?\s.{1,80}")  # a heading such as "1.2. What is this?"
_INNER = re.compile(r"['’/-]")  # within words
_EDGES = ".,;:!?…\"'“”‘’„«»()[]*_-—–"
_LEAST_LETTERS = 0.65  # of the characters of a sentence, without spaces
_LEAST_WORDS = 0.5  # of its parts between spaces that are words
_MARKS = 2  # marks of code or tables that no sentence has


def is_rule(text: str) -> bool:
    """Return whether a piece has no words: a row of stars or of "+---+", or an empty row of a table."""
    return _RULE.fullmatch(text) is not None


def is_label(text: str) -> bool:
    """Return whether a piece is the number or letter of an item, and nothing else."""
    return _LABEL.fullmatch(text.strip()) is not None


def is_sentence(text: str) -> bool:
    """Return whether a piece reads like a sentence: it ends like one, and is mostly words."""
    return _ENDS.search(text.rstrip()) is not None and is_wordy(text) and not _NUMBERED.fullmatch(text.strip())


def is_wordy(text: str) -> bool:
    """Return whether a piece is mostly words, and no code or row of a table."""
    solid = "".join(text.split())
    parts = [part.strip(_EDGES) for part in text.split()]
    words = sum(_INNER.sub("", part).isalpha() and not (part.isupper() and len(part) > 1) for part in parts)
    enough = sum(map(str.isalpha, solid)) >= _LEAST_LETTERS * max(1, len(solid)) and words >= _LEAST_WORDS * len(parts)
    return enough and len(_MARKUP.findall(text)) < _MARKS
