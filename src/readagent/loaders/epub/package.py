"""The package of an EPUB: its parts, their reading order, and its metadata.

Its XML files are parsed as leniently as web pages: entities are not expanded and nothing is downloaded.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from readagent.errors import LoadError
from readagent.loaders.html.metadata import iso_date
from readagent.loaders.html.notes import resolve_path
from readagent.loaders.html.parser import decode_page
from readagent.loaders.html.tree import TEXT, Element, tree_of, words_in
from readagent.loaders.sandbox.archive import GET_AGAIN, Archive

CONTAINER = "META-INF/container.xml"
_ENCRYPTION = "META-INF/encryption.xml"
_FONT_OBFUSCATION = ("http://www.idpf.org/2008/embedding", "http://ns.adobe.com/pdf/enc#RC")
_TEXT_TYPES = frozenset({"application/xhtml+xml", "text/html", "application/xml", "text/xml", "text/x-oeb1-document"})
_PREFIX = re.compile(r"<(/?)(?!dc:)[A-Za-z][\w.-]{0,30}:(?=[A-Za-z])")
_UNKNOWN = ("Unknown Title", "Unknown Author")  # as LibreOffice writes
_TEXT_SUFFIXES = (".xhtml", ".html", ".htm", ".xml")


@dataclass(frozen=True, slots=True)
class Item:
    """A part of a book: its path in the archive, and what the package declares about it."""

    path: str
    media_type: str
    properties: tuple[str, ...]

    @property
    def is_text(self) -> bool:
        """Whether it contains text, and is not an image or a style sheet."""
        return self.media_type in _TEXT_TYPES or (not self.media_type and self.path.lower().endswith(_TEXT_SUFFIXES))


@dataclass(frozen=True, slots=True)
class Package:
    """The parts of a book in reading order, supplementary ones last, and its metadata."""

    spine: list[Item]
    contents: list[Item]  # tables of contents, the best one first
    style_sheets: list[Item]
    roles: dict[str, str]  # declared roles of some paths: cover, toc
    title: str
    metadata: dict[str, str] = field(default_factory=dict)


def package_of(archive: Archive, paths: Paths) -> Package:
    """Return the package of the book in this archive."""
    path = _package_path(archive)
    root = xml_of(archive, path)
    items = _items(root, lambda href: paths.find(path, href))
    spine = _spine(root, items)
    if not spine:
        raise LoadError(f"{archive.name} is damaged: its package lists no text", hint=GET_AGAIN)
    guide = (one.attributes for one in root.css("guide reference"))
    title, metadata = _metadata(root)
    return Package(
        spine=spine,
        contents=_contents(root, items),
        style_sheets=[item for item in items.values() if item.media_type == "text/css"],
        roles={paths.find(path, one.get("href") or ""): (one.get("type") or "").lower() for one in guide},
        title=title,
        metadata=metadata,
    )


def _items(root: Element, find: Callable[[str], str]) -> dict[str, Item]:
    """Return the parts that the package lists, by id."""
    listed = [one.attributes for one in root.css("manifest item")]
    return {
        one.get("id") or "": Item(
            find(one.get("href") or ""), one.get("media-type") or "", tuple((one.get("properties") or "").split())
        )
        for one in reversed(listed)
    }


def _spine(root: Element, items: Mapping[str, Item]) -> list[Item]:
    """Return the text parts in reading order, each once; supplementary ones come last."""
    order = sorted((one.attributes for one in root.css("spine itemref")), key=lambda item: item.get("linear") == "no")
    named = (items.get(item.get("idref") or "") for item in order)
    return list(dict.fromkeys(item for item in named if item is not None and item.is_text))


class Paths:
    """Finds the parts of a book that links point to; upper and lower case may differ."""

    def __init__(self, archive: Archive) -> None:
        self._archive = archive
        self._folded = {name.casefold(): name for name in archive.names()}

    def find(self, base: str, href: str) -> str:
        """Return the archive path of a link in the part at ``base``, even if there is no such part."""
        path = resolve_path(base, href)
        return path if path in self._archive else self._folded.get(path.casefold(), path)


def refuse_encrypted(archive: Archive) -> None:
    """Raise LoadError if parts of the book are encrypted; obfuscated fonts do not matter."""
    if _ENCRYPTION not in archive:
        return
    methods = xml_of(archive, _ENCRYPTION).css("encryptionmethod")
    if any(one.attributes.get("algorithm") not in _FONT_OBFUSCATION for one in methods):
        hint = "use a copy without copy protection, if the seller or a library offers one"
        raise LoadError(f"{archive.name} is encrypted (copy protection)", hint=hint)


def xml_of(archive: Archive, path: str) -> Element:
    """Return the tree of an XML part, with all namespace prefixes removed except Dublin Core."""
    return tree_of(_PREFIX.sub(r"<\1", decode_page(archive.read(path), archive.name)))


def _package_path(archive: Archive) -> str:
    if CONTAINER in archive:
        for one in xml_of(archive, CONTAINER).css("rootfile"):
            path = resolve_path("", one.attributes.get("full-path") or "")
            if path in archive:
                return path
    found = [name for name in archive.names() if name.lower().endswith(".opf")]
    if not found:
        raise LoadError(f"{archive.name} is not an EPUB book: it has no package file", hint=GET_AGAIN)
    return found[0]


def _contents(root: Element, items: dict[str, Item]) -> list[Item]:
    spine = root.css_first("spine")
    named = items.get((spine.attributes.get("toc") or "") if spine is not None else "")
    navigation = [item for item in items.values() if "nav" in item.properties]
    ncx = [item for item in items.values() if item.media_type == "application/x-dtbncx+xml"]
    return list(dict.fromkeys([*navigation, *([named] if named else []), *ncx]))


def _metadata(root: Element) -> tuple[str, dict[str, str]]:
    """Return the title of the book, and its author, date and language."""
    found: dict[str, list[tuple[str, Element]]] = {}
    for one in root.css("metadata *"):
        name = (one.tag or "").removeprefix("dc:")
        if one.tag != name and (words := words_in(one)) and words not in _UNKNOWN:
            found.setdefault(name, []).append((words, one))
    roles = {
        (one.attributes.get("refines") or "").lstrip("#"): _text_after(one) for one in root.css("meta[property=role]")
    }
    authors = [
        words
        for words, one in found.get("creator", [])
        if (one.attributes.get("opf:role") or roles.get(one.attributes.get("id") or "") or "aut") == "aut"
    ]
    dates = sorted(found.get("date", []), key=lambda pair: pair[1].attributes.get("opf:event") != "publication")
    titles = found.get("title", [])
    metadata = {
        "author": ", ".join(authors or [words for words, _ in found.get("creator", [])]),
        "date": next(filter(None, (iso_date(words) for words, _ in dates)), ""),
        "language": found["language"][0][0] if "language" in found else "",
    }
    return titles[0][0] if titles else "", metadata


def _text_after(element: Element) -> str:
    """Return the text of a ``meta`` element. HTML parsers treat it as empty and put the text after it."""
    after = element.next
    return (after.text_content or "").strip() if after is not None and after.tag == TEXT else ""
