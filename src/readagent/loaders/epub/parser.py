"""EPUB books, 2 and 3: the parts in the order they are read in, headed as the table of contents has it; notes apart.

The cover, the pages that only list the contents, and the numbers of printed pages are left out. Where parts are
missing, the others are read, and the metadata say what is missing.
"""

from __future__ import annotations

from dataclasses import dataclass

from readagent.core.document import Document
from readagent.errors import LoadError
from readagent.loaders.blocks import Block, compose
from readagent.loaders.epub.contents import Entry, entries_of, headed
from readagent.loaders.epub.heading_styles import Looks, by_depth
from readagent.loaders.epub.package import Package, Paths, package_of, refuse_locked, xml_of
from readagent.loaders.formats import MAX_CHARACTERS, Options
from readagent.loaders.html.content import read, with_notes
from readagent.loaders.html.notes import find_notes, survey
from readagent.loaders.html.parser import decoded
from readagent.loaders.html.tree import Attributes, Element, Levels, tree_of
from readagent.loaders.html.weights import weigh
from readagent.loaders.sandbox.archive import Archive
from readagent.loaders.text.gutenberg import without_licence

_NO_TEXT_TYPES = frozenset("cover toc landmarks page-list pagelist loi lot".split())
_COVER_WORDS = 40  # characters of a page in a file called cover; what has more is a text
_SOME_PROSE = 600  # characters; a part with as much is a text, whatever it is called
_LISTING = 0.6  # of the text of a page that lists the contents are links
_LISTED = 4


@dataclass(frozen=True, slots=True)
class _Part:
    """A part of the book: where it lies, and its tree."""

    path: str
    root: Element


def parse(data: bytes, name: str, options: Options) -> Document:
    """The document in an EPUB book."""
    archive = Archive(data, name)
    refuse_locked(archive)
    paths = Paths(archive)
    package = package_of(archive, paths)
    missing = [item.path for item in package.spine if item.path not in archive]
    parts = _parts(archive, package)
    if not options.whole:
        parts = [part for part in parts if not _is_no_text(part, package)]
    looks = _looks(archive, package, parts)
    blocks, notes = _read(parts, _entries(archive, package, paths), looks, whole=options.whole)
    if not blocks and not notes:
        raise _no_text(name, missing)
    metadata = {**package.metadata, "missing": ", ".join(missing)}
    return compose(with_notes(without_licence(blocks), notes), title=package.title, metadata=metadata)


def _parts(archive: Archive, package: Package) -> list[_Part]:
    parts = list[_Part]()
    size = 0
    for item in package.spine:
        if item.path in archive:
            text = decoded(archive.read(item.path), archive.name)
            size += len(text)
            if size > 4 * MAX_CHARACTERS:
                raise LoadError(f"{archive.name} is too long for a book", hint="cut it into parts and read those")
            parts.append(_Part(item.path, tree_of(text)))
    return parts


def _entries(archive: Archive, package: Package, paths: Paths) -> list[Entry]:
    """The table of contents, from the first part that holds one."""
    for item in package.contents:
        if item.path in archive:
            older = item.path.endswith(".ncx")
            root = xml_of(archive, item.path) if older else tree_of(decoded(archive.read(item.path), archive.name))
            if entries := entries_of(root, item.path, paths.find):
                return entries
    return []


def _read(
    parts: list[_Part], entries: list[Entry], looks: Levels | None, *, whole: bool
) -> tuple[list[Block], list[Block]]:
    """The blocks of all parts, and their notes."""
    known = find_notes([survey(part.root, part.path) for part in parts])
    by_path: dict[str, list[Entry]] = {}
    for entry in entries:
        by_path.setdefault(entry.path, []).append(entry)
    blocks, notes = list[Block](), list[Block]()
    for part in parts:
        marked = read(part.root, known, skip=None if whole else _aside, looks=looks)
        blocks += headed(marked.blocks, marked.places, by_path.get(part.path, []))
        notes += marked.notes
    return by_depth(blocks), notes


def _looks(archive: Archive, package: Package, parts: list[_Part]) -> Levels | None:
    """How headings look, where the book has none that are called so."""
    if any(part.root.css_first("h1, h2, h3, h4, h5, h6") is not None for part in parts):
        return None
    return Looks(_style_sheets(archive, package)).heading


def _style_sheets(archive: Archive, package: Package) -> list[str]:
    sheets = [item.path for item in package.style_sheets if item.path in archive]
    return [archive.read(path).decode("utf-8", "replace") for path in sheets]


def _is_no_text(part: _Part, package: Package) -> bool:
    """Whether a part is the cover, or a page that only lists the contents."""
    body = part.root.css_first("body") or part.root
    weight = weigh(body)[body.mem_id]
    if weight.prose >= _SOME_PROSE:
        return False
    if package.roles.get(part.path) in _NO_TEXT_TYPES or any(part.path == item.path for item in package.contents):
        return True
    if "cover" in part.path.rpartition("/")[2].lower() and weight.text < _COVER_WORDS:
        return True
    return weight.links >= _LISTED and weight.linked >= _LISTING


def _aside(node: Element, tag: str, attributes: Attributes) -> bool:
    """Whether an element is no text of the book: a list of its contents or of its pages, or its cover."""
    return tag == "nav" or not _NO_TEXT_TYPES.isdisjoint((attributes.get("epub:type") or "").split())


def _no_text(name: str, missing: list[str]) -> LoadError:
    if missing:
        hint = "get the file once more, or open it in the program that made it and save it anew"
        return LoadError(f"{name} is incomplete: it has no part {missing[0]!r}", hint=hint)
    return LoadError(f"{name} has no text in it", hint="its pages may be pictures; read a text edition of it")
