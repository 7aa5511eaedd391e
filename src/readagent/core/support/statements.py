"""Split an answer into its statements: its sentences, and the items of its lists."""

from __future__ import annotations

import re
from collections.abc import Iterator

from readagent.core.patterns import lazy_pattern
from readagent.core.support.sentences import split_sentences

_ITEM = lazy_pattern(r"^\s*(?:[-*+•‣·–]|\(?\d{1,3}[.)]|\(?[a-z][.)])\s+(?=\S)")
_HEADING = lazy_pattern(r"^\s{0,3}#{1,6}\s|^\s*(?:[-=*_]\s*){3,}$|^\s*```")
_QUOTED = lazy_pattern(r"^\s*>+\s?")
_RULE = lazy_pattern(r"^[\s|:\-]+$")
_MARKUP = lazy_pattern(r"\*+|`+|(?<!\w)_+|_+(?!\w)")
_PAGES = lazy_pattern(
    r"\s*[(\[]\s*(?:see\s+|cf\.?\s+)?(?:pages?|pp?\.)\s*\d+(?:\s*(?:[,;&–-]|and|to)\s*(?:pages?\s*)?\d+)*\s*[)\]]", re.I
)
_QUOTE = lazy_pattern(r"\s*[(\[]\s*page\s*\d+\s*:\s*[\"“][^\"“”\n]*[\"”]\s*[)\]]", re.I)


def statements(answer: str) -> list[str]:
    """Return the statements of an answer, in order and as they are worded, without markup and references to pages.

    A line that only introduces a list is none, and neither is a heading. A bare "Yes." belongs to what follows it.
    """
    found: list[str] = []
    for unit in _units(answer):
        found += [piece for piece in split_sentences(unit) if any(map(str.isalnum, piece))]
    return found


def _units(answer: str) -> Iterator[str]:
    """Yield paragraphs, list items and rows of tables, each on one line."""
    held: list[str] = []
    lines = [_QUOTED.sub("", line) for line in answer.splitlines()]
    for number, line in enumerate(lines):
        item = _ITEM.match(line)
        ends = not line.strip() or bool(_HEADING.match(line)) or bool(_RULE.match(line))
        if held and (item or ends or line.lstrip().startswith("|")):
            if not (_introduces(held[-1]) and _item_follows(lines[number:])):
                yield _plain(" ".join(held))
            held = []
        if not ends:
            held.append(line[item.end() :] if item else line.strip().strip("|").replace("|", ", "))
    if held:
        yield _plain(" ".join(held))


def _introduces(line: str) -> bool:
    return line.rstrip(" *_").endswith((":", "："))


def _item_follows(lines: list[str]) -> bool:
    return bool(_ITEM.match(next((line for line in lines if line.strip()), "")))


def _plain(text: str) -> str:
    text = " ".join(_MARKUP.sub("", text).split())
    return " ".join(_PAGES.sub("", _QUOTE.sub("", text)).split())
