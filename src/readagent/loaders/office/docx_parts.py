"""The parts of a Word file, looked through and made ready for mammoth: what it would pass over is put in its words."""

from __future__ import annotations

import io
import xml.etree.ElementTree as ET
import zipfile
from dataclasses import dataclass

from readagent.errors import LoadError
from readagent.loaders.office.formula import written
from readagent.loaders.office.styles import AUTHOR, CODE, CONTENTS, DATE, TITLE, Opening, heading_of, role_of
from readagent.loaders.office.xml import attribute, children, element_of, local
from readagent.loaders.sandbox.archive import Archive

_NEEDED = ("[Content_Types].xml", "_rels/.rels")
_UNNEEDED = (
    "docProps/ customXml/ word/comments word/embeddings word/fontTable word/footer word/glossary word/header "
    "word/people word/settings word/theme word/webSettings"
).split()
_READ = frozenset({"document", "footnotes", "endnotes"})
_SILENT = frozenset(  # neither text nor anything that bears on it
    "rt blip imagedata proofErr bookmarkStart bookmarkEnd commentRangeStart commentRangeEnd commentReference "
    "permStart permEnd lastRenderedPageBreak".split()
)
_NOTE_MARKS = {"footnoteReference": "footnote", "endnoteReference": "endnote"}
_THROUGH = frozenset({"fldSimple", "bdo", "dir", "hyperlink", "ruby", "rubyBase"})  # only the text in these is read
_STYLES = {TITLE: "OursHeading1", AUTHOR: "OursText", DATE: "OursText", CODE: "OursCode", CONTENTS: "OursContents"}
_LISTS = "ul|ol > li > "
STYLE_MAP = "\n".join(
    [
        *(f"p.OursHeading{level} => h{min(level, 6)}:fresh" for level in range(1, 10)),
        "p.OursCode => pre:separator('\\n')",
        "p.OursText => p:fresh",
        "p.OursContents => !",
        *(f"p:unordered-list({depth}) => {_LISTS * (depth - 1)}ul > li:fresh" for depth in range(1, 6)),
        *(f"p:ordered-list({depth}) => {_LISTS * (depth - 1)}ol > li:fresh" for depth in range(1, 6)),
    ]
)


@dataclass(frozen=True, slots=True)
class Parts:
    """A Word file of the parts that hold text, what the text opens with, and its language."""

    packed: io.BytesIO
    opening: Opening
    language: str


def parts_of(archive: Archive, name: str) -> Parts:
    """Look through all parts that may be read, and make the texts among them ready."""
    roots = {
        part: element_of(archive.read(part), part, name)
        for part in archive.names()
        if part in _NEEDED
        or (part.endswith((".xml", ".rels")) and not part.startswith(tuple(_UNNEEDED)) and "/" in part)
    }
    if not any(local(root) == "document" for root in roots.values()):
        raise LoadError(
            f"{name} is no Word file: it has no text", hint="open it in Word or LibreOffice and save it anew"
        )
    styles = next((root for root in roots.values() if local(root) == "styles"), ET.Element("none"))
    known = _Known.of(styles, roots)
    opening = Opening()
    for root in roots.values():
        if local(root) == "document":
            _take_opening(root, known, opening)
        if local(root) in _READ:
            _make_ready(root, known)
    return Parts(_packed(roots), opening, _language(styles))


@dataclass(frozen=True, slots=True)
class _Known:
    """What is known by its id: what styles of paragraphs are (a role, a heading's level), what hides text, notes."""

    roles: dict[str, str]
    hidden: frozenset[str]
    notes: frozenset[tuple[str, str]]

    @classmethod
    def of(cls, root: ET.Element, roots: dict[str, ET.Element]) -> _Known:
        styles = {attribute(style, "styleId"): style for style in root if local(style) == "style"}
        roles = {key: _role(style, styles) for key, style in styles.items()}
        hidden = frozenset(key for key, style in styles.items() if _hides(style))
        noted = (note for root in roots.values() if local(root) in ("footnotes", "endnotes") for note in root)
        return cls(roles, hidden, frozenset((local(note), attribute(note, "id")) for note in noted))


def _role(style: ET.Element, styles: dict[str, ET.Element]) -> str:
    """What the name of a style says, or its level in the outline, or else those of the style it is based on."""
    for _ in range(len(styles)):
        fields = {local(one): one for one in style.iter()}
        named = attribute(fields["name"], "val") if "name" in fields else ""
        if role := role_of(named):
            return role
        if "outlineLvl" in fields:
            return _outline(fields["outlineLvl"])
        if level := heading_of(named):
            return str(level)
        base = styles.get(attribute(fields["basedOn"], "val")) if "basedOn" in fields else None
        if base is None:
            break
        style = base
    return ""


