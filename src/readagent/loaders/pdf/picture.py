"""A page of a PDF as a picture, with a passage of its text marked; made where files are parsed, in the sandbox."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Sequence

from readagent.errors import LoadError
from readagent.loaders.pdf.pdfium import PRINT_AGAIN, Box, Characters, Pdf, open_pdf
from readagent.loaders.sandbox.messages import PagePicture

_WIDTH = 1100  # pixels
_PROBE = 40  # letters in a row that tell where a passage is


def picture(data: bytes, name: str, page: int, passage: str, share: float) -> PagePicture:
    """Return a page, or the page that a passage is on; ``share`` says about where in the text that is, from 0 to 1."""
    with open_pdf(data, name) as pdf:
        page = min(max(0, int(share * pdf.pages) if passage else page), pdf.pages - 1)
        found, lines = _found(pdf, page, passage) or (page, [])
        with pdf.page(found) as shown:
            if shown is None:
                raise LoadError(f"page {found + 1} of {name} is damaged", hint=PRINT_AGAIN)
            drawn = shown.colours(_WIDTH)
            return PagePicture(found, pdf.pages, drawn.width, drawn.height, lines, drawn.pixels)


def _found(pdf: Pdf, page: int, passage: str) -> tuple[int, list[Box]] | None:
    """Return where a passage is: its page, and its lines there."""
    wanted = "".join(letter for letter, _ in _letters(passage))
    probes = [wanted[at : at + _PROBE] for at in range(0, len(wanted), _PROBE)]
    for number in sorted(range(pdf.pages), key=lambda one: abs(one - page)) if probes else ():
        with pdf.page(number) as shown:
            if shown is not None and (span := _span(shown.text, probes)):
                return number, list(_lines(shown, *span))
    return None


def _span(text: str, probes: Sequence[str]) -> tuple[int, int] | None:
    """Return where the parts of a passage that are on a page begin and end in its text."""
    letters = list(_letters(text))
    whole = "".join(letter for letter, _ in letters)
    found = list[int]()
    for probe in probes:
        if found or probe is probes[0] or len(probe) == _PROBE:  # a few letters alone may stand anywhere
            at = whole.find(probe, found[-1] if found else 0)
            found += [at, at + len(probe)] if at >= 0 else []
    return (letters[found[0]][1], letters[found[-1] - 1][1] + 1) if found else None


def _letters(text: str) -> Iterator[tuple[str, int]]:
    """Yield the letters and digits of a text, each with where it is; in none of them files differ from our texts."""
    for at, character in enumerate(text):
        for one in unicodedata.normalize("NFKD", character).casefold():
            if one.isalnum():
                yield one, at


def _lines(page: Characters, start: int, end: int) -> Iterator[Box]:
    """Yield the boxes around the lines of some characters."""
    line: Box | None = None
    for index in range(start, end):
        if not page.text[index].strip():
            continue
        box = page.on_picture(page.box(index))
        if line is not None and line[1] < (box[1] + box[3]) / 2 < line[3] and box[0] > line[0]:
            line = line[0], min(line[1], box[1]), max(line[2], box[2]), max(line[3], box[3])
            continue
        if line is not None:
            yield line
        line = box
    if line is not None:
        yield line
