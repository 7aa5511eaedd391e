"""Rich text (RTF): paragraphs, headings by style or outline level, tables, text boxes; notes come last.

Deleted and hidden text, comments, page headers and footers, and emphasis are left out.
"""

from __future__ import annotations

import locale

from readagent.core.document import Document
from readagent.errors import LoadError
from readagent.loaders.blocks import compose, with_notes
from readagent.loaders.formats import Options
from readagent.loaders.office.rtf_reader import Text, text_of
from readagent.loaders.office.styles import AUTHOR, DATE, TITLE


def parse(data: bytes, name: str, options: Options) -> Document:
    """Return a rich text file as a document."""
    start = data.find(b"{\\rtf", 0, 1000)
    if start < 0:
        raise LoadError(f"{name} is not a rich text (RTF) file", hint="check the format of the file")
    return _composed(text_of(data[start:].decode("latin-1"), name))


def _composed(text: Text) -> Document:
    info, date, opening = text.header.info, text.header.date, text.opening
    dated = date.keys() >= {"yr", "mo", "dy"} and 1900 < date["yr"] < 3000
    fields = {
        "author": opening.get(AUTHOR) or info.get("author", ""),
        "date": opening.get(DATE) or (f"{date['yr']:04}-{date['mo']:02}-{date['dy']:02}" if dated else ""),
        "language": locale.windows_locale.get(text.header.language, "").replace("_", "-"),
    }
    return compose(
        with_notes(text.blocks, text.notes), title=opening.get(TITLE) or info.get("title", ""), metadata=fields
    )
