"""Find footnotes and endnotes, and the links that are their reference marks.

Many pages declare them (by role, class or EPUB type). Otherwise a note is recognised by its links: a short mark in the
text, such as ``[3]``, points to it, and a link in it points back to the mark.
"""

from __future__ import annotations

import posixpath
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from urllib.parse import unquote

from readagent.loaders.html.tree import TEXT, Attributes, Element, classes_of, walk

_ROLES = frozenset("doc-footnote doc-footnotes doc-endnote doc-endnotes doc-rearnote doc-rearnotes".split())
_TYPES = frozenset("footnote footnotes endnote endnotes rearnote rearnotes".split())
_CLASSES = frozenset("footnote footnotes endnote endnotes footnotes-list footnote-list footdef ltx_note".split())
_REFERENCE_ROLES = frozenset({"doc-noteref", "noteref"})
_REFERENCE_CLASSES = frozenset(
    "footnote-ref footnote-reference footnoteref noteref fnref sdfootnoteanc sdendnoteanc".split()
)
_BACK_CLASSES = frozenset("footnote-back footnote-backref reversefootnote mw-cite-backlink".split())
_MARK = re.compile(
    r"[\[({]?\s*(?:note\s*|fn\.?\s*)?(?:\d{1,4}|[a-zA-Z]|[ivxlc]{1,7}|[*†‡§¶#]{1,4})\s*[\])}]?[.,]?", re.IGNORECASE
)
_BACK = re.compile(r"[\s↩↑↵⏎⤴^\ufe0e\ufe0f←\[\]]+|(?:back|return)(?: to (?:text|top|content))?", re.IGNORECASE)
_BLOCK_TAGS = frozenset("p li dd dt td th div aside section article blockquote figure".split())
_HEADINGS = frozenset({"h1", "h2", "h3", "h4", "h5", "h6"})
_NOTE_TAGS = frozenset("li p dd div aside td blockquote".split())
_INLINE = frozenset("a b em font i small span strong sub sup u".split())
_MAX_NOTE = 12_000  # characters; a longer element is a chapter
_MAX_NODES = 40  # visited in a link
_MAX_ANCESTORS = 3  # blocks around a link that count as its location


@dataclass(frozen=True, slots=True)
class Link:
    """A link inside the document: its element id, the blocks around it (innermost first), its target and its text."""

    element: int
    blocks: tuple[int, ...]
    target: str
    text: str
    declared: bool  # declared as a reference mark of a note


@dataclass(slots=True)
class Survey:
    """What is needed to find the notes of a document: its links, anchors and declared notes."""

    links: list[Link] = field(default_factory=list)
    anchors: dict[str, Element] = field(default_factory=dict)  # the block that contains each anchor
    in_notes: set[str] = field(default_factory=set)  # the anchors inside declared notes
    declared: set[int] = field(default_factory=set)


@dataclass(frozen=True, slots=True)
class Notes:
    """The elements that are notes and the links that are their marks, by element id."""

    elements: frozenset[int] = frozenset()
    marks: frozenset[int] = frozenset()


NO_NOTES = Notes()


def declares_note(tag: str, attributes: Attributes) -> bool:
    """Whether an element is declared as a note, or as a container of notes."""
    if not attributes:
        return False
    if (attributes.get("role") or "") in _ROLES or not _TYPES.isdisjoint((attributes.get("epub:type") or "").split()):
        return tag != "a"
    if not attributes.get("class"):
        return False
    classes = classes_of(attributes)
    return not _CLASSES.isdisjoint(classes) and (tag not in _INLINE or "ltx_note" in classes)


def points_back(attributes: Attributes, text: str) -> bool:
    """Whether a link only leads from a note back to the text."""
    declared = attributes.get("role") == "doc-backlink" or not _BACK_CLASSES.isdisjoint(classes_of(attributes))
    return declared or (bool(text.strip()) and _BACK.fullmatch(text.strip()) is not None)


def survey(root: Element, path: str = "") -> Survey:
    """Collect the links and anchors of a document; anchors are ``path#id``, so documents can refer to one another."""
    surveyor = _Surveyor(root, path)
    walk(root, surveyor.enter, surveyor.leave)
    return surveyor.found


