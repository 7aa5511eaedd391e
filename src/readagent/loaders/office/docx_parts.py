"""Prepare the parts of a Word file for mammoth: what it would ignore is rewritten in terms it understands."""

from __future__ import annotations

import io
import xml.etree.ElementTree as ET
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from readagent.core.document import shortened
from readagent.errors import LoadError
from readagent.loaders.blocks import Block
from readagent.loaders.office.docx_numbering import Numbering
from readagent.loaders.office.numbering import BULLETS
from readagent.loaders.office.styles import (
    AUTHOR,
    CODE,
    CONTENTS,
    DATE,
    TITLE,
    Opening,
    formula_text,
    heading_of,
    role_of,
)
from readagent.loaders.sandbox.archive import Archive
from readagent.loaders.sandbox.xml import attribute, children, element_of, local

_SHOWN = 60  # characters of the text that a comment is about


def comment_blocks(
    comments: ET.Element, document: ET.Element, is_hidden: Callable[[ET.Element], bool]
) -> Iterator[Block]:
    """Yield the comments in their order. Runs of the document for which ``is_hidden`` holds are not quoted."""
    subjects = _subjects(document, is_hidden)
    for comment in comments:
        paragraphs = ("".join(_pieces(one)) for one in comment.iter() if local(one) == "p")
        text = " ".join(" ".join(paragraphs).split())
        if text:
            author, subject = attribute(comment, "author").strip(), subjects.get(attribute(comment, "id"), "")
            by, on = f" by {author}" if author else "", f" on “{shortened(subject, _SHOWN)}”" if subject else ""
            yield Block(f"Comment{by}{on}: {text}")


def _pieces(element: ET.Element) -> Iterator[str]:
    for one in element.iter():
        if local(one) == "t":
            yield one.text or ""
        elif local(one) in ("tab", "br", "cr"):
            yield " "


def _subjects(document: ET.Element, is_hidden: Callable[[ET.Element], bool]) -> dict[str, str]:
    """Return the start of the text that each comment is about, by the id of the comment."""
    found, open_ = dict[str, str](), set[str]()
    unseen = set[ET.Element]()
    for one in document.iter():
        kind = local(one)
        if kind == "commentRangeStart":
            open_.add(attribute(one, "id"))
        elif kind == "commentRangeEnd":
            open_.discard(attribute(one, "id"))
        elif kind == "r" and open_ and is_hidden(one):
            unseen.update(one.iter())
        elif kind in ("t", "p") and open_ and one not in unseen:
            for key in open_:
                found[key] = found.get(key, "") + (" " if kind == "p" else one.text or "")
            open_ -= {key for key in open_ if len(found[key]) > 2 * _SHOWN}  # enough is known
    return {key: " ".join(text.split()) for key, text in found.items()}


_NEEDED = ("[Content_Types].xml", "_rels/.rels")
_UNNEEDED = (
    "docProps/ customXml/ word/comments word/embeddings word/fontTable word/footer word/glossary word/header "
    "word/people word/settings word/theme word/webSettings"
).split()
_TEXT_PARTS = frozenset({"document", "footnotes", "endnotes"})
_DROPPED = frozenset(  # neither text nor relevant to it
    "rt blip imagedata proofErr bookmarkStart bookmarkEnd commentRangeStart commentRangeEnd commentReference "
    "permStart permEnd lastRenderedPageBreak".split()
)
_NOTE_MARKS = {"footnoteReference": "footnote", "endnoteReference": "endnote"}
_UNWRAPPED = frozenset({"fldSimple", "bdo", "dir", "hyperlink", "ruby", "rubyBase"})  # only their text is kept
_STYLES = {
    TITLE: "ReadAgentHeading1",
    AUTHOR: "ReadAgentText",
    DATE: "ReadAgentText",
    CODE: "ReadAgentCode",
    CONTENTS: "ReadAgentContents",
}
STYLE_MAP = "\n".join(
    [
        *(f"p.ReadAgentHeading{level} => h{min(level, 6)}:fresh" for level in range(1, 10)),
        "p.ReadAgentCode => pre:separator('\\n')",
        "p.ReadAgentText => p:fresh",
        "p.ReadAgentContents => !",
    ]
)


@dataclass(frozen=True, slots=True)
class Parts:
    """A Word file with only the parts that contain text, the opening of the text, its language, and the comments."""

    packed: io.BytesIO
    opening: Opening
    language: str
    comments: tuple[Block, ...] = ()


