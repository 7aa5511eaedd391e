"""Split a reply into the answer and the quotes that support it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from readagent.core.asking.absence import says_absent
from readagent.core.asking.courtesy import without_courtesy
from readagent.core.patterns import lazy_pattern
from readagent.core.words import count_words

_MARKS = "\"“”„«»‘’'`「」『』"
_LEAD = r"^[ \t>*_\-•\d.)|]{0,8}"
_PAGE = (
    r"[<\[(*_]{{0,6}}(?:pages?|pg?\.|seiten?|p[áa]ginas?|pagin[ae]|страниц[аы]|стр\.|stron[ay]|sayfa|صفحة|الصفحة)\s*[\[(<]?"
    r"(?P<{0}>\d{{1,9}})(?:\s?[-–]\s?\d{{1,9}})?[>\])*_]{{0,6}}|第?\s?(?P<{0}_counted>\d{{1,9}})\s?(?:页|頁|ページ"
    r"|페이지|쪽)"
)
_LINE = lazy_pattern(
    rf"{_LEAD}(?:quote\s*\d*\s*[:(\[-]*\s*)?(?:{_PAGE.format('page')})\s*(?:[:：,\-–—)]+"
    rf"|(?=[{_MARKS}]))\s*(?P<text>\S.*)$"
    rf"|{_LEAD}quote\s*\d*\s*:\s*(?P<bare>\S.*)$"
    r"|^\s*>\s*(?P<block>\S.*)$"
    rf"|^\|\s*(?:page\s*)?(?P<row>\d{{1,9}})\s*\|\s*(?P<cell>[^|]*[{_MARKS}])\s*\|?\s*$"
    rf"|{_LEAD}(?P<marked>[{_MARKS}].*[{_MARKS}][.,]?)\s*[\[(]\s*(?:{_PAGE.format('after')})\s*[\])][.,]?\s*$",
    re.I | re.S,
)
_HEADING = lazy_pattern(
    r"^\W*(?:quotes?|quotations?|evidence|passages?|supporting (?:quotes?|passages?))\W*$"
    rf"|^\|?\s*page\s*\|[^|]*\|?\s*$|^\|[\s:|-]+$|{_LEAD}(?:{_PAGE.format('alone')})\s?[:：]\s*$",
    re.I,
)
_SOURCE = lazy_pattern(rf"\s*>?\s*[—–-]+\s*(?:{_PAGE.format('source')})\W*", re.I)  # below a quote
_BROKEN = lazy_pattern(  # a quote on the line below its page
    rf"^({_LEAD[1:]}(?:{_PAGE.format('one')})\s?[:：])[ \t]*\n+(?=[ \t]*[{_MARKS}])", re.I | re.M
)
_INSIDE = lazy_pattern(r'"([^"\n]{12,400})"|“([^”\n]{12,400})”|«([^»\n]{12,400})»|「([^」\n]{6,400})」')
_BARE = lazy_pattern(rf"{_LEAD}(?P<bare>[\"“„«「『].*[\"”“»」』][.,]?)\s*$", re.S)  # a line that is all quotation
_REMARKED = lazy_pattern(  # a quote that a remark of the model follows on its line
    r"^[\"“„«「](?P<quote>[^\"“”„«»「」]{12,}[^\"“”„«»「」,?!])[\"”“»」]\s+\w[^\"“”„«»「」]*$"
)
_LEAST_INSIDE = 4  # words that a quotation inside the answer must have to count as a quote
_PAGE_GROUPS = ("page", "page_counted", "row", "after", "after_counted")
_OPENING = ('"', "“", "„", "«", "「", "『", "'", "‘")
_CLOSED = lazy_pattern(r"[\"”“»」』'’][.,;)\]*_ ]*$")
_LONGEST = 1500  # characters of a quote over several lines, at most
_PAGE_WORDS = ("page", "seite", "página", "pagina", "страниц", "стр.", "stron", "sayfa", "صفحة", "الصفحة", "第", "页",
               "頁", "ページ", "페이지", "쪽")  # fmt: skip
_HEADINGS = ("quotes", "quotations", "evidence", "passages", "supporting quotes", "supporting passages", *_PAGE_WORDS)
_LONGEST_LEAD = 12  # characters before the first letter of a quote
_DECIDED = 30  # letters of a line after which it is certain whether it is a quote


@dataclass(frozen=True, slots=True)
class ReplyParts:
    """The answer, the quotes with the pages that they name, and whether the answer was found in the text."""

    answer: str
    quotes: tuple[tuple[int | None, str], ...]
    found_in_text: bool


def split_reply(reply: str, in_text: Callable[[str], bool] = lambda words: False) -> ReplyParts:
    """Split any reply; ``in_text`` says whether words are in the text.

    Lines that quote are removed from the answer, and so are courtesies around it; quotations inside a line stay.
    """
    lines: list[str] = []
    quotes: list[tuple[int | None, str]] = []
    for line in _joined(_BROKEN.sub(r"\1 ", reply).split("\n")):
        if quotes and _SOURCE.fullmatch(line):
            continue
        if found := _LINE.match(line):
            page = next(filter(None, (found[name] for name in _PAGE_GROUPS)), None)
            text = found["text"] or found["bare"] or found["block"] or found["cell"] or found["marked"]
            quotes.append((int(page) if page else None, _without_remark(text, in_text)))
        elif (bare := _BARE.match(line)) and _is_apart(lines) and in_text(_unwrapped(bare["bare"])):
            quotes.append((None, _unwrapped(bare["bare"])))
        else:
            lines.append(line)
    answer = "\n".join(line for line in lines if not (quotes and _HEADING.match(line))).strip()
    quotes += [(None, text) for line in answer.split("\n") for text in _inside(line, in_text)]
    answer = without_courtesy(answer, in_text) or ("" if quotes else answer)
    return ReplyParts(answer, tuple(quotes), not says_absent(answer))


def _is_apart(lines: Sequence[str]) -> bool:
    """Return whether an answer stands before a line, and does not introduce it as "She says:" does."""
    above = next((line.rstrip(" *_") for line in reversed(lines) if line.strip()), "")
    return bool(above) and (not above.endswith((":", "：")) or bool(_HEADING.match(above)))


def _inside(line: str, in_text: Callable[[str], bool]) -> list[str]:
    """Return the quotations inside a line of the answer; a line of dialogue that is in the text is one."""
    found = ["".join(match.groups("")) for match in _INSIDE.finditer(line)]
    if len(found) > 1 and (bare := _BARE.match(line)) and in_text(_unwrapped(bare["bare"])):
        return [_unwrapped(bare["bare"])]
    return [text for text in found if count_words(text) >= _LEAST_INSIDE]


def _without_remark(text: str, in_text: Callable[[str], bool]) -> str:
    """Return a quote without marks, and without what the model says about it on the same line."""
    remarked = _REMARKED.match(text.strip())
    return remarked["quote"] if remarked and in_text(remarked["quote"]) else _unwrapped(text)


def _unwrapped(text: str) -> str:
    """Return a quote without the marks around it; marks inside it stay."""
    text = text.strip(" \t\n*_")
    if len(text) > 2 and text[-1] in ".," and text[-2] in _MARKS:
        text = text[:-1]
    if text[:1] in tuple(_MARKS):
        text = text[1:]
    return (text[:-1] if text[-1:] in tuple(_MARKS) else text).strip()


def _joined(lines: Sequence[str]) -> Iterator[str]:
    """Yield the lines; a quote over several lines is joined to one, unless it is never closed."""
    held: list[str] = []
    for line in lines:
        if held and (_LINE.match(line) or sum(map(len, held)) > _LONGEST):
            yield from held
            held = []
        if not held and not _opens(line):
            yield line
            continue
        held.append(line)
        if _CLOSED.search(line) and (len(held) > 1 or len(_opens(line)) > 1):
            yield "\n".join(held)
            held = []
    yield from held


def _opens(line: str) -> str:
    """Return what a line quotes if that begins with a quotation mark, or else ""."""
    found = _LINE.match(line)
    text = (found["text"] or found["bare"] or found["block"] or "") if found else ""
    return text if text[:1] in _OPENING else ""


def is_quote(line: str) -> bool:
    """Return whether a line is a quote, or a heading above quotes."""
    return bool(_LINE.match(line.rstrip()) or _HEADING.match(line) or _BARE.match(line))


def may_become_quote(line: str) -> bool:
    """Return whether the beginning of a line, while it arrives, may turn out to be a quote or a heading of quotes."""
    first = next((at for at, character in enumerate(line) if character.isalpha()), len(line))
    lead, said = line[:first], line[first:].lower()
    if len(lead) > _LONGEST_LEAD or len(line) > _LONGEST:
        return False
    if any(mark in lead for mark in (*_MARKS, ">", "|")):
        return True
    return any(word.startswith(said) for word in _HEADINGS) or (
        said.startswith(("quot", "passage", "evidence", "supporting", *_PAGE_WORDS)) and len(said) < _DECIDED
    )
