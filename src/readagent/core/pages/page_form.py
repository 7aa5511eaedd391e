"""The form of a reply that divides a passage: consecutive pages, each with its gist and the label where it ends."""

from __future__ import annotations

import json
import re
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from readagent.core.form import strip_thinking, unfenced
from readagent.core.patterns import lazy_pattern

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
