"""The package of an EPUB: which parts it has, in which order they are read, and what it says of itself.

Its files are XML, but are read as leniently as web pages are: nothing in them is unfolded or fetched.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from urllib.parse import unquote

from readagent.errors import LoadError
from readagent.loaders.html.metadata import day
from readagent.loaders.html.parser import decoded
from readagent.loaders.html.tree import TEXT, Element, tree_of, words_in
from readagent.loaders.sandbox.archive import Archive

CONTAINER = "META-INF/container.xml"
_ENCRYPTION = "META-INF/encryption.xml"
_OBSCURED_FONTS = ("http://www.idpf.org/2008/embedding", "http://ns.adobe.com/pdf/enc#RC")
_AGAIN = "get the file once more, or open it in the program that made it and save it anew"
_TEXTS = frozenset({"application/xhtml+xml", "text/html", "application/xml", "text/xml", "text/x-oeb1-document"})
_PREFIX = re.compile(r"<(/?)(?!dc:)[A-Za-z][\w.-]{0,30}:(?=[A-Za-z])")
_TEXT_SUFFIXES = (".xhtml", ".html", ".htm", ".xml")


@dataclass(frozen=True, slots=True)
class Item:
    """A part of a book, where it lies in the archive, and what the package says of it."""

    path: str
    media_type: str
    properties: tuple[str, ...]

    @property
    def is_text(self) -> bool:
        """Whether it is a page of text, and not a picture or a style sheet."""
        return self.media_type in _TEXTS or (not self.media_type and self.path.lower().endswith(_TEXT_SUFFIXES))


@dataclass(frozen=True, slots=True)
class Package:
    """The parts of a book in the order they are read in, those beside that order after the rest."""

    spine: list[Item]
    contents: list[Item]  # tables of contents, the better one first
    style_sheets: list[Item]
    roles: dict[str, str]  # what some paths are, as the package says: cover, toc
    title: str
    metadata: dict[str, str] = field(default_factory=dict)


def package_of(archive: Archive, paths: Paths) -> Package:
    """The package of the book in this archive."""
    path = _package_path(archive)
    root = xml_of(archive, path)
    items = _items(root, lambda href: paths.find(path, href))
    spine = _spine(root, items)
    if not spine:
        raise LoadError(f"{archive.name} is damaged: it does not say which of its parts are the book", hint=_AGAIN)
    guide = (one.attributes for one in root.css("guide reference"))
    title, metadata = _said(root)
    return Package(
        spine=spine,
        contents=_contents(root, items),
        style_sheets=[item for item in items.values() if item.media_type == "text/css"],
        roles={paths.find(path, one.get("href") or ""): (one.get("type") or "").lower() for one in guide},
        title=title,
        metadata=metadata,
    )


def _items(root: Element, find: Callable[[str], str]) -> dict[str, Item]:
    """The parts that the package lists, by their names."""
    listed = [one.attributes for one in root.css("manifest item")]
    return {
        one.get("id") or "": Item(
            find(one.get("href") or ""), one.get("media-type") or "", tuple((one.get("properties") or "").split())
        )
        for one in reversed(listed)
    }


def _spine(root: Element, items: Mapping[str, Item]) -> list[Item]:
    """The texts in the order they are read in, each once; those beside that order come after the rest."""
    order = sorted((one.attributes for one in root.css("spine itemref")), key=lambda said: said.get("linear") == "no")
    named = (items.get(said.get("idref") or "") for said in order)
    return list(dict.fromkeys(item for item in named if item is not None and item.is_text))


class Paths:
    """Finds the parts of a book that others point to; spellings that differ in case are forgiven."""

    def __init__(self, archive: Archive) -> None:
        self._archive = archive
        self._folded = {name.casefold(): name for name in archive.names()}

    def find(self, base: str, href: str) -> str:
        """The path in the archive of what the part at ``base`` points to; of what is not there, where it should be."""
        path = resolved(base, href)
        return path if path in self._archive else self._folded.get(path.casefold(), path)


def resolved(base: str, href: str) -> str:
    """A path as the part at ``base`` gives it, as one from the top of the archive, without what stands after ``#``."""
    given = unquote(href.partition("#")[0].partition("?")[0])
    if not given:
        return base
    steps = [] if given.startswith("/") else base.split("/")[:-1]
    for step in given.split("/"):
        if step == "..":
            steps = steps[:-1]
        elif step not in (".", ""):
            steps.append(step)
    return "/".join(steps)


def refuse_locked(archive: Archive) -> None:
    """Raise where parts of the book are encrypted; fonts that are only obscured do not matter."""
    if _ENCRYPTION not in archive:
        return
    methods = xml_of(archive, _ENCRYPTION).css("encryptionmethod")
    if any(one.attributes.get("algorithm") not in _OBSCURED_FONTS for one in methods):
        hint = "read a copy without copy protection, if the seller or a library gives one"
        raise LoadError(f"{archive.name} is encrypted (copy protection)", hint=hint)


def xml_of(archive: Archive, path: str) -> Element:
    """The tree of an XML part; the prefixes of its names are left out, but for those of Dublin Core."""
    return tree_of(_PREFIX.sub(r"<\1", decoded(archive.read(path), archive.name)))


def _package_path(archive: Archive) -> str:
    if CONTAINER in archive:
        for one in xml_of(archive, CONTAINER).css("rootfile"):
            path = resolved("", one.attributes.get("full-path") or "")
            if path in archive:
                return path
    found = [name for name in archive.names() if name.lower().endswith(".opf")]
    if not found:
        raise LoadError(f"{archive.name} is no EPUB book: it has no package file", hint=_AGAIN)
    return found[0]


def _contents(root: Element, items: dict[str, Item]) -> list[Item]:
    spine = root.css_first("spine")
    named = items.get((spine.attributes.get("toc") or "") if spine is not None else "")
    navigation = [item for item in items.values() if "nav" in item.properties]
    older = [item for item in items.values() if item.media_type == "application/x-dtbncx+xml"]
    return list(dict.fromkeys([*navigation, *([named] if named else []), *older]))


def _said(root: Element) -> tuple[str, dict[str, str]]:
    """The title of the book, and its author, date and language."""
    said: dict[str, list[tuple[str, Element]]] = {}
    for one in root.css("metadata *"):
        name = (one.tag or "").removeprefix("dc:")
        if one.tag != name and (words := words_in(one)):
            said.setdefault(name, []).append((words, one))
    roles = {
        (one.attributes.get("refines") or "").lstrip("#"): _text_after(one) for one in root.css("meta[property=role]")
    }
    authors = [
        words
        for words, one in said.get("creator", [])
        if (one.attributes.get("opf:role") or roles.get(one.attributes.get("id") or "") or "aut") == "aut"
    ]
    dates = sorted(said.get("date", []), key=lambda pair: pair[1].attributes.get("opf:event") != "publication")
    titles = said.get("title", [])
    metadata = {
        "author": ", ".join(authors or [words for words, _ in said.get("creator", [])]),
        "date": next(filter(None, (day(words) for words, _ in dates)), ""),
        "language": said["language"][0][0] if "language" in said else "",
    }
    return titles[0][0] if titles else "", metadata


def _text_after(element: Element) -> str:
    """The text of a ``meta`` element, which for web pages has none, and so comes after it."""
    after = element.next
    return (after.text_content or "").strip() if after is not None and after.tag == TEXT else ""
