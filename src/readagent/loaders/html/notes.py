"""Which elements are footnotes and endnotes, and which links are the marks that point to them.

Many pages say it (by role, by class, by the types of EPUB). Where they do not, a note is known by its links: a short
mark in the text, such as ``[3]``, points to it, and a link in it points back to where the mark stands.
"""

from __future__ import annotations

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
_HOMES = frozenset("p li dd dt td th div aside section article blockquote figure".split())
_HEADINGS = frozenset({"h1", "h2", "h3", "h4", "h5", "h6"})
_NOTE_TAGS = frozenset("li p dd div aside td blockquote".split())
_INLINE = frozenset("a b em font i small span strong sub sup u".split())
_LONGEST_NOTE = 12_000  # characters; what is longer is a chapter
_MOST_LOOKED_AT = 40  # nodes in a link
_LEVELS = 3  # of elements around a link that count as where it stands


@dataclass(frozen=True, slots=True)
class Link:
    """A link inside the text: its element, where it stands (the innermost first), what it points to, and its words."""

    element: int
    homes: tuple[int, ...]
    target: str
    words: str
    said: bool  # it says of itself that it is a mark of a note


@dataclass(slots=True)
class Survey:
    """What a document says of its notes, before they are known: its links, its named places, its declared notes."""

    links: list[Link] = field(default_factory=list)
    places: dict[str, Element] = field(default_factory=dict)  # the block in which each named place stands
    in_notes: set[str] = field(default_factory=set)  # the named places in declared notes
    declared: set[int] = field(default_factory=set)


@dataclass(frozen=True, slots=True)
class Notes:
    """The elements that are notes and the links that are their marks, each by the number of its element."""

    elements: frozenset[int] = frozenset()
    marks: frozenset[int] = frozenset()


NONE = Notes()


def declares_note(tag: str, attributes: Attributes) -> bool:
    """Whether an element says that it is a note, or that notes are in it."""
    if not attributes:
        return False
    if (attributes.get("role") or "") in _ROLES or not _TYPES.isdisjoint((attributes.get("epub:type") or "").split()):
        return tag != "a"
    if not attributes.get("class"):
        return False
    classes = classes_of(attributes)
    return not _CLASSES.isdisjoint(classes) and (tag not in _INLINE or "ltx_note" in classes)


def points_back(attributes: Attributes, words: str) -> bool:
    """Whether a link leads from a note back to the text and says nothing else."""
    said = attributes.get("role") == "doc-backlink" or not _BACK_CLASSES.isdisjoint(classes_of(attributes))
    return said or (bool(words.strip()) and _BACK.fullmatch(words.strip()) is not None)


def survey(root: Element, path: str = "") -> Survey:
    """The links and named places of a document; names are ``path#id``, so that documents can point to one another."""
    surveyor = _Surveyor(root, path)
    walk(root, surveyor.enter, surveyor.leave)
    return surveyor.found


class _Surveyor:
    """Walks over a document, and remembers in which blocks and in which declared notes it is."""

    def __init__(self, root: Element, path: str) -> None:
        self.found = Survey()
        self._path = path
        self._homes = [root]
        self._notes: list[int] = []

    def enter(self, node: Element) -> bool:
        tag = node.tag
        if tag is None or tag[0] == "-":
            return False
        attributes = node.attributes
        if tag in _HOMES:
            self._homes.append(node)
        if declares_note(tag, attributes):
            self._notes.append(node.mem_id)
            self.found.declared.add(node.mem_id)
        for name in (attributes.get("id"), attributes.get("name") if tag == "a" else None):
            if name:
                place = f"{self._path}#{name}"
                self.found.places.setdefault(place, node if tag in _HEADINGS else self._homes[-1])
                if self._notes:
                    self.found.in_notes.add(place)
        href = attributes.get("href") if tag == "a" else None
        if href and "#" in href:
            around = tuple(home.mem_id for home in self._homes[: -_LEVELS - 1 : -1])
            target = resolve(self._path, href)
            self.found.links.append(Link(node.mem_id, around, target, words_of(node), _says_mark(attributes)))
        return True

    def leave(self, node: Element) -> None:
        if self._homes[-1].mem_id == node.mem_id and len(self._homes) > 1:
            self._homes.pop()
        if self._notes and self._notes[-1] == node.mem_id:
            self._notes.pop()