def prepare(archive: Archive, name: str) -> Parts:
    """Check all parts that mammoth reads, and rewrite those that contain text."""
    roots = {
        part: element_of(archive.read(part), part, name)
        for part in archive.names()
        if part in _NEEDED
        or (part.endswith((".xml", ".rels")) and not part.startswith(tuple(_UNNEEDED)) and "/" in part)
    }
    if not any(local(root) == "document" for root in roots.values()):
        raise LoadError(
            f"{name} is not a Word file: it has no text", hint="open it in Word or LibreOffice and save it again"
        )
    styles, definitions = (_root(roots, kind) for kind in ("styles", "numbering"))
    for style in styles:
        if local(style) == "style" and not attribute(style, "type"):  # mammoth needs what the standard lets be left out
            style.set(f"{style.tag.rpartition('}')[0]}}}type", "paragraph")
    context = _Context.of(styles, roots)
    numbering = Numbering(definitions, {attribute(one, "styleId"): one for one in styles if local(one) == "style"})
    opening = Opening()
    comments = tuple(_comments(archive, name, roots, context))
    for root in roots.values():
        if local(root) == "document":
            _take_opening(root, context, opening)
        if local(root) in _TEXT_PARTS:
            _number(root, numbering)
            _rewrite_children(root, context)
    return Parts(_packed(roots), opening, _language(styles), comments)


def _root(roots: dict[str, ET.Element], kind: str) -> ET.Element:
    return next((root for root in roots.values() if local(root) == kind), ET.Element("none"))


@dataclass(frozen=True, slots=True)
class _Context:
    """Looked up by id: the roles of paragraph styles, the styles that hide text, and the notes."""

    roles: dict[str, str]
    hidden: frozenset[str]
    notes: frozenset[tuple[str, str]]

    @classmethod
    def of(cls, root: ET.Element, roots: dict[str, ET.Element]) -> _Context:
        styles = {attribute(style, "styleId"): style for style in root if local(style) == "style"}
        roles = {key: _role(style, styles) for key, style in styles.items()}
        hidden = frozenset(key for key, style in styles.items() if _hides(style))
        noted = (note for root in roots.values() if local(root) in ("footnotes", "endnotes") for note in root)
        return cls(roles, hidden, frozenset((local(note), attribute(note, "id")) for note in noted))


def _comments(archive: Archive, name: str, roots: dict[str, ET.Element], context: _Context) -> Iterator[Block]:
    document = next(root for root in roots.values() if local(root) == "document")
    for part in archive.names():
        if part.startswith("word/comments") and part.endswith(".xml"):
            root = element_of(archive.read(part), part, name)
            if local(root) == "comments":  # not what newer versions of Word store next to them
                yield from comment_blocks(root, document, lambda run: _is_hidden(run, context))


def _role(style: ET.Element, styles: dict[str, ET.Element]) -> str:
    """Return the role or outline level of a style, or of the style it is based on."""
    for _ in range(len(styles)):
        fields = {local(one): one for one in style.iter()}
        style_name = attribute(fields["name"], "val") if "name" in fields else ""
        if role := role_of(style_name):
            return role
        if "outlineLvl" in fields:
            return _outline(fields["outlineLvl"])
        if level := heading_of(style_name):
            return str(level)
        base = styles.get(attribute(fields["basedOn"], "val")) if "basedOn" in fields else None
        if base is None:
            break
        style = base
    return ""


def _outline(element: ET.Element) -> str:
    value = attribute(element, "val")
    return str(int(value) + 1) if value in tuple("012345678") else ""


def _take_opening(root: ET.Element, context: _Context, opening: Opening) -> None:
    """Remove title, author and date from the start of the text and store them."""
    body = next((child for kind, child in children(root) if kind == "body"), root)
    others = 0
    for paragraph in list(body):
        role = context.roles.get(_style(paragraph), "") if local(paragraph) == "p" else ""
        text = "".join(one.text or "" for one in paragraph.iter() if local(one) == "t")
        if opening.take(role, text, others):
            body.remove(paragraph)
        elif text:
            others += 1
        if others > 1:
            break