class _Surveyor:
    """Walks over a document, and keeps track of the open blocks and declared notes."""

    def __init__(self, root: Element, path: str) -> None:
        self.found = Survey()
        self._path = path
        self._blocks = [root]
        self._notes: list[int] = []

    def enter(self, node: Element) -> bool:
        tag = node.tag
        if tag is None or tag[0] == "-":
            return False
        attributes = node.attributes
        if tag in _BLOCK_TAGS:
            self._blocks.append(node)
        if declares_note(tag, attributes):
            self._notes.append(node.mem_id)
            self.found.declared.add(node.mem_id)
        for name in (attributes.get("id"), attributes.get("name") if tag == "a" else None):
            if name:
                anchor = f"{self._path}#{name}"
                self.found.anchors.setdefault(anchor, node if tag in _HEADINGS else self._blocks[-1])
                if self._notes:
                    self.found.in_notes.add(anchor)
        href = attributes.get("href") if tag == "a" else None
        if href and "#" in href:
            blocks = tuple(block.mem_id for block in self._blocks[: -_MAX_ANCESTORS - 1 : -1])
            target = resolve(self._path, href)
            self.found.links.append(Link(node.mem_id, blocks, target, short_text(node), _declares_mark(attributes)))
        return True

    def leave(self, node: Element) -> None:
        if self._blocks[-1].mem_id == node.mem_id and len(self._blocks) > 1:
            self._blocks.pop()
        if self._notes and self._notes[-1] == node.mem_id:
            self._notes.pop()


def find_notes(surveys: Sequence[Survey]) -> Notes:
    """Find the notes of documents that belong together, given in reading order."""
    links = [link for one in surveys for link in one.links]
    anchors = {name: block for one in surveys for name, block in one.anchors.items()}
    in_notes = {name for one in surveys for name in one.in_notes}
    elements = {element for one in surveys for element in one.declared}
    points_to: dict[int, set[int]] = {}
    for link in links:
        target = anchors.get(link.target)
        if target is not None:
            for block_id in link.blocks:
                points_to.setdefault(block_id, set()).add(target.mem_id)
    marks: set[int] = set()
    earlier: set[int] = set()
    found: dict[int, Element] = {}
    for link in links:
        note = anchors.get(link.target)
        earlier.update(link.blocks)
        if note is None or note.mem_id in link.blocks or not (link.declared or _MARK.fullmatch(link.text)):
            continue
        if link.target in in_notes or note.mem_id in found:
            if elements.isdisjoint(link.blocks) and found.keys().isdisjoint(link.blocks):
                marks.add(link.element)
        elif (
            note.mem_id not in earlier
            and (link.declared or link.blocks[0] in points_to.get(note.mem_id, ()))
            and _may_be_note(note)
        ):
            found[note.mem_id] = note
            marks.add(link.element)
    return Notes(frozenset(elements | _with_all_paragraphs(found)), frozenset(marks))


def _with_all_paragraphs(notes: Mapping[int, Element]) -> set[int]:
    """Return the ids of whole notes: a parent that begins with a note and contains no other is the note."""
    parents = {element: note.parent for element, note in notes.items()}
    contained = Counter(parent.mem_id for parent in parents.values() if parent is not None)
    return {
        parent.mem_id
        if parent is not None and contained[parent.mem_id] == 1 and _begins_with(note, parent)
        else element
        for (element, note), parent in zip(notes.items(), parents.values(), strict=True)
    }


def _begins_with(note: Element, parent: Element) -> bool:
    first = parent.first_child
    while first is not None and first.tag == TEXT and not (first.text_content or "").strip():
        first = first.next
    return first is not None and first.mem_id == note.mem_id and _may_be_note(parent)


def resolve(path: str, href: str) -> str:
    """Return the target of a link in the document at this path, as ``path#id``."""
    name = unquote(href.partition("#")[2])
    return f"{resolve_path(path, href)}#{name}"


def resolve_path(base: str, href: str) -> str:
    """Resolve the path of a link in the document at ``base``, without its query and fragment."""
    given = unquote(href.partition("#")[0].partition("?")[0])
    joined = posixpath.normpath(posixpath.join("/", posixpath.dirname(base), given))
    return joined.lstrip("/") if given else base


def short_text(node: Element) -> str:
    """Return the text of an element that should be short, cut off if it is not."""
    inside = islice(node.traverse(include_text=True), _MAX_NODES)
    return " ".join("".join(one.text_content or "" for one in inside if one.tag == TEXT).split())[:40]


def _declares_mark(attributes: Attributes) -> bool:
    if attributes.get("role") in _REFERENCE_ROLES or "noteref" in (attributes.get("epub:type") or "").split():
        return True
    return attributes.get("rel") == "footnote" or not _REFERENCE_CLASSES.isdisjoint(classes_of(attributes))


def _may_be_note(note: Element) -> bool:
    """Whether the target of a mark is a note, not a chapter that a table of contents points to."""
    if note.tag not in _NOTE_TAGS:
        return False
    text = 0
    heading = False

    def enter(inner: Element) -> bool:
        nonlocal text, heading
        heading = heading or inner.tag in _HEADINGS
        text += len(inner.text_content or "") if inner.tag == TEXT else 0
        return not heading and text < _MAX_NOTE

    walk(note, enter, lambda _: None)
    return not heading and text < _MAX_NOTE
