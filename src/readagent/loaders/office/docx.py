"""Word files (.docx, .docm): mammoth converts them to HTML, which becomes blocks; notes and comments come last.

Deleted text, hidden text, images, tables of contents, page headers and footers are left out. The only module
that uses mammoth.
"""

from __future__ import annotations

import zipfile
from xml.parsers.expat import ExpatError

import mammoth

from readagent.core.document import Document
from readagent.errors import LoadError
from readagent.loaders.blocks import Block, compose
from readagent.loaders.formats import Options
from readagent.loaders.html.parser import blocks_of
from readagent.loaders.office.docx_parts import STYLE_MAP, Parts, prepare
from readagent.loaders.office.opc import metadata_of
from readagent.loaders.office.styles import AUTHOR, DATE, TITLE
from readagent.loaders.sandbox.archive import Archive
from readagent.loaders.unsupported import old_office_file

_OLE_SIGNATURE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_MAMMOTH_ERRORS = (
    ArithmeticError, AttributeError, ExpatError, LookupError, OSError, RecursionError, TypeError, ValueError,
    zipfile.BadZipFile,
)  # fmt: skip


def parse(data: bytes, name: str, options: Options) -> Document:
    """Return a Word file as a document."""
    if data.startswith(_OLE_SIGNATURE):
        raise old_office_file(data, name)
    archive = Archive(data, name)
    parts = prepare(archive, name)
    declared = metadata_of(archive)
    found = {
        "title": parts.opening.get(TITLE) or declared["title"],
        "author": parts.opening.get(AUTHOR) or declared["author"],
        "date": parts.opening.get(DATE) or declared["date"],
        "language": declared["language"] or parts.language,
    }
    blocks = blocks_of(_html(parts, name))
    comments = [Block("Comments", heading=1), *parts.comments] if parts.comments else []
    return compose([*blocks, *comments], title=found.pop("title"), metadata=found)


def _html(parts: Parts, name: str) -> str:
    try:
        converted = mammoth.convert_to_html(
            parts.packed,
            style_map=STYLE_MAP,
            include_default_style_map=False,
            include_embedded_style_map=False,
            convert_image=_drop_image,
        )
    except _MAMMOTH_ERRORS as error:
        hint = "open it in Word or LibreOffice and save it again"
        raise LoadError(f"{name} is damaged: its text could not be read", hint=hint) from error
    return str(converted.value)


def _drop_image(image: object) -> list[object]:
    return []
