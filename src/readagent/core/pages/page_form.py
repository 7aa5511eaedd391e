"""The form of a reply that divides a passage: consecutive pages, each with its gist and the label where it ends."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from readagent.core.form import strip_thinking, unfenced
from readagent.core.patterns import lazy_pattern

_LABEL = lazy_pattern(r"^[ \t>#*_`~•+-]*(?:\d{1,3}[.)][ \t]+)?[*_`]*<(\d{1,9})>[*_`]*[ \t]*[:：]?[ \t]*", re.M)
_ESCAPED = lazy_pattern(r"&lt;(\d{1,9})&gt;")
_FIELDS = lazy_pattern(r'\{\s*"end"\s*:\s*(\d{1,9})\s*,\s*"gist"\s*:\s*("(?:[^"\\]|\\.)*")\s*\}')


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

        No page ends at a number that is not a label, or that is not above the one before: its gist is then a part of
        that of the next page, or is dropped if there is none.
        """
        text = _ESCAPED.sub(r"<\1>", unfenced(strip_thinking(reply)))
        named: list[tuple[int, str]] = []
        held: list[str] = []
        for number, gist in list(_from_json(text)) or _from_lines(text):
            held.append(gist.strip())
            if number in self.labels and (not named or number > named[-1][0]):
                named.append((number, "\n".join(filter(None, held))))
                held = []
        return named


def _from_json(text: str) -> Iterator[tuple[int, str]]:
    """Yield the pages in a JSON reply, even if it is truncated."""
    for end, gist in _FIELDS.findall(text):
        try:
            yield int(end), json.loads(gist, strict=False)
        except ValueError:
            continue


def _from_lines(text: str) -> Iterator[tuple[int, str]]:
    """Yield labels at the start of lines, each with the text after it, or before it if every label ends its text."""
    found = list(_LABEL.finditer(text))
    if not found:
        return
    bounds = [*(match.start() for match in found), len(text)]
    after = [text[match.end() : end] for match, end in zip(found, bounds[1:], strict=True)]
    before = [text[: found[0].start()], *after[:-1]]
    closing = not after[-1].strip() and all(one.strip() for one in before)
    for match, gist in zip(found, before if closing else after, strict=True):
        yield int(match[1]), gist
