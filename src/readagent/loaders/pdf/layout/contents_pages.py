"""Leave out tables of contents, and lists of figures and tables: they repeat headings, with page numbers.

They are lines with page numbers that do not go down, mostly with dot leaders, and often below a heading "Contents".
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from readagent.loaders.pdf.layout.paragraphs import Kind, Passage

_TITLE = re.compile(
    r"(?i)(?:table of |brief |detailed )?contents|list of (?:figures|tables|listings|algorithms|illustrations|examples)"
    r"|inhalt(?:sverzeichnis)?|(?:abbildungs|tabellen)verzeichnis|table des mati[èe]res|sommaire"
    r"|liste des (?:figures|tableaux)|[íi]ndice(?: general| generale)?|contenido|sum[áa]rio|inhoud(?:sopgave)?"
    r"|innehåll|indhold|innhold|obsah|spis treści|содержание|оглавление|目次|目录|目錄|차례"
)
_PAGE = re.compile(r"(?:^|[\s.…])(\d{1,4}|[ivxlc]{1,7})$")
_MIN_ENTRIES = 4
_MAX_WORDS = 25  # of an entry


def without_contents(passages: Sequence[Passage]) -> list[Passage]:
    """Return the passages without tables of contents; all of them if nothing else would be left."""
    kept: list[Passage] = []
    index = 0
    while index < len(passages):
        end = _end(passages, index)
        if end > index:
            index = end
        else:
            kept.append(passages[index])
            index += 1
    return kept or list(passages)


def _end(passages: Sequence[Passage], start: int) -> int:
    """Return the end of the table of contents that begins here, or ``start``."""
    titled = bool(_TITLE.fullmatch(passages[start].text.strip(" .:")))
    if not titled and passages[start].kind is not Kind.CONTENTS:
        return start
    entries, leaders, page, end = 0, 0, 0, start + titled
    for index in range(start + titled, len(passages)):
        passage = passages[index]
        last = _last_page(passage)
        if _is_entry(passage, titled=titled) and (last is None or last >= page):
            page = last or page
            entries += len(passage.lines)
            leaders += passage.kind is Kind.CONTENTS
            end = index + 1
        elif not (_is_short(passage) and index + 1 < len(passages) and passages[index + 1].kind is Kind.CONTENTS):
            break
    return end if entries >= _MIN_ENTRIES and (leaders or titled) else start


def _is_entry(passage: Passage, *, titled: bool) -> bool:
    if passage.kind is Kind.CONTENTS:
        return True
    if passage.kind is Kind.TABLE:
        return titled and sum(bool(_PAGE.search(line.text)) for line in passage.lines) >= 0.7 * len(passage.lines)
    return _is_short(passage) and bool(_PAGE.search(passage.text))


def _is_short(passage: Passage) -> bool:
    return len(passage.text.split()) <= _MAX_WORDS and not passage.lines[-1].ends_sentence


def _last_page(passage: Passage) -> int | None:
    """Return the page of the last line, None if it is not a decimal number."""
    found = _PAGE.search(passage.lines[-1].text)
    return int(found[1]) if found and found[1].isdecimal() else None
