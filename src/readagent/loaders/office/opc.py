"""The relationships between the parts of a Word, PowerPoint or Excel file, and its metadata."""

from __future__ import annotations

import posixpath
import xml.etree.ElementTree as ET
from dataclasses import dataclass
from urllib.parse import unquote

from readagent.loaders.sandbox.archive import Archive
from readagent.loaders.sandbox.xml import attribute, children, day_of, element_of


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
