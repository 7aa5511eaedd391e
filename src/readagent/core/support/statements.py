"""Split an answer into what it states: its sentences, list items and rows of tables."""

from __future__ import annotations

from collections.abc import Iterator

from readagent.core.patterns import lazy_pattern
from readagent.core.words import sentences

_ITEM = lazy_pattern(r"^\s*(?:[-*+•‣·–]|\(?\d{1,3}[.)]|\(?[a-z][.)])\s+(?=\S)")
_ENDS = lazy_pattern(r"^\s{0,3}#{1,6}\s|^\s*(?:[-=*_]\s*){3,}$|^\s*```|^[\s|:\-]*$")  # headings, rules, empty lines
_QUOTED = lazy_pattern(r"^\s*>+\s?")
_MARKUP = lazy_pattern(r"\*+|`+|(?<!\w)_+|_+(?!\w)")
_PAGES = lazy_pattern(r"\s*[(\[]\s*pages?\s*\d+(?:\s*[,;&–-]\s*\d+)*\s*[)\]]")
_MARKS = {"“": "”", "„": "“”", "«": "»", "「": "」", "『": "』"}


def statements(answer: str) -> list[str]:
    """Return the statements of an answer, in order and as they are worded, without markup and references to pages.

    A line that only introduces a list is none, and neither is a heading. A word such as "Yes." belongs to what follows.
    """
    return [piece for unit in _units(answer) for piece in split_sentences(unit) if any(map(str.isalnum, piece))]


def split_sentences(text: str) -> list[str]:
    """Return the sentences of a text. A single word belongs to the sentence after it; quotations are not divided."""
    found: list[str] = []
    for piece in sentences(text):
        if found and ((len(found[-1].split()) == 1 and found[-1].isascii()) or _is_open(found[-1])):
            found[-1] = f"{found[-1]} {piece}"
        else:
            found.append(piece)
    return found


def _is_open(text: str) -> bool:
    """Return whether a quotation begins in a text and does not end there."""
    marks = (mark for mark in _MARKS if mark in text and not (mark == "“" and "„" in text))
    return bool(text.count('"') % 2) or any(
        text.count(mark) > sum(text.count(close) for close in _MARKS[mark]) for mark in marks
    )


def _units(answer: str) -> Iterator[str]:
    """Yield paragraphs, list items and rows of tables, each on one line."""
    held: list[str] = []
    lines = [_QUOTED.sub("", line) for line in answer.splitlines()]
    for number, line in enumerate(lines):
        item = _ITEM.match(line)
        ends = bool(_ENDS.match(line))
        if held and (item or ends or line.lstrip().startswith("|")):
            following = next((one for one in lines[number:] if one.strip()), "")
            if not (held[-1].rstrip(" *_").endswith((":", "：")) and _ITEM.match(following)):
                yield _plain(" ".join(held))
            held = []
        if not ends:
            held.append(line[item.end() :] if item else line.strip().strip("|").replace("|", ", "))
    if held:
        yield _plain(" ".join(held))


def _plain(text: str) -> str:
    return _PAGES.sub("", " ".join(_MARKUP.sub("", text).split()))
