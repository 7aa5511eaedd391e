"""The metadata of a PDF without obvious junk, and the place of a sheet for people."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
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


_LISTED = 20


def places_of(labels: Sequence[str], printed: Mapping[int, str]) -> list[str]:
    """Return the place of each sheet: page 57, or sheet 1 for one without a number among others that have one.

    ``labels`` are those of the file, and ``printed`` the numbers in headers and footers. Labels that contradict most
    of these are not used, nor are those that several sheets have, such as 1 for the cover and for the first page.
    """
    if not printed:
        return [f"page {label or sheet + 1}" for sheet, label in enumerate(labels)]
    agreeing = sum(labels[sheet] == number for sheet, number in printed.items())
    times = Counter(labels)
    unique = [label if times[label] == 1 and 2 * agreeing >= len(printed) else "" for label in labels]
    found = []
    for sheet, label in enumerate(unique):
        number = printed.get(sheet, "")
        page = label or (number if number not in unique else "")
        found.append(f"page {page}" if page else f"sheet {sheet + 1}")
    return found


def listed(places: Sequence[str]) -> str:
    """Return places in words: page 3; pages 3, 5; sheets 1, 2; page 3, sheet 9."""
    nouns = {place.partition(" ")[0] for place in places}
    shown = ", ".join(place.partition(" ")[2] if len(nouns) == 1 else place for place in places[:_LISTED])
    more = f" and {len(places) - _LISTED} more" if len(places) > _LISTED else ""
    noun = f"{nouns.pop()}{'s' if len(places) > 1 else ''} " if len(nouns) == 1 else ""
    return f"{noun}{shown}{more}"
