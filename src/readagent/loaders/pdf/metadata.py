"""What a PDF says of itself, as far as it can be believed: title, author, date, language."""

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
_LONGEST_TITLE = 300


def facts_of(pdf: Pdf) -> dict[str, str]:
    """Author, date and language, where the file tells them."""
    facts = {"author": pdf.fact("Author"), "date": date_of(pdf.fact("CreationDate")), "language": pdf.language()}
    if _JUNK_AUTHOR.fullmatch(facts["author"]):
        facts["author"] = ""
    if not _LANGUAGE.fullmatch(facts["language"]):
        facts["language"] = ""
    return {name: value for name, value in facts.items() if value}


def date_of(written: str) -> str:
    """The day in a PDF's date, such as ``D:20240229120000Z``, as 2024-02-29."""
    found = _DATE.match(written.strip())
    if not found or not 1900 <= int(found[1]) <= 2200:
        return ""
    year, month, day = found[1], found[2], found[3]
    if month is None or not 1 <= int(month) <= 12:
        return year
    return f"{year}-{month}-{day}" if day and 1 <= int(day) <= 31 else f"{year}-{month}"


def title_of(said: str, passages: Sequence[Passage], name: str) -> str:
    """The title: what the file says unless that is junk, else the largest type on its first sheet, else its name."""
    said = " ".join(said.split())
    if said and len(said) <= _LONGEST_TITLE and not _JUNK_TITLE.fullmatch(said):
        return said
    first = [passage for passage in passages if passage.level and passage.sheet <= passages[0].sheet + 1]
    if first:
        largest = max(first, key=lambda passage: (passage.sheet == passages[0].sheet, round(passage.size, 1)))
        return largest.text[:_LONGEST_TITLE]
    return PurePath(name).stem