def _outline(element: ET.Element) -> str:
    said = attribute(element, "val")
    return str(int(said) + 1) if said in tuple("012345678") else ""


def _take_opening(root: ET.Element, known: _Known, opening: Opening) -> None:
    """Take out the paragraphs with which the text opens: title, author, date."""
    body = next((child for kind, child in children(root) if kind == "body"), root)
    others = 0
    for paragraph in list(body):
        role = known.roles.get(_style(paragraph), "") if local(paragraph) == "p" else ""
        text = "".join(one.text or "" for one in paragraph.iter() if local(one) == "t")
        if opening.takes(role, text, others):
            body.remove(paragraph)
        elif text:
            others += 1
        if others > 1:
            break


def _make_ready(root: ET.Element, known: _Known) -> None:
    """Give paragraphs the styles of our map, formulas as text; leave out what is hidden and how characters look."""
    space = root.tag.rpartition("}")[0] + "}"
    for parent in list(root.iter()):
        kept: list[ET.Element] = []
        for child in parent:
            looks = local(parent) == "r" and local(child) == "rPr"
            ready = None if looks else _ready(child, known, space)
            if ready is not None and not (kept and _joined(kept[-1], ready)):
                kept.append(ready)
        if len(kept) != len(parent) or any(new is not old for new, old in zip(kept, parent, strict=True)):
            parent[:] = kept


def _ready(element: ET.Element, known: _Known, space: str) -> ET.Element | None:
    kind = local(element)
    if kind == "r":
        return None if _is_hidden(element, known) else element
    if kind in _SILENT or (kind in _NOTE_MARKS and (_NOTE_MARKS[kind], attribute(element, "id")) not in known.notes):
        return None
    if kind in _THROUGH:
        element.tag = f"{space}smartTag"
    elif kind in ("oMath", "oMathPara"):
        run = ET.Element(f"{space}r")
        ET.SubElement(run, f"{space}t").text = written(element)
        return run
    elif kind == "p":
        _restyle(element, known, space)
    return element


def _joined(before: ET.Element, run: ET.Element) -> bool:
    """Whether a run of nothing but text could be made part of the one before it."""
    texts = [_only_text(one) if local(one) == "r" else None for one in (before, run)]
    if texts[0] is None or texts[1] is None:
        return False
    texts[0].text = f"{texts[0].text or ''}{texts[1].text or ''}"
    return True


def _only_text(run: ET.Element) -> ET.Element | None:
    inside = [child for kind, child in children(run) if kind != "rPr"]
    return inside[0] if len(inside) == 1 and local(inside[0]) == "t" else None


def _restyle(paragraph: ET.Element, known: _Known, space: str) -> None:
    properties = next((child for kind, child in children(paragraph) if kind == "pPr"), None)
    if properties is None:
        return
    fields = dict(children(properties))
    role = _outline(fields["outlineLvl"]) if "outlineLvl" in fields else known.roles.get(_style(paragraph), "")
    ours = f"OursHeading{role}" if role.isdigit() else _STYLES.get(role)
    if ours:
        if "pStyle" in fields:
            properties.remove(fields["pStyle"])
        ET.SubElement(properties, f"{space}pStyle", {f"{space}val": ours})


def _style(paragraph: ET.Element) -> str:
    for kind, child in children(paragraph):
        if kind == "pPr":
            return next((attribute(one, "val") for kind, one in children(child) if kind == "pStyle"), "")
    return ""


def _is_hidden(run: ET.Element, known: _Known) -> bool:
    if _hides(run):
        return True
    looks = (one for kind, child in children(run) if kind == "rPr" for name, one in children(child) if name == "rStyle")
    return any(attribute(one, "val") in known.hidden for one in looks)


def _hides(element: ET.Element) -> bool:
    looks = (one for kind, child in children(element) if kind == "rPr" for one in child if local(one) == "vanish")
    return any(attribute(one, "val") not in ("0", "false", "off") for one in looks)


def _language(styles: ET.Element) -> str:
    for element in styles.iter():
        if local(element) == "lang" and (said := attribute(element, "val")):
            return said
    return ""


def _packed(roots: dict[str, ET.Element]) -> io.BytesIO:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for part, root in roots.items():
            archive.writestr(part, ET.tostring(root, encoding="utf-8"))
    return packed
