"""Rich text (RTF): paragraphs, headings by style or outline level, tables, text in boxes; notes after the text.

Deleted and hidden text, comments, and what stands at the head and foot of pages are left out. So is emphasis.
"""

from __future__ import annotations

import locale

from readagent.core.document import Document
from readagent.errors import LoadError
from readagent.loaders.blocks import Block, compose
from readagent.loaders.formats import Options
from readagent.loaders.office.rtf_reader import Text, text_of
from readagent.loaders.office.styles import AUTHOR, DATE, TITLE


def parse(data: bytes, name: str, options: Options) -> Document:
    """The document in a rich text file."""
    start = data.find(b"{\\rtf", 0, 1000)
    if start < 0:
        raise LoadError(f"{name} is no rich text (RTF) file", hint="check what kind of file it is, and rename it")
    return _composed(text_of(data[start:].decode("latin-1"), name))


def _composed(text: Text) -> Document:
    notes = [Block("Notes", heading=1), *text.notes] if text.notes else []
    info, day, opening = text.facts.info, text.facts.day, text.opening
    dated = day.keys() >= {"yr", "mo", "dy"} and 1900 < day["yr"] < 3000
    fields = {
        "author": opening.get(AUTHOR) or info.get("author", ""),
        "date": opening.get(DATE) or (f"{day['yr']:04}-{day['mo']:02}-{day['dy']:02}" if dated else ""),
        "language": locale.windows_locale.get(text.facts.language, "").replace("_", "-"),
    }
    return compose(text.blocks + notes, title=opening.get(TITLE) or info.get("title", ""), metadata=fields)