def find_notes(surveys: Sequence[Survey]) -> Notes:
    """The notes of documents that belong together, in the order they are read in."""
    links = [link for one in surveys for link in one.links]
    places = {name: place for one in surveys for name, place in one.places.items()}
    in_notes = {name for one in surveys for name in one.in_notes}
    elements = {number for one in surveys for number in one.declared}
    points_to: dict[int, set[int]] = {}
    for link in links:
        target = places.get(link.target)
        if target is not None:
            for home in link.homes:
                points_to.setdefault(home, set()).add(target.mem_id)
    marks: set[int] = set()
    passed: set[int] = set()
    found: dict[int, Element] = {}
    for link in links:
        note = places.get(link.target)
        passed.update(link.homes)
        if note is None or note.mem_id in link.homes or not (link.said or _MARK.fullmatch(link.words)):
            continue
        if link.target in in_notes or note.mem_id in found:
            if elements.isdisjoint(link.homes) and found.keys().isdisjoint(link.homes):
                marks.add(link.element)
        elif (
            note.mem_id not in passed
            and (link.said or link.homes[0] in points_to.get(note.mem_id, ()))
            and _may_be_note(note)
        ):
            found[note.mem_id] = note
            marks.add(link.element)
    return Notes(frozenset(elements | _whole(found)), frozenset(marks))


def _whole(notes: Mapping[int, Element]) -> set[int]:
    """The notes, each with all its paragraphs: an element that opens with a note and holds no other is the note."""
    parents = {number: note.parent for number, note in notes.items()}
    holds = Counter(parent.mem_id for parent in parents.values() if parent is not None)
    return {
        parent.mem_id if parent is not None and holds[parent.mem_id] == 1 and _opens(note, parent) else number
        for (number, note), parent in zip(notes.items(), parents.values(), strict=True)
    }


def _opens(note: Element, parent: Element) -> bool:
    first = parent.first_child
    while first is not None and first.tag == TEXT and not (first.text_content or "").strip():
        first = first.next
    return first is not None and first.mem_id == note.mem_id and _may_be_note(parent)


def resolve(path: str, href: str) -> str:
    """Where a link in the document at this path points to: ``path#id``."""
    where, _, name = unquote(href).partition("#")
    if not where:
        return f"{path}#{name}"
    folder = path.rpartition("/")[0].split("/") if "/" in path else []
    for step in where.split("/"):
        if step == ".." and folder:
            folder.pop()
        elif step not in (".", ""):
            folder.append(step)
    return f"{'/'.join(folder)}#{name}"


def words_of(node: Element) -> str:
    """The words in an element that should hold few; cut where there are many."""
    inside = islice(node.traverse(include_text=True), _MOST_LOOKED_AT)
    return " ".join("".join(one.text_content or "" for one in inside if one.tag == TEXT).split())[:40]


def _says_mark(attributes: Attributes) -> bool:
    if attributes.get("role") in _REFERENCE_ROLES or "noteref" in (attributes.get("epub:type") or "").split():
        return True
    return attributes.get("rel") == "footnote" or not _REFERENCE_CLASSES.isdisjoint(classes_of(attributes))


def _may_be_note(note: Element) -> bool:
    """Whether an element that a mark points to is a note, not a chapter that a table of contents points to."""
    if note.tag not in _NOTE_TAGS:
        return False
    text = 0
    heading = False

    def enter(inner: Element) -> bool:
        nonlocal text, heading
        heading = heading or inner.tag in _HEADINGS
        text += len(inner.text_content or "") if inner.tag == TEXT else 0
        return not heading and text < _LONGEST_NOTE

    walk(note, enter, lambda _: None)
    return not heading and text < _LONGEST_NOTE
