"""Read the rows of a list from a reply: lines with bars or tabs, tables, bullets, labelled lines, or JSON."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from readagent.core.patterns import lazy_pattern

_BULLET = lazy_pattern(r"^\s*(?:(?:[*•‣▪·+]|[-–—](?!\s*\|))\s+)+")
_NUMBERED = lazy_pattern(r"^\s*\(?(\d{1,4})[.)]\s+")
_RULE = lazy_pattern(r"^[\s|:+=-]*$")
_BAR = lazy_pattern(r"(?<!\\)\|")
_BETWEEN = lazy_pattern(r"</(item|li|entry|row)>\s*<\1>")
_AROUND = lazy_pattern(r"</?(?:item|items|li|ul|ol|list|entry|entries|row|rows)>")
_FENCE = lazy_pattern(r"^\s*```\w*\s*$")
_JSON = lazy_pattern(r"[\[{]\s*[\"{\[]")
_HEADING = lazy_pattern(r"^\s*#{1,6}\s+")
_PAGE_LINE = lazy_pattern(
    r"^[\s#*_\[(<{-]*((?:pages?|pp?\.|seiten?|páginas?|第)\s*\d{1,6}(?:\s*(?:[,;–—-]|and|to)\s*\d{1,6})*)"
    r"\s*页?[\s\])>}*_:：-]*$",
    re.I,
)
_MARK = lazy_pattern(r"[\[【(<〈]\s*(?:pages?|pp?\.?|seiten?|páginas?|стр\.?|第|\d)[^\])】>〉]{0,40}[\])】>〉]", re.I)
_TAG = (
    r"(?:[\[【(<〈]\s*(?:pages?|pp?\.?|seiten?|páginas?|стр\.?|第)\W{0,3}\d[^\])】>〉]{0,40}[\])】>〉]"
    r"|\[\d[\d\s,;–-]{0,40}\])"
)
_TAGS = lazy_pattern(rf"{_TAG}(?:[\s,;]*{_TAG})*", re.I)
_GOES_ON = lazy_pattern(r"\s*[.;,。；，]?\s*(?P<and>(?:and|und|et|y|и)\s+)?")  # what may stand between two items
_LABEL = lazy_pattern(r"^\W*([^\W\d_][^|:：]{0,30}?)\**\s*[:：]\**\s*(.*)$")
_PAGES = frozenset(
    "page|pages|p|pp|page number|page numbers|page s|pages cited|source|sources|seite|seiten|página|páginas|pagina|стр"
    "|页|ページ".split("|")
)
_COUNTED = lazy_pattern(r"\s+\d+$")  # "Question 1"
_FAILURES = 50  # places where JSON seems to begin and does not, after which no more is looked for
_NUMBERS = lazy_pattern(r"\d+(?:\s*[–-]\s*\d+)?")
_NAMED_PAGES = lazy_pattern(r"\W*(?:pages?|pp?\.|seiten?|s\.)\W*\d[\d\s,;–-]*\W*", re.I)
_ONLY_PAGES = lazy_pattern(r"\W*(?:(?:pages?|pp?\.?)\W*)?\d{1,6}(?:\s*[,;–-]\s*\d{1,6})*\W*", re.I)


@dataclass(frozen=True, slots=True)
class Row:
    """A row of a list: its cells, and its pages where these stand apart from them.

    ``labelled``: every cell is the field at its place. ``sure``: that it is an item is shown by its form. ``listed``:
    it is a bullet or has a number. ``marked``: it names a page.
    """

    cells: tuple[str, ...]
    pages: str = ""
    labelled: bool = False
    sure: bool = False
    listed: bool = False
    marked: bool = False


@dataclass(slots=True)
class _Labels:
    """The names of fields, as tables, labelled lines and JSON have them."""

    fields: tuple[str, ...]
    places: dict[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for place, names in reversed(list(enumerate(self.fields))):
            self.places |= dict.fromkeys(map(_plain, names.split("|")), place)

    def place(self, name: str) -> int | None:
        """Return which field a name means, -1 for the pages, and None if it means none."""
        plain = _plain(name)
        return -1 if plain in _PAGES else self.places.get(plain)

    def name(self, place: int | None) -> str:
        """Return a name of a field, or of the pages for -1."""
        return "" if place is None else "page" if place == -1 else self.fields[place].partition("|")[0]

    def row(self, values: Mapping[str, str]) -> Row | None:
        """Return a row from named values; those with other names come after the last field. None without the first."""
        cells, pages, more = [""] * len(self.fields), "", []
        for name, value in values.items():
            place = self.place(name)
            if place == -1 or (place is None and not pages and _NAMED_PAGES.fullmatch(value)):
                pages = value
            elif place is None or cells[place]:
                more.append(value)
            else:
                cells[place] = value
        if not any(cells):
            cells[0], more = (more[0], more[1:]) if more else ("", [])
        cells[-1] = "; ".join(filter(None, [cells[-1], *more])) if len(cells) > 1 or not cells[-1] else cells[-1]
        return Row(tuple(cells), _as_mark(pages), labelled=True, sure=True) if any(cells) else None


def _plain(name: str) -> str:
    return " ".join(re.findall(r"\w+", name.casefold().replace("_", " ")))


def rows_in(text: str, fields: Sequence[str], *, years: bool = False, cut: bool = False) -> Iterator[Row]:
    """Yield the rows of a reply. ``fields`` are the names of each field, separated by bars.

    With ``years`` a number at the beginning of a line may be a year or a day. The last row of a reply that was ``cut``
    off is left out.
    """
    labels = _Labels(tuple(fields))
    text = _AROUND.sub(" ", _BETWEEN.sub("\n", text))
    values = _json_values(text) if _JSON.search(text) else []
    rows = [row for value in values if (row := _from_json(value, labels))]
    if rows:
        yield from rows
        return
    strings = [value for value in values if isinstance(value, str)]
    lines = strings or text.splitlines()
    lines = [line for line in lines if line.strip() and not _FENCE.match(line)]
    yield from _from_lines(lines[: len(lines) - cut], labels, years)


def _json_values(text: str) -> list[Any]:
    """Return the records of all JSON in a text: objects, or the lists and strings of a list; also of one cut off."""
    decoder, at, failed, found = json.JSONDecoder(), 0, 0, []
    while failed < _FAILURES and (match := _JSON.search(text, at)):
        try:
            value, at = decoder.raw_decode(text, match.start())
        except (ValueError, RecursionError):
            at, failed = match.start() + 1, failed + 1
            continue
        found += _records(value)
    return found


def _records(value: Any) -> list[Any]:
    if isinstance(value, list):
        rows = all(isinstance(one, list) for one in value)
        return (
            value
            if rows
            else [record for one in value for record in ([one] if isinstance(one, str) else _records(one))]
        )
    if isinstance(value, dict):
        lists = [
            one for one in value.values() if isinstance(one, list) and any(isinstance(two, dict | list) for two in one)
        ]
        return [record for one in lists for record in _records(one)] if lists else [value]
    return []


def _from_json(value: Any, labels: _Labels) -> Row | None:
    if isinstance(value, dict):
        return labels.row({str(name): _text(one) for name, one in value.items()})
    if isinstance(value, list) and value and not any(isinstance(one, dict) for one in value):
        *cells, last = [_text(one) for one in value]
        if cells and _ONLY_PAGES.fullmatch(last):
            return Row(tuple(cells), _as_mark(last), sure=True)
        return Row((*cells, last), sure=True)
    return None


def _text(value: Any) -> str:
    if isinstance(value, list):
        numbers = all(isinstance(one, int) for one in value)
        return (", " if numbers else "; ").join(map(_text, value))
    if isinstance(value, dict):
        return "; ".join(
            f"{_text(one)} of {name}" if isinstance(one, str) else _text(one) for name, one in value.items()
        )
    return "" if value is None else " ".join(str(value).split())


def _from_lines(lines: Sequence[str], labels: _Labels, years: bool) -> Iterator[Row]:
    numbers = [int(match[1]) for match in map(_NUMBERED.match, lines) if match]
    counted = len(numbers) > 1 and numbers == list(range(numbers[0], numbers[0] + len(numbers)))
    columns: list[int | None] | None = None
    record: dict[str, str] = {}
    here = ""  # the pages of a heading
    for at, raw in enumerate(lines):
        if _RULE.match(raw):
            continue
        if heading := _PAGE_LINE.match(raw):
            here = f"[{heading[1]}]"
            continue
        timeless = years and _has_no_time(raw, len(labels.fields))
        listed = not timeless and bool(_BULLET.match(raw) or _NUMBERED.match(raw))
        line = _HEADING.sub("", raw if timeless else _BULLET.sub("", raw))
        line = _NUMBERED.sub("", line) if counted or not years else line
        after = lines[at + 1] if at + 1 < len(lines) else ""
        label = _LABEL.match(line) if not _BAR.search(line) else None
        place = labels.place(_COUNTED.sub("", label[1])) if label and len(labels.fields) > 1 else None
        begins = place is None and not _MARK.search(line) and _labelled(after, labels)
        if label and place is not None and (place == 0 or record):
            if place == 0 and record:
                yield from _ended(record, labels, here)
                record = {}
            record[_COUNTED.sub("", label[1])] = label[2]
            continue
        if record:
            yield from _ended(record, labels, here)
            record = {}
        if begins:
            record = {labels.fields[0].split("|")[0]: line.strip(" *_:")}
            continue
        bar = "|" if _BAR.search(line.strip().strip("|")) else "\t" if "\t" in line.strip() else ""
        if not bar:
            for piece in _at_tags(line.strip().strip("|"), years):
                marked = bool(_MARK.search(piece))
                yield Row((piece,), "" if marked else here, listed=listed, marked=marked or bool(here))
            continue
        parts = _BAR.split(re.sub(r"^\s*\||(?<!\\)\|\s*$", "", line)) if bar == "|" else line.split(bar)
        cells = [part.strip(" *_`").replace("\\|", "|") for part in parts]
        header = [labels.place(cell) for cell in cells]
        if (
            (_RULE.match(after) and "-" in after)
            or all(one is not None for one in header)
            or (header[0] == 0 and not _MARK.search(line))
        ):
            columns = header if 0 in header else None
            continue
        yield _from_cells(cells, columns, labels, here)
    yield from _ended(record, labels, here)


def _at_tags(line: str, years: bool) -> Iterator[str]:
    """Yield the items of a line of prose that names pages after each of them, or before each."""
    tags = list(_TAGS.finditer(line))
    if len(tags) > 1 and not tags[0].start():
        ends = [tag.start() for tag in tags[1:]]
        yield from (line[start:end].strip() for start, end in zip([0, *ends], [*ends, len(line)], strict=True))
        return
    start = 0
    for tag in tags[:-1]:
        between = _GOES_ON.match(line, tag.end())
        after = between.end() if between else tag.end()
        begins = not line[after : after + 1].islower() and line[after : after + 1].isalnum()
        if begins or (years and between and between["and"]):  # "and in 1802 Tom follows"
            yield line[start : tag.end()].strip()
            start = after
    yield line[start:].strip()


def _has_no_time(line: str, fields: int) -> bool:
    """Whether a dash at the beginning of a line with tabs is no bullet but the cell of a time that is not told."""
    first, *cells = line.strip().split("\t")
    if len(cells) > 1 and _ONLY_PAGES.fullmatch(cells[-1]):
        cells.pop()
    return first.strip() in ("-", "–", "—") and "\t" in line.strip()[2:] and len(cells) < fields


def _labelled(line: str, labels: _Labels) -> bool:
    """Whether a line is indented or a bullet, and begins with the name of a field that is not the first."""
    match = _LABEL.match(_BULLET.sub("", line))
    place = labels.place(match[1]) if match and len(labels.fields) > 1 and "|" not in line else None
    return place is not None and place != 0


def _ended(record: Mapping[str, str], labels: _Labels, here: str) -> Iterator[Row]:
    row = labels.row(record) if record else None
    if row is not None:
        marked = row.pages or any(map(_MARK.search, row.cells))
        yield row if marked else Row(row.cells, here, labelled=True, sure=True)


def _from_cells(cells: Sequence[str], columns: Sequence[int | None] | None, labels: _Labels, here: str) -> Row:
    """Return a row of cells; the last is that of the pages if it has nothing but numbers."""
    if columns is not None and len(columns) == len(cells):
        named = {
            labels.name(place) or f"? {at}": cell for at, (place, cell) in enumerate(zip(columns, cells, strict=True))
        }
        row = labels.row(named)
        if row is not None:
            marked = row.pages or any(map(_MARK.search, row.cells))
            return row if marked else Row(row.cells, here, labelled=True, sure=True)
    *before, last = cells
    if before and _ONLY_PAGES.fullmatch(last):
        return Row(tuple(before), _as_mark(last), sure=True)
    return Row(tuple(cells), "" if _MARK.search(" ".join(cells)) else here, sure=True)


def _as_mark(pages: str) -> str:
    """Return the pages that a cell or a field names as they stand at the end of a line; "" if it names none."""
    numbers = _NUMBERS.findall(pages)
    return f"[Pages {', '.join(numbers)}]" if numbers else ""
