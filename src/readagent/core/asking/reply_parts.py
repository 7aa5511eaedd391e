"""Split a reply into the answer, the quotes that support it, what it says is missing, and how sure the model is."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from readagent.core.asking.absence import says_absent
from readagent.core.asking.answer_check import without_courtesy
from readagent.core.failure_text import is_refusal
from readagent.core.form import strip_thinking, unfenced
from readagent.core.patterns import lazy_pattern
from readagent.core.words import count_words, truncate

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


_ANSWER = lazy_pattern(r"<(answer|response|reply)>(?P<text>.*?)</\1>", re.I | re.S)
_QUOTE = lazy_pattern(r"<quote\b(?P<facts>[^<>]{0,80})>(?P<text>.*?)</quote>", re.I | re.S)
_QUOTES = lazy_pattern(r"</?(?:quotes|quotations|evidence|citations)>", re.I)
_NUMBER = lazy_pattern(r"\d{1,9}")
_QUOTED = r"page\s*\[?\d{1,9}\]?\s*[:：]\s*[\"“«][^\"“”«»\n]+[\"”»]"
_IN_LINE = lazy_pattern(  # a quote after the answer on one line, in brackets or not
    rf"(?<=[^\W\d_])(?:(?P<mark>[.!?])[^\S\n]+(?P<quote>{_QUOTED})|[^\S\n]+[(\[](?P<inside>{_QUOTED})[)\]])\.?[^\S\n]*$",
    re.I | re.M,
)
_TABLE = lazy_pattern(
    r"^\|\s*page\s*\|\s*quot\w*\s*\|[^\S\n]*\n\|[-:\s|]+\|[^\S\n]*\n(?P<rows>(?:\|.*(?:\n|$))+)", re.I | re.M
)
_ROW = lazy_pattern(r"^\|\s*(?:page\s*)?(?P<page>\d{1,9})\s*\|(?P<text>[^|\n]*)\|", re.I | re.M)
_NOTE = lazy_pattern(r"^\[\d{1,3}\]:?[^\S\n]+(?=page\b)", re.I | re.M)
_NOTE_MARK = lazy_pattern(r"(?<=[\w.!?,;\"”»)])\[\d{1,3}\]")
_NAME = r"(?:(?:my|the)[ \t])?(?:final[ \t])?answer"
_EMPHASISED = lazy_pattern(  # the label and the answer together: "**Answer: Irma.**"
    rf"^[ \t]*(?P<mark>\*{{1,3}}|_{{1,3}}){_NAME}[ \t]?[:：](?!(?P=mark))(?P<said>[^\n]*?\S)(?P=mark)(?!\w)",
    re.I | re.M,
)
_LABEL_HEADING = lazy_pattern(  # the label as a heading above the answer
    rf"^[ \t]*(?:#{{1,6}}[ \t]*(?P<mark>\*\*|__)?{_NAME}(?(mark)(?P=mark))|(?P<bold>\*\*|__){_NAME}(?P=bold))[ \t]*\n+",
    re.I | re.M,
)
_ANSWER_FIELDS = ("answer", "response", "reply", "text", "result")
_QUOTE_FIELDS = ("quotes", "quotations", "quote", "evidence", "citations", "passages", "supporting_quotes")


def as_lines(reply: str) -> str:
    """Return a reply as an answer with its quotes on lines of their own; one that is so already stays as it is."""
    if lines := _from_json(unfenced(reply)):
        return "\n".join(lines)
    text = reply
    if "</" in text and (_ANSWER.search(text) or _QUOTE.search(text)):
        text = _QUOTES.sub("", _ANSWER.sub(lambda found: found["text"].strip(), text))
        text = _QUOTE.sub(lambda found: "\n" + _line(found["text"], found["facts"]), text).strip()
    if _NOTE.search(text):
        text = _NOTE_MARK.sub("", _NOTE.sub("", text))
    text = _TABLE.sub(
        lambda found: "\n".join(_line(row["text"], row["page"]) for row in _ROW.finditer(found["rows"])), text
    )
    return _IN_LINE.sub(lambda found: f"{found['mark'] or '.'}\n{found['quote'] or found['inside']}", text)


def plain_label(text: str) -> str:
    """Return a reply with the label of its answer in plain form, ``Answer: Irma.``, whatever its markup was."""
    return _LABEL_HEADING.sub("Answer: ", _EMPHASISED.sub(r"Answer:\g<said>", text))


def _line(quote: str, facts: str = "") -> str:
    words, page = " ".join(quote.split()).strip('"“”'), _NUMBER.search(facts)
    return f'Page {page[0]}: "{words}"' if page else f'Quote: "{words}"'


def _from_json(text: str) -> list[str]:
    """Return the lines of a JSON object with an answer; none for anything else."""
    if not text.startswith("{"):
        return []
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return []
    answer = next((value[name] for name in _ANSWER_FIELDS if isinstance(value.get(name), str | int)), None)
    if answer is None or not str(answer).strip():
        return []
    listed: Any = next((value[name] for name in _QUOTE_FIELDS if name in value), [])
    return [str(answer).strip(), *_quotes(listed)]


def _quotes(value: Any) -> Iterator[str]:
    for one in value if isinstance(value, list) else [value]:
        if isinstance(one, str) and one.strip():
            yield one if re.match(r"\W*page\b", one, re.I) else _line(one)
        elif isinstance(one, dict):
            texts = [field for field in one.values() if isinstance(field, str) and len(field.split()) > 1]
            page = next((str(field) for name, field in one.items() if "page" in name.lower()), "")
            yield from (_line(text, page) for text in texts[:1])


MISSING = "MISSING"  # the word for it in replies; also the value if the reply does not say what is missing
_MISSING = lazy_pattern(
    r"(?:^[^\w\n]{0,6}missing|(?<=[.!?:;)] )[\"'“*]{0,3}(?-i:MISSING))[^\w\n:：–—-]{0,4}(?:[:：–—-](?P<probe>.*)|$)",
    re.I | re.M | re.S,
)
_NOTHING = frozenset("nothing none missing not the information page pages more further other needed required".split())
_LEAD_IN = lazy_pattern(r"^[^?？:：]{0,60}[:：]\s*(?=\S[^\n]*[?？])")
_WORD = lazy_pattern(r"\w{3,}")
_MOST_WORDS = 60


def split_missing(reply: str) -> tuple[str, str]:
    """Return the answer in a reply and what it says is missing: a question, ``MISSING`` alone, or "".

    Words before a question are no answer unless they quote the text: they say why it is asked.
    """
    found = _MISSING.search(unfenced(reply))
    if found is None:
        return reply, ""
    answer, probe = unfenced(reply)[: found.start()].strip(), question_in(_unquoted(found["probe"] or ""))
    if probe:
        return answer if split_reply(answer).quotes else "", probe
    return answer, "" if answer else MISSING


def _unquoted(text: str) -> str:
    """Return the rest of a reply without the end of a JSON object: ``"Who paid?"}``."""
    return re.sub(r"[\s\"'”]*\}\s*$", "", text)


def question_in(text: str) -> str:
    """Return the question in a text, without what introduces it, to look up pages with; empty if there is none."""
    lines = [line.strip(" \t*_\"'`>-") for line in unfenced(strip_thinking(text)).splitlines()]
    asking = [line for line in lines if line.endswith(("?", "？"))]
    line = _LEAD_IN.sub("", next(filter(None, [*asking[:1], *lines]), "")).strip(" \t\"'“”")
    line = re.sub(r"^\d{1,2}[.)]\s+", "", line)
    words = set(_WORD.findall(line.lower()))
    useless = words <= _NOTHING or is_refusal(line) or not split_reply(line).found_in_text
    return "" if useless else truncate(line, _MOST_WORDS)


_CERTAINTY = re.compile(r"\s*^Certainty: (\d{1,3}) %\s*\Z", re.M)


def with_certainty(reply: str, certainty: float) -> str:
    """Return a reply with the line at its end; ``certainty`` is between 0 and 1."""
    return f"{reply}\nCertainty: {round(100 * certainty)} %"


def split_certainty(reply: str) -> tuple[str, float | None]:
    """Return a reply without the line, and the certainty; None if there is no such line."""
    found = _CERTAINTY.search(reply)
    return (reply, None) if found is None else (reply[: found.start()], min(100, int(found[1])) / 100)
