"""Parse statements that name their pages: "She leaves the island [Page 3]. Nobody follows her [Pages 3, 4].".

Lines that speak to the user are left out, and prose that was sent as JSON is read as text.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Any

from readagent.core.failure_text import find_failure, is_refusal
from readagent.core.form import strip_thinking, unfenced
from readagent.core.overviews.points import Point
from readagent.core.patterns import lazy_pattern
from readagent.core.words import sentences

_AGREES = lazy_pattern(
    r"\W*(?:sure(?: thing)?|certainly|of course|absolutely|okay|gerne|natürlich|bien sûr|claro"
    r"|por supuesto|конечно|当然)"
    r"\W*(?:(?:i|here|let me|hier|voici|aquí|вот)\b.*)?",
    re.I,
)
_HOPES = lazy_pattern(
    r"(?:(?:i|we) )?hope (?:that )?(?:this|that|these|it)\b[^.!?]{0,40}\b(?:helps?|helped|helpful|useful)\b.{0,60}"
    r"|ich hoffe,? (?:das|dies|diese|es)\b[^.!?]{0,40}\b(?:hilft|helfen|geholfen|hilfreich)\b.{0,40}"
    r"|j['’]espère que (?:cela|ça|ceci|cette)\b[^.!?]{0,40}\b(?:aide|aidera|utile)\b.{0,40}"
    r"|espero que (?:esto|isso|isto|te|le|lhe)\b[^.!?]{0,40}\b(?:ayude|ajude|sirva|útil)\b.{0,40}"
    r"|spero che (?:questo|ti|le)\b[^.!?]{0,40}\b(?:aiuti|utile)\b.{0,40}"
    r"|надеюсь,? (?:это|что)\b[^.!?]{0,40}\bпомо\w+.{0,40}|希望(?:这|這).{0,12}(?:帮助|幫助).{0,12}",
    re.I,
)


def is_chatter(line: str) -> bool:
    """Return whether a line of a list is no item of it, but a preface, a refusal or a closing courtesy."""
    return line.rstrip(" *_").endswith((":", "：")) or bool(_AGREES.fullmatch(line)) or closes(line) or is_refusal(line)


def closes(sentence: str) -> bool:
    """Return whether a sentence is a courtesy at the end of a reply: a hope that it helps, or an offer."""
    failure = find_failure(sentence)
    return hopes_to_help(sentence) or (failure is not None and failure.offer)


def hopes_to_help(sentence: str) -> bool:
    """Return whether a sentence only says that the reply will help, it is hoped."""
    return bool(_HOPES.fullmatch(sentence.strip()))


_WRAPPED = lazy_pattern(r'^\{\s*"[^"\n]{1,40}"\s*:\s*"(?P<text>.*?)"?\s*\}?\s*$', re.S)
_PAGES = lazy_pattern(r"pages?|seiten?|source|sources|citations?", re.I)
_NUMBER = lazy_pattern(r"\d{1,6}")


def plain_prose(text: str) -> str:
    """Return the strings of a JSON object or list as paragraphs; any other text as it is."""
    if not text.lstrip().startswith(("{", '["', "[{")):
        return text
    try:
        return "\n\n".join(_texts(json.loads(text))) or text
    except (ValueError, RecursionError):  # it may have been cut off, or have line breaks inside its strings
        wrapped = _WRAPPED.match(text.strip())
        return wrapped["text"].replace("\\n", "\n").replace('\\"', '"') if wrapped else text


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str) and value.strip():
        yield value.strip()
    elif isinstance(value, list):
        yield from (text for one in value for text in _texts(one))
    elif isinstance(value, dict):
        named = {name: one for name, one in value.items() if _PAGES.fullmatch(str(name))}
        texts = [text for name, one in value.items() if name not in named for text in _texts(one)]
        pages = _NUMBER.findall(str(list(named.values())))
        if pages and texts:
            texts[-1] += f" [Pages {', '.join(pages)}]" if not re.search(r"\[pages? ", texts[-1], re.I) else ""
        yield from texts


_NUMBERS = r"\d{1,6}(?:\s*(?:[,;/&+–—-]|and|to|und|bis|et|y|и|、|，|,\s*and)\s*(?:pages?|pp?\.|seiten?)?\s*\d{1,6})*"
_NAMED = lazy_pattern(
    r"[\[【(<〈]\s*(?:see |cf\. |on )?(?:pages?|pp?\.?|pgs?\.?|seiten?|s\.|páginas?|стр(?:аниц[аы])?\.?|第)"
    rf"\s*[:#]?\s*({_NUMBERS})\s*(?:页|頁|ページ)?(?:,\s*(?:par|para|paragraph|line)s?\.?[^\])]{{0,20}})?\s*[\]】)>〉]",
    re.I,
)
_LOOSE = lazy_pattern(  # at the end of a line, or in the last cell of a table
    rf"(?:[—–-]\s*|\|\s*)?\b(?:pages?|pp?\.)\s*[:#]?\s*({_NUMBERS})\W*$|\|\s*({_NUMBERS})\s*\|?\s*$", re.I
)
_BARE = lazy_pattern(rf"[\[【]\s*({_NUMBERS})\s*[\]】]")
_RANGE = lazy_pattern(r"(\d{1,6})(?:\s*(?:[–—-]|to|bis)\s*(?:pages?|pp?\.)?\s*(\d{1,6}))?", re.I)
_LONGEST_RANGE = 400  # pages
_BULLET = lazy_pattern(r"^\s*(?:(?:[-*•–—]\s+)+|\d{1,3}[.)]\s+)")
_HEADING = lazy_pattern(
    r"^\s*(?:#{1,6}\s.*|\*\*[^*]+\*\*:?|(?:here|below|sure|certainly|of course)\b.*|.{0,60}:)\s*$", re.I
)
_CLOSING = ".!?。！？…"
_MARKUP = lazy_pattern(r"\*\*|__|^#{1,6}\s+")


@dataclass(frozen=True, slots=True)
class Cited:
    """A piece of a reply with the pages it names, as numbers that were shown."""

    text: str
    pages: tuple[int, ...]


def points_in(reply: str, allowed: Collection[int]) -> list[Point]:
    """Return the statements of a reply, one for each sentence, with those of the pages they name that are allowed.

    A sentence that names none has the pages of the next one that does in its paragraph. Courtesies at the end are left
    out. It never raises.
    """
    points: list[Point] = []
    text = plain_prose(unfenced(strip_thinking(reply)))
    mark = _NAMED if _NAMED.search(text) else _BARE
    for paragraph in re.split(r"\n\s*\n", text):
        begins = True
        for line in _lines(paragraph, mark):
            for one in _cited(line, mark, frozenset(allowed)):
                for sentence in sentences(one.text) or [one.text]:
                    if any(letter.isalnum() for letter in sentence):
                        points.append(Point(" ".join(sentence.split()), one.pages, begins=begins))
                        begins = False
    while points and (hopes_to_help(points[-1].text) or (not points[-1].pages and closes(points[-1].text))):
        points.pop()
    return points


def _lines(paragraph: str, mark: re.Pattern[str]) -> Iterator[str]:
    """Yield the lines of a paragraph but for headings; lines without a mark are joined to the next."""
    waiting = ""
    for line in paragraph.splitlines():
        if not mark.search(line) and _HEADING.match(line):
            continue
        waiting = f"{waiting} {_MARKUP.sub('', _BULLET.sub('', line))}".strip()
        if mark.search(line):
            yield waiting
            waiting = ""
    if waiting:
        yield waiting


def _cited(line: str, mark: re.Pattern[str], allowed: frozenset[int]) -> Iterator[Cited]:
    """Yield the pieces of a line with their pages, which stand after them, or before them if the line begins so."""
    marks = _joined(line, mark)
    if not marks:
        yield Cited(line.strip(), ())
        return
    leading = not line[: marks[0][0]].strip(" -–—:*") and line[marks[-1][1] :].strip(" .*") != ""
    at = 0
    for place, (start, end, numbers) in enumerate(marks):
        pages = tuple(page for page in numbers if page in allowed)
        if leading:
            last = marks[place + 1][0] if place + 1 < len(marks) else len(line)
            yield Cited(line[end:last].strip(" :-–—"), pages)
            continue
        text = line[at:start].strip()
        at = end
        closing = re.match(rf"\s*([{_CLOSING}])", line[end:])
        if closing:
            at += closing.end()
            text = text if text.endswith(tuple(_CLOSING)) else text + closing[1]
        yield Cited(text, pages)
    if not leading and line[at:].strip():
        yield Cited(line[at:].strip(), ())


def _joined(line: str, mark: re.Pattern[str]) -> list[tuple[int, int, list[int]]]:
    """Return where pages are named and which; marks with nothing between them are one."""
    found: list[tuple[int, int, list[int]]] = []
    for match in mark.finditer(line):
        numbers = list(_expanded(match[1]))
        if found and not line[found[-1][1] : match.start()].strip(" ,;"):
            start, _, before = found.pop()
            found.append((start, match.end(), [*before, *numbers]))
        else:
            found.append((match.start(), match.end(), numbers))
    return [(start, end, sorted(set(numbers))) for start, end, numbers in found]


def _expanded(numbers: str) -> Iterator[int]:
    for one in _RANGE.finditer(numbers):
        first, last = int(one[1]), int(one[2] or one[1])
        yield from range(first, last + 1) if first <= last <= first + _LONGEST_RANGE else (first, last)


def pages_in(text: str, allowed: Collection[int]) -> tuple[str, tuple[int, ...]]:
    """Return a line without the pages that it names, and those of them that are allowed."""
    mark = next((one for one in (_NAMED, _BARE, _LOOSE) if one.search(text)), None)
    if mark is None:
        return " ".join(text.split()), ()
    found = (next(filter(None, match.groups())) for match in mark.finditer(text))
    numbers = {page for one in found for page in _expanded(one) if page in allowed}
    return " ".join(mark.sub(" ", text).split()), tuple(sorted(numbers))
