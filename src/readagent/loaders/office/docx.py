"""Word files (.docx, .docm): mammoth turns them into HTML, and that becomes blocks; notes stand after the text.

Deleted text, comments, hidden text, pictures, tables of contents, and the heads and feet of pages are left out.
"""

from __future__ import annotations

import zipfile
from xml.etree.ElementTree import Element
from xml.parsers.expat import ExpatError

import mammoth

from readagent.core.document import Document
from readagent.errors import LoadError
from readagent.loaders.blocks import compose
from readagent.loaders.formats import Options
from readagent.loaders.html.content import blocks_of
from readagent.loaders.office.docx_parts import STYLE_MAP, Parts, parts_of
from readagent.loaders.office.styles import AUTHOR, DATE, TITLE
from readagent.loaders.office.xml import day_of, element_of, text_in
from readagent.loaders.sandbox.archive import Archive

_OLD = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_LOCKED = "EncryptedPackage".encode("utf-16-le")
_CORE = "docProps/core.xml"
_DAMAGE = (
    ArithmeticError, AttributeError, ExpatError, LookupError, OSError, RecursionError, TypeError, ValueError,
    zipfile.BadZipFile,
)  # fmt: skip


def parse(data: bytes, name: str, options: Options) -> Document:
    """The document in a Word file."""
    if data.startswith(_OLD):
        raise _old(data, name)
    archive = Archive(data, name)
    parts = parts_of(archive, name)
    core = element_of(archive.read(_CORE), _CORE, name) if _CORE in archive else Element("none")
    fields = {
        "author": parts.opening.get(AUTHOR) or text_in(core, "creator"),
        "date": parts.opening.get(DATE) or day_of(text_in(core, "created", "modified")),
        "language": text_in(core, "language") or parts.language,
    }
    title = parts.opening.get(TITLE) or text_in(core, "title")
    return compose(blocks_of(_html(parts, name)), title=title, metadata=fields)


def _html(parts: Parts, name: str) -> str:
    try:
        converted = mammoth.convert_to_html(
            parts.packed,
            style_map=STYLE_MAP,
            include_default_style_map=False,
            include_embedded_style_map=False,
            convert_image=_no_picture,
        )
    except _DAMAGE as error:
        hint = "open it in Word or LibreOffice and save it anew"
        raise LoadError(f"{name} is damaged: its text cannot be made out", hint=hint) from error
    return str(converted.value)


def _no_picture(image: object) -> list[object]:
    return []


def _old(data: bytes, name: str) -> LoadError:
    if _LOCKED in data:
        return LoadError(f"{name} is locked with a password", hint="save it without a password and read that")
    return LoadError(f"{name} is an old Word file (.doc)", hint="open it in Word or LibreOffice and save it as .docx")
