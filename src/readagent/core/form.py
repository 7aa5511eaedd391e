"""Form: a reply of several parts, with a JSON schema for servers; and replies without thinking and code fences."""

from __future__ import annotations

import json
import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from readagent.core.failure_text import is_refusal
from readagent.core.patterns import lazy_pattern

THOUGHT = lazy_pattern(r"<(/?)(?:think|thinking|thought|reasoning|reflection)\b[^<>]{0,80}>", re.I)
_MARKUP = lazy_pattern(r"[*`#]+|~~+|\\boxed|(?<!\w)_+|_+(?!\w)")
_EXPLAINS = lazy_pattern(r"reason|rationale|why|because|explanation|thought|analysis|comment|note|evidence", re.I)
_OUTER = 2000  # characters at each end of a long reply that are searched for a decision


def strip_thinking(text: str) -> str:
    """Return the reply without its thinking, even if that was opened in the prompt or never closed."""
    said: list[str] = []
    depth = start = 0
    for tag in THOUGHT.finditer(text):
        if tag[1]:
            if depth == 0:
                said.clear()
            depth = max(0, depth - 1)
        else:
            if depth == 0:
                said.append(text[start : tag.start()])
            depth += 1
        start = tag.end()
    if depth == 0:
        said.append(text[start:])
    return "".join(said).strip()


def unfenced(text: str) -> str:
    """Return the content of a reply that is a single fenced block, or else the reply, stripped."""
    text = text.strip()
    first, newline, rest = text.partition("\n")
    language = first.removeprefix("```").strip()
    if newline and first.startswith("```") and rest.endswith("```") and (not language or language.isalnum()):
        return rest[:-3].strip()
    return text


def plain(reply: str, names: Sequence[str] = ()) -> str:
    """Return a reply without thinking, fences and markup: the value of a JSON reply, and "" for a refusal.

    ``names`` are what the value may be called in JSON, besides "answer".
    """
    text = unfenced(strip_thinking(reply))
    from_json = _json_value(text, [form for name in ("answer", *names) for form in (name, f"{name}s")])
    if from_json is not None:
        return from_json
    if is_refusal(text):
        return ""
    if len(text) > 2 * _OUTER:
        text = f"{text[:_OUTER]}\n{text[-_OUTER:]}"
    return "\n".join(line for part in _MARKUP.sub(" ", text).splitlines() if (line := part.strip()))


def _json_value(text: str, names: Sequence[str]) -> str | None:
    """Return the value in a JSON reply: that of one of these names, or the first that is no explanation."""
    if not text.startswith(("{", "[", '"')):
        return None
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    if isinstance(value, list):
        value = [_named(item, names) if isinstance(item, dict) else item for item in value]
    elif isinstance(value, dict):
        value = _named(value, names)
    if isinstance(value, list):
        return "[" + ", ".join(str(item) for item in value) + "]"
    return str(value) if isinstance(value, str | int) and not isinstance(value, bool) else str(value).lower()


def _named(value: dict[str, Any], names: Sequence[str]) -> Any:
    """Return the value of one of these names, or the first that is no explanation."""
    known = {re.sub(r"[\W_]+", " ", name).lower(): one for name, one in value.items()}
    said = [one for name, one in value.items() if not _EXPLAINS.match(name)]
    return next((known[name] for name in names if name in known), said[0] if said else None)


_LABEL = lazy_pattern(
    r"^[ \t>#*_`-]*(?:\d{1,3}[.)][ \t]+)?(?:(?:page|label|break point|pause|ends?)\b[^\n<\[]{0,40})?[*_`]*"
    r"(?:[<\[][ \t]*[0-9][0-9,]{0,9}[ \t]*[>\]][ \t]*(?:-|–|—|to)[ \t]*)?"
    r"[<\[][ \t]*([0-9][0-9,]{0,9})[ \t]*[>\]][*_`)]*[ \t]*[:.–—-]?[ \t]*",
    re.M | re.I,
)
_BARE = lazy_pattern(
    r"^[ \t>#*_`-]*(?:(?:label|page ends?|ends?)\b[^\n\d]{0,20})?([0-9]{2,6})[*_`]*[ \t]*[:–—-][ \t]*", re.M | re.I
)
_CLOSING = lazy_pattern(r"\s*</[ \t]*[0-9,]{1,10}[ \t]*>\s*$")
_ESCAPED = lazy_pattern(r"&lt;(/?[0-9,]{1,10})&gt;")
_END, _GIST = ("end", "ends", "label", "pause", "at"), ("gist", "shortened", "text", "summary", "page")


