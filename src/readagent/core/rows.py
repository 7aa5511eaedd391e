"""Rows: a reply of lines with named fields and the pages that each is from, shown in prompts and read strictly.

A row has its cells in the order of the columns, separated by bars, and the pages in the last one: ``Anna | a miller |
7, 8``. A line that has another number of cells, or no legal page, is no row.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from readagent.core.form import strip_thinking, unfenced
from readagent.core.patterns import lazy_pattern

NONE = "NONE"
_BULLET = lazy_pattern(r"^\s*(?:[-*+\u2022]\s+(?!\|)|\d{1,3}[.)]\s+)")
_MARKUP = lazy_pattern(r"\*\*|`|(?<!\w)__|__(?!\w)")
NUMBERS = r"\d{1,6}(?:\s*(?:[,;&\u3001\uff0c-]|\u2013|and|to)\s*(?:and\s+)?(?:pages?\s+)?\d{1,6})*"
_PAGES = lazy_pattern(rf"[\[(<\s]*(?:pages?|pp?\.?)?\s*[:#]?\s*({NUMBERS})[\])>\s.]*", re.I)
_RANGE = lazy_pattern(r"(\d{1,6})(?:\s*(?:-|\u2013|to)\s*(?:pages?\s+)?(\d{1,6}))?", re.I)
_LONGEST_RANGE = 400  # pages
_MOST_IN_SCHEMA = 500  # servers refuse larger enumerations


def expanded(numbers: str, allowed: Collection[int]) -> tuple[int, ...]:
    """Return the allowed pages that are named, in order: ``7, 9-11``."""
    found: set[int] = set()
    for one in _RANGE.finditer(numbers):
        first, last = int(one[1]), int(one[2] or one[1])
        found.update(range(first, last + 1) if first <= last <= first + _LONGEST_RANGE else (first, last))
    return tuple(sorted(page for page in found if page in allowed))


@dataclass(frozen=True, slots=True)
class Row:
    """The cells of a row, "" for what is not told, and its pages."""

    cells: tuple[str, ...]
    pages: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Table:
    """What a reply has: its rows, how many lines with bars are none, and whether it says that there is nothing."""

    rows: tuple[Row, ...]
    broken: int = 0
    empty: bool = False


@dataclass(frozen=True, slots=True)
class Rows:
    """A reply of rows with these columns, from pages with these numbers; or the word NONE."""

    columns: tuple[str, ...]
    numbers: tuple[int, ...]

    def shown(self) -> str:
        """Return the line that a prompt asks for."""
        return " | ".join([*self.columns, "pages"])

    def parse(self, reply: str, *, cut: bool = False) -> Table:
        """Return what a reply has. The last line of one that was ``cut`` off is left out. It never raises."""
        text = unfenced(strip_thinking(reply))
        if text[:1] in ("{", "["):
            found = [self._row([str(one.get(key, "")) for key in self._keys], _listed(one)) for one in _objects(text)]
            return self._table(found, empty=not found and not cut)
        lines = text.splitlines()
        if cut:
            lines = lines[:-1]
        found = [self._line(line) for line in lines if "|" in line and not self._is_head(line)]
        return self._table(found, empty=not found and text.strip(" \t\n*_`.\"'").upper() == NONE)

    def _table(self, found: Sequence[Row | None], *, empty: bool) -> Table:
        rows = tuple(row for row in found if row is not None)
        return Table(rows, len(found) - len(rows), empty)

    @property
    def _keys(self) -> list[str]:
        return [column.lower().replace(" ", "_") for column in self.columns]

    def _cells(self, line: str) -> list[str]:
        """Return the cells of a line, without the bars around a row of a Markdown table."""
        cells = [_MARKUP.sub("", one).strip() for one in _BULLET.sub("", line).split("|")]
        wanted = len(self.columns) + 1
        if len(cells) > wanted and not cells[-1]:
            cells.pop()
        if len(cells) > wanted and not cells[0]:
            cells.pop(0)
        return cells

    def _is_head(self, line: str) -> bool:
        """Whether a line repeats the columns, or is the rule below them."""
        cells = self._cells(line)
        names = [one.casefold() for one in cells[: len(self.columns)]]
        return names == [one.casefold() for one in self.columns] or not any(map(str.isalnum, "".join(cells)))

    def _line(self, line: str) -> Row | None:
        cells = self._cells(line)
        return self._row(cells[:-1], cells[-1]) if len(cells) == len(self.columns) + 1 else None

    def _row(self, cells: Sequence[str], pages: str) -> Row | None:
        named = _PAGES.fullmatch(pages)
        numbers = expanded(named[1], self.numbers) if named else ()
        told = tuple(" ".join(one.split()) if any(map(str.isalnum, one)) else "" for one in cells)
        return Row(told, numbers) if numbers and any(told) else None

    def schema(self) -> dict[str, Any]:
        """Return a JSON schema that allows only such replies."""
        number: dict[str, Any] = {"type": "integer"}
        if len(self.numbers) <= _MOST_IN_SCHEMA:
            number["enum"] = list(self.numbers)
        fields: dict[str, Any] = {key: {"type": "string"} for key in self._keys}
        row = _object({**fields, "pages": {"type": "array", "items": number, "minItems": 1}})
        return _object({"rows": {"type": "array", "items": row}})

    def example(self) -> str:
        """Return a short example of a reply in JSON."""
        cells = ", ".join(f'"{key}": "..."' for key in self._keys)
        return f'{{"rows": [{{{cells}, "pages": [number]}}, ...]}}; without any row, {{"rows": []}}'

    def conforms(self, value: Any) -> bool:
        """Return whether a JSON value has the shape of the schema."""
        return isinstance(value, dict) and isinstance(value.get("rows"), list)


def _objects(text: str) -> Iterator[dict[str, Any]]:
    """Yield the rows of a reply in JSON: its innermost objects, as many as are whole."""
    for match in re.finditer(r"\{[^{}]*\}", text):
        try:
            value = json.loads(match[0])
        except ValueError:
            continue
        if isinstance(value, dict) and "rows" not in value:
            yield {str(name).lower().replace(" ", "_"): one for name, one in value.items()}


def _listed(row: dict[str, Any]) -> str:
    pages = row.get("pages", "")
    return ", ".join(map(str, pages)) if isinstance(pages, list) else str(pages)


def _object(fields: dict[str, Any]) -> dict[str, Any]:
    return {"type": "object", "properties": fields, "required": list(fields), "additionalProperties": False}
