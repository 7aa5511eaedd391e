"""What Word, PowerPoint and Excel files share: relationships between parts, metadata, and charts as tables."""

from __future__ import annotations

import posixpath
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from dataclasses import dataclass
from urllib.parse import unquote

from readagent.loaders.blocks import Block
from readagent.loaders.sandbox.archive import Archive
from readagent.loaders.sandbox.xml import attribute, children, day_of, element_of, local, whole
from readagent.loaders.tables import Row, grid_blocks


@dataclass(frozen=True, slots=True)
class Relation:
    """A part that another part refers to: its kind, such as ``slide``, and its path in the archive."""

    kind: str
    path: str


def relations(archive: Archive, part: str) -> dict[str, Relation]:
    """Return the parts that exist and that ``part`` refers to, by id; "" is the whole file."""
    folder, _, base = part.rpartition("/")
    listed = f"{folder}/_rels/{base}.rels" if folder else f"_rels/{base}.rels"
    if listed not in archive:
        return {}
    found = {}
    for _, one in children(element_of(archive.read(listed), listed, archive.name)):
        target = unquote(attribute(one, "Target"))
        path = posixpath.normpath(target.lstrip("/") if target.startswith("/") else posixpath.join(folder, target))
        if attribute(one, "TargetMode") != "External" and path in archive:
            found[attribute(one, "Id")] = Relation(attribute(one, "Type").rpartition("/")[2], path)
    return found


def relation_id(element: ET.Element) -> str:
    """Return the id of the part that an element refers to; elements may have another id too."""
    return next((value for key, value in element.attrib.items() if key.endswith("}id")), "")


def main_part(archive: Archive) -> str:
    """Return the path of the part with the content, or an empty string."""
    return next((one.path for one in relations(archive, "").values() if one.kind == "officeDocument"), "")


def metadata_of(archive: Archive) -> dict[str, str]:
    """Return the title, author, date and language that the file declares; empty if it does not."""
    paths = (one.path for one in relations(archive, "").values() if one.kind == "core-properties")
    path = next(paths, "docProps/core.xml")
    listed = children(element_of(archive.read(path), path, archive.name)) if path in archive else ()
    known = {kind: "".join(child.itertext()).strip() for kind, child in listed}
    return {
        "title": known.get("title", ""),
        "author": known.get("creator", ""),
        "date": day_of(known.get("created") or known.get("modified") or ""),
        "language": known.get("language", ""),
    }


_MAX_POINTS = 10_000  # of one series
_CATEGORIES = ("cat", "xVal")
_VALUES = ("val", "yVal")


def chart_blocks(archive: Archive, part: str, *, values: bool) -> Iterator[Block]:
    """Yield the charts that a slide or a drawing shows; without ``values``, only their titles and series names.

    The values of a chart on a sheet are in the cells.
    """
    for one in relations(archive, part).values():
        if one.kind == "chart":
            root = element_of(archive.read(one.path), one.path, archive.name)
            titles = [" ".join("".join(_texts(title)).split()) for title in root.iter() if local(title) == "title"]
            rows = _rows(root)
            names = [name for name in rows[0][1:] if name] if rows else []
            series = "" if values or not names else f"series {', '.join(names)}"
            about = "; ".join(filter(None, [*titles, series]))
            if about or rows:
                yield Block(f"Chart: {about}" if about else "Chart")
            if values:
                numbered = (Row(number, row) for number, row in enumerate(rows, start=1))
                yield from (Block(block.text, lines=True) for block in grid_blocks(numbered, archive.name))


def _texts(element: ET.Element) -> Iterator[str]:
    return (one.text or "" for one in element.iter() if local(one) in ("t", "v"))


def _rows(root: ET.Element) -> list[list[str]]:
    """Return the table of a chart: the names of the series, and a row for each category."""
    every = [dict(children(one)) for one in root.iter() if local(one) == "ser"]
    if not every:
        return []
    names = [" ".join("".join(_texts(one["tx"])).split()) if "tx" in one else "" for one in every]
    categories: dict[int, str] = {}
    columns = []
    for one in every:
        categories = {**_points(one, _CATEGORIES), **categories}
        columns.append(_points(one, _VALUES))
    used = sorted({*categories, *(index for column in columns for index in column)})
    return [["", *names], *([categories.get(at, ""), *(column.get(at, "") for column in columns)] for at in used)]


def _points(series: dict[str, ET.Element], kinds: tuple[str, ...]) -> dict[int, str]:
    """Return the stored points of the first of these kinds by their index."""
    data = next((series[kind] for kind in kinds if kind in series), None)
    points = [one for one in data.iter() if local(one) == "pt"] if data is not None else []
    indexed = ((whole(attribute(one, "idx")), one) for one in points[:_MAX_POINTS])
    return {at: "".join(_texts(one)) for at, one in indexed if at is not None}