class Form(Protocol):
    """The format of a reply of several parts."""

    def schema(self) -> dict[str, Any]:
        """Return a JSON schema that allows only such replies."""
        ...

    def example(self) -> str:
        """Return a short example of a reply in JSON."""
        ...

    def conforms(self, value: Any) -> bool:
        """Return whether a JSON value has the shape of the schema."""
        ...


@dataclass(frozen=True, slots=True)
class Pages:
    """Consecutive pages, each with its gist and the label where it ends. A label is the number of words before it.

    A page has between ``least`` and ``most`` words, and no page crosses one of the ``breaks``, which are labels too.
    """

    labels: tuple[int, ...]
    least: int
    most: int
    breaks: tuple[int, ...] = ()

    def schema(self) -> dict[str, Any]:
        page = {"type": "object", "properties": {"end": {"type": "integer"}, "gist": {"type": "string"}},
                "required": ["end", "gist"], "additionalProperties": False}  # fmt: skip
        return {"type": "object", "properties": {"pages": {"type": "array", "items": page}}, "required": ["pages"],
                "additionalProperties": False}  # fmt: skip

    def example(self) -> str:
        end = next((label for label in self.labels if label >= self.least), self.labels[-1])
        return f'{{"pages": [{{"end": {end}, "gist": "..."}}, ...]}}'

    def conforms(self, value: Any) -> bool:
        pages = value.get("pages") if isinstance(value, dict) else None
        return isinstance(pages, list) and all(isinstance(one, dict) and {"end", "gist"} <= set(one) for one in pages)

    def parse(self, reply: str) -> list[tuple[int, str]]:
        """Return the labels that a reply names, in order, each with its gist. It never raises.

        A number that is not a label means the nearest one. Labels that do not increase are left out.
        """
        text = _ESCAPED.sub(r"<\1>", unfenced(strip_thinking(reply)))
        named: list[tuple[int, str]] = []
        for number, gist in list(_from_json(text)) or _from_lines(text):
            label = self._nearest(number)
            if not named or label > named[-1][0]:
                named.append((label, _CLOSING.sub("", gist).strip()))
        return named

    def _nearest(self, number: int) -> int:
        after = min(bisect_left(self.labels, number), len(self.labels) - 1)
        return min(self.labels[max(0, after - 1) : after + 1], key=lambda label: abs(label - number))


def _from_json(text: str) -> Iterator[tuple[int, str]]:
    """Find the pages in a JSON reply, even if it is truncated or inside other text."""
    decoder = json.JSONDecoder()
    at = text.find("{")
    while 0 <= at < len(text):
        try:
            value, end = decoder.raw_decode(text, at)
        except (ValueError, RecursionError):
            end = at + 1
        else:
            yield from _pages_in(value)
        at = text.find("{", end)


def _pages_in(value: Any) -> Iterator[tuple[int, str]]:
    if not isinstance(value, dict):
        return
    number, gist = _first(value, _END, _number), _first(value, _GIST, _text)
    if number is not None and gist is not None:
        yield number, gist
        return
    for inner in value.values():
        for one in inner if isinstance(inner, list) else ():
            yield from _pages_in(one)


def _first(value: dict[str, Any], names: tuple[str, ...], read: Any) -> Any:
    found = (read(value[name]) for name in names if name in value)
    return next((one for one in found if one is not None), None)


def _number(value: Any) -> int | None:
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    digits = re.fullmatch(r"\D{0,20}([0-9]{1,9})\D{0,20}", value.replace(",", "")) if isinstance(value, str) else None
    return int(digits[1]) if digits else None


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) else None


def _from_lines(text: str) -> Iterator[tuple[int, str]]:
    """Find labels at the start of lines, each with the text after it, or before it if every label ends its text."""
    found = list(_LABEL.finditer(text)) or list(_BARE.finditer(text))
    if not found:
        return
    bounds = [*(match.start() for match in found), len(text)]
    after = [text[match.end() : end] for match, end in zip(found, bounds[1:], strict=True)]
    before = [text[: found[0].start()], *after[:-1]]
    closing = not after[-1].strip() and all(one.strip() for one in before)
    for match, gist in zip(found, before if closing else after, strict=True):
        yield int(match[1].replace(",", "")), gist