def _number(root: ET.Element, numbering: Numbering) -> None:
    """Write the printed numbers and bullets into the text; the style map has no lists."""
    space = root.tag.rpartition("}")[0] + "}"
    for paragraph in _paragraphs(root):
        properties = next((child for kind, child in children(paragraph) if kind == "pPr"), None)
        label = numbering.label(paragraph, _style(paragraph))
        has_text = any(one.text for one in paragraph.iter() if local(one) == "t")
        if label and (has_text or label[0] not in BULLETS):
            run = ET.Element(f"{space}r")
            ET.SubElement(run, f"{space}t").text = label
            paragraph.insert(0 if properties is None else 1, run)


def _paragraphs(element: ET.Element) -> Iterator[ET.Element]:
    """Yield the paragraphs in the order of the text; the newer one of two forms of a text box is not read."""
    for kind, child in children(element):
        if kind == "p":
            yield child
        if kind != "Choice":
            yield from _paragraphs(child)


def _rewrite_children(root: ET.Element, context: _Context) -> None:
    """Give paragraphs the styles of STYLE_MAP and formulas as text; remove hidden text and character formats."""
    space = root.tag.rpartition("}")[0] + "}"
    for parent in list(root.iter()):
        kept: list[ET.Element] = []
        for child in parent:
            is_format = local(parent) == "r" and local(child) == "rPr"
            new = None if is_format else _rewritten(child, context, space)
            if new is not None and not (kept and _joined(kept[-1], new)):
                kept.append(new)
        if len(kept) != len(parent) or any(new is not old for new, old in zip(kept, parent, strict=True)):
            parent[:] = kept


def _rewritten(element: ET.Element, context: _Context, space: str) -> ET.Element | None:
    kind = local(element)
    if kind == "r":
        return None if _is_hidden(element, context) else element
    if kind in _DROPPED or (kind in _NOTE_MARKS and (_NOTE_MARKS[kind], attribute(element, "id")) not in context.notes):
        return None
    if kind in _UNWRAPPED:
        element.tag = f"{space}smartTag"
    elif kind in ("oMath", "oMathPara"):
        run = ET.Element(f"{space}r")
        ET.SubElement(run, f"{space}t").text = formula_text(element)
        return run
    elif kind == "p":
        _restyle(element, context, space)
    return element


def _joined(before: ET.Element, run: ET.Element) -> bool:
    """Append a run that is only text to the run before it; return whether that was possible."""
    texts = [_only_text(one) if local(one) == "r" else None for one in (before, run)]
    if texts[0] is None or texts[1] is None:
        return False
    texts[0].text = f"{texts[0].text or ''}{texts[1].text or ''}"
    return True


def _only_text(run: ET.Element) -> ET.Element | None:
    inside = [child for kind, child in children(run) if kind != "rPr"]
    return inside[0] if len(inside) == 1 and local(inside[0]) == "t" else None


def _restyle(paragraph: ET.Element, context: _Context, space: str) -> None:
    properties = next((child for kind, child in children(paragraph) if kind == "pPr"), None)
    if properties is None:
        return
    fields = dict(children(properties))
    role = _outline(fields["outlineLvl"]) if "outlineLvl" in fields else context.roles.get(_style(paragraph), "")
    style = f"ReadAgentHeading{role}" if role.isdigit() else _STYLES.get(role)
    if style:
        if "pStyle" in fields:
            properties.remove(fields["pStyle"])
        ET.SubElement(properties, f"{space}pStyle", {f"{space}val": style})


def _style(paragraph: ET.Element) -> str:
    for kind, child in children(paragraph):
        if kind == "pPr":
            return next((attribute(one, "val") for kind, one in children(child) if kind == "pStyle"), "")
    return ""


def _is_hidden(run: ET.Element, context: _Context) -> bool:
    if _hides(run):
        return True
    properties = (
        one for kind, child in children(run) if kind == "rPr" for name, one in children(child) if name == "rStyle"
    )
    return any(attribute(one, "val") in context.hidden for one in properties)


def _hides(element: ET.Element) -> bool:
    properties = (one for kind, child in children(element) if kind == "rPr" for one in child if local(one) == "vanish")
    return any(attribute(one, "val") not in ("0", "false", "off") for one in properties)


def _language(styles: ET.Element) -> str:
    for element in styles.iter():
        if local(element) == "lang" and (value := attribute(element, "val")):
            return value
    return ""


def _packed(roots: dict[str, ET.Element]) -> io.BytesIO:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for part, root in roots.items():
            archive.writestr(part, ET.tostring(root, encoding="utf-8"))
    return packed
