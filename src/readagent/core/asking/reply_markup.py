"""Replies in JSON or in tags, rewritten as the lines that were asked for: the answer, then a line for each quote."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from readagent.core.patterns import lazy_pattern
from readagent.core.replies import unfenced

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
_HEADING = lazy_pattern(  # the label as a heading above the answer
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
    return _HEADING.sub("Answer: ", _EMPHASISED.sub(r"Answer:\g<said>", text))


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
