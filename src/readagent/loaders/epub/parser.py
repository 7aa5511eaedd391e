"""EPUB books, versions 2 and 3: the parts in reading order, with the headings of the table of contents; notes last.

The cover, lists of contents, and page numbers are left out; sentences between the entries of such a list are kept. If
parts are missing, the others are read, and the metadata names the missing ones.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from readagent.core.document import Document
from readagent.errors import LoadError
from readagent.loaders.blocks import Block, compose, with_notes
from readagent.loaders.epub.contents import Entry, HeadingStyles, entries_of, resolve_levels, with_headings
from readagent.loaders.epub.package import Package, Paths, package_of, refuse_encrypted, xml_of
from readagent.loaders.formats import MAX_CHARACTERS, NOT_READ, Options
from readagent.loaders.html.notes import find_notes, survey
from readagent.loaders.html.parser import decode_page, read
from readagent.loaders.html.tree import Attributes, Element, HeadingLevel, Skip, tree_of
from readagent.loaders.html.weights import Weight, weigh
from readagent.loaders.sandbox.archive import GET_AGAIN, Archive
from readagent.loaders.text.plain import without_license

_ASIDE_TYPES = frozenset("cover toc landmarks page-list pagelist loi lot".split())
_MAX_COVER = 40  # characters in a file named cover; a longer one is text
_MIN_PROSE = 600  # characters; a part with this much prose is text, whatever it is named
_CONTENTS_LINK_SHARE = 0.6  # of the text of a page that lists the contents
_CONTENTS_LINKS = 4
_ENTRIES = frozenset("dd dt li ol p td tr ul".split())
_MIN_SENTENCE = 6  # words outside of links; fewer are a title or page numbers


@dataclass(frozen=True, slots=True)
class _Part:
    """A part of the book: its path in the archive, its tree, what to leave out, and whether all its text is drawn."""

    path: str
    root: Element
    skip: Skip | None = None
    drawn: bool = False


def parse(data: bytes, name: str, options: Options) -> Document:
    """Return an EPUB book as a document."""
    archive = Archive(data, name)
    refuse_encrypted(archive)
    paths = Paths(archive)
    package = package_of(archive, paths)
    missing = [item.path for item in package.spine if item.path not in archive]
    parts = _parts(archive, package)
    if not options.whole:
        parts = [kept for part in parts if (kept := _without_contents(part, package))]
    heading_style = _heading_style(archive, package, parts)
    blocks, notes = _read(parts, _entries(archive, package, paths), heading_style)
    if not blocks and not notes:
        raise _no_text(name, missing)
    metadata = {**package.metadata, NOT_READ: f"missing: {', '.join(missing)}" if missing else ""}
    return compose(with_notes(without_license(blocks), notes), title=package.title, metadata=metadata)


def _parts(archive: Archive, package: Package) -> list[_Part]:
    parts = list[_Part]()
    size = 0
    for item in package.spine:
        if item.path in archive:
            text = decode_page(archive.read(item.path), archive.name)
            size += len(text)
            if size > 4 * MAX_CHARACTERS:
                raise LoadError(
                    f"{archive.name} is too long for a book", hint="split it into several files and read those"
                )
            root = tree_of(text)
            parts.append(_Part(item.path, root, drawn=not weigh(root)[root.mem_id].text))
    return parts


def _entries(archive: Archive, package: Package, paths: Paths) -> list[Entry]:
    """Return the table of contents, from the first part that has one."""
    for item in package.contents:
        if item.path in archive:
            is_ncx = item.path.endswith(".ncx")
            root = xml_of(archive, item.path) if is_ncx else tree_of(decode_page(archive.read(item.path), archive.name))
            if entries := entries_of(root, item.path, paths.find):
                return entries
    return []


def _read(
    parts: list[_Part], entries: list[Entry], heading_style: HeadingLevel | None
) -> tuple[list[Block], list[Block]]:
    """Return the blocks of all parts, and their notes."""
    known_notes = find_notes([survey(part.root, part.path) for part in parts])
    by_path: dict[str, list[Entry]] = {}
    for entry in entries:
        by_path.setdefault(entry.path, []).append(entry)
    blocks, notes = list[Block](), list[Block]()
    for part in parts:
        content = read(part.root, notes=known_notes, skip=part.skip, heading_style=heading_style, drawn=part.drawn)
        blocks += with_headings(content.blocks, content.anchors, by_path.get(part.path, []))
        notes += content.notes
    return resolve_levels(blocks), notes


def _heading_style(archive: Archive, package: Package, parts: list[_Part]) -> HeadingLevel | None:
    """Return a way to recognise headings by their style, if the book has no heading elements."""
    if any(part.root.css_first("h1, h2, h3, h4, h5, h6") is not None for part in parts):
        return None
    return HeadingStyles(_style_sheets(archive, package)).level


def _style_sheets(archive: Archive, package: Package) -> list[str]:
    sheets = [item.path for item in package.style_sheets if item.path in archive]
    return [archive.read(path).decode("utf-8", "replace") for path in sheets]


def _without_contents(part: _Part, package: Package) -> _Part | None:
    """Return a part without lists of contents; None if it is the cover or has no sentence outside of such a list."""
    body = part.root.css_first("body") or part.root
    weights = weigh(body)
    weight = weights[body.mem_id]
    role = package.roles.get(part.path)
    if weight.prose < _MIN_PROSE:
        if role == "cover" or ("cover" in part.path.rpartition("/")[2].lower() and weight.text < _MAX_COVER):
            return None
        if (
            role in _ASIDE_TYPES
            or any(part.path == item.path for item in package.contents)
            or (
                weight.links >= _CONTENTS_LINKS
                and weight.link_share >= _CONTENTS_LINK_SHARE
                and _is_linked_to_parts(body)
            )
        ):
            return _with_sentences(part, body, weights)
    return replace(part, skip=_is_aside)


def _is_linked_to_parts(body: Element) -> bool:
    """Whether most links of a page lead to parts of the book, not to the web, as sources do."""
    targets = [(one.attributes.get("href") or "").lower() for one in body.css("a[href]")]
    return 2 * sum(target.startswith(("http:", "https:")) for target in targets) <= len(targets)


def _with_sentences(part: _Part, body: Element, weights: dict[int, Weight]) -> _Part | None:
    """Return a page of contents without its entries; None if nothing is left but titles."""

    def skip(node: Element, tag: str, attributes: Attributes) -> bool:
        weight = weights.get(node.mem_id, Weight())
        entry = tag in _ENTRIES and weight.link_share >= _CONTENTS_LINK_SHARE and not weight.prose
        return entry or _is_aside(node, tag, attributes)

    left = read(body, skip=skip).blocks
    return replace(part, skip=skip) if any(len(block.text.split()) >= _MIN_SENTENCE for block in left) else None


def _is_aside(node: Element, tag: str, attributes: Attributes) -> bool:
    """Whether an element is not part of the text: a list of contents or of pages, or the cover."""
    return tag == "nav" or not _ASIDE_TYPES.isdisjoint((attributes.get("epub:type") or "").split())


def _no_text(name: str, missing: list[str]) -> LoadError:
    if missing:
        return LoadError(f"{name} is incomplete: part {missing[0]!r} is missing", hint=GET_AGAIN)
    return LoadError(f"{name} contains no text", hint="its pages may be images; try an edition with text")
