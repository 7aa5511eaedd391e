"""The metadata of a PDF, without obvious junk: title, author, date, language."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import PurePath

from readagent.loaders.pdf.layout.paragraphs import Passage
from readagent.loaders.pdf.pdfium import Pdf

_DATE = re.compile(r"(?:D:)?(\d{4})(?:(\d{2})(\d{2})?)?")
_LANGUAGE = re.compile(r"[A-Za-z]{2,3}(?:-[A-Za-z0-9]{2,8})*")
_JUNK_TITLE = re.compile(
    r"(?i)microsoft \w+ - .*|untitled.*|unbenannt.*|sans titre.*|document\d*|title|none|null|\(.*\)|slide \d+"
    r"|.*\.(?:docx?|odt|rtf|tex|dvi|pdf|indd|qxp|qxd|ps|html?|txt|xlsx?|pptx?|pages|fm|wpd|eps)|[\W\d_]*|print|about:blank"
)
_JUNK_AUTHOR = re.compile(r"(?i)user|admin(?:istrator)?|unknown|author|anonymous|none|root|[\W\d_]*|owner|default")
_MAX_TITLE = 300


def metadata_of(pdf: Pdf) -> dict[str, str]:
    """Return author, date and language, as far as the file gives them."""
    found = {"author": pdf.info("Author"), "date": date_of(pdf.info("CreationDate")), "language": pdf.language()}
    if _JUNK_AUTHOR.fullmatch(found["author"]):
        found["author"] = ""
    if not _LANGUAGE.fullmatch(found["language"]):
        found["language"] = ""
    return {name: value for name, value in found.items() if value}


def date_of(value: str) -> str:
    """Return the day of a PDF date, such as 2024-02-29 for ``D:20240229120000Z``."""
    found = _DATE.match(value.strip())
    if not found or not 1900 <= int(found[1]) <= 2200:
        return ""
    year, month, day = found[1], found[2], found[3]
    if month is None or not 1 <= int(month) <= 12:
        return year
    return f"{year}-{month}-{day}" if day and 1 <= int(day) <= 31 else f"{year}-{month}"


def title_of(declared: str, passages: Sequence[Passage], name: str) -> str:
    """Return the declared title unless it is junk, else the largest text on the first sheet, else the file name."""
    declared = " ".join(declared.split())
    if declared and len(declared) <= _MAX_TITLE and not _JUNK_TITLE.fullmatch(declared):
        return declared
    first = [passage for passage in passages if passage.level and passage.sheet <= passages[0].sheet + 1]
    if first:
        largest = max(first, key=lambda passage: (passage.sheet == passages[0].sheet, round(passage.size, 1)))
        return largest.text[:_MAX_TITLE]
    return PurePath(name).stem
