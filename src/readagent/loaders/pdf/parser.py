"""PDF: print put back into paragraphs, in the order in which it is read. Pages are the places of its paragraphs.

Running heads and page numbers are left out, footnotes are set apart, divided words made whole. What is only a
picture of text cannot be read, and is told.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from readagent.core.document import Document
from readagent.errors import LoadError
from readagent.loaders.blocks import Block, compose
from readagent.loaders.formats import MAX_CHARACTERS, Options, too_long
from readagent.loaders.pdf.layout.columns import columns_of
from readagent.loaders.pdf.layout.continuation import flowing
from readagent.loaders.pdf.layout.footnotes import Note, notes_apart
from readagent.loaders.pdf.layout.headings import Entry, with_headings
from readagent.loaders.pdf.layout.hyphenation import Vocabulary, text_of, vocabulary_of
from readagent.loaders.pdf.layout.margins import without_line_numbers, without_running
from readagent.loaders.pdf.layout.page import Sheet, body_size
from readagent.loaders.pdf.layout.paragraphs import Kind, Passage, passages_of
from readagent.loaders.pdf.layout.tables import contents_of, listing_of, rows_of
from readagent.loaders.pdf.layout.typography import Setting, fitted, setting_of
from readagent.loaders.pdf.metadata import facts_of, title_of
from readagent.loaders.pdf.pdfium import SAVE_ANEW, Pdf, opened
from readagent.loaders.pdf.pieces import sheets_of
from readagent.loaders.text.chapters import headings

_OCR = "run text recognition over it first, for instance with ocrmypdf, and read what that writes"


@dataclass(slots=True)
class _Read:
    """What was found on the pages."""

    sheets: list[Sheet] = field(default_factory=list)
    pictures: list[str] = field(default_factory=list)  # places that hold a picture and no text
    unreadable: list[str] = field(default_factory=list)  # places whose fonts do not tell their letters
    damaged: list[str] = field(default_factory=list)


def parse(data: bytes, name: str, options: Options) -> Document:
    """The document in a PDF."""
    with opened(data, name) as pdf:
        read = _read(pdf, name)
        facts, title = facts_of(pdf), pdf.fact("Title")
        outline = [Entry(mark.title, mark.level, mark.page) for mark in pdf.outline()]
    if not read.sheets:
        raise _refusal(read, name)
    places = {sheet.number: sheet.place for sheet in read.sheets}
    passages, notes, known = _laid_out(read.sheets, outline)
    if not passages and not notes:
        raise _refusal(read, name)
    blocks = [_block(passage, places, known) for passage in passages]
    if notes:
        blocks += [Block("Notes", heading=1), *(_block(note, places, known) for note in notes)]
    facts |= _unread(read)
    document = compose(blocks, title=title_of(title, passages or notes, name), metadata=facts)
    return document if any(passage.level for passage in passages) else _with_chapters(document)


def _with_chapters(document: Document) -> Document:
    """The document with those paragraphs as headings that read like headings, where its type tells none."""
    levels = {(heading.start, heading.end): heading.level for heading in headings(document.text)}
    paragraphs = tuple(
        replace(paragraph, heading=paragraph.heading or levels.get((paragraph.start, paragraph.end), 0))
        for paragraph in document.paragraphs
    )
    return replace(document, paragraphs=paragraphs)


def _read(pdf: Pdf, name: str) -> _Read:
    """All the sheets of print, as far as they can be read."""
    read = _Read()
    characters = 0
    for number in range(pdf.pages):
        place = f"page {pdf.label(number) or number + 1}"
        with pdf.page(number) as page:
            if page is None:
                read.damaged.append(place)
                continue
            characters += len(page.text)
            if characters > MAX_CHARACTERS:
                raise too_long(name, MAX_CHARACTERS)
            if not page.legible():
                read.unreadable.append(place)
                continue
            sheets = [sheet for sheet in sheets_of(page, number, place) if sheet.pieces]
            read.sheets += sheets
            if not sheets and page.pictured():
                read.pictures.append(place)
    return read


def _laid_out(sheets: Sequence[Sheet], outline: Sequence[Entry]) -> tuple[list[Passage], list[Passage], Vocabulary]:
    """The passages of the text, those of its notes, and the words of both."""
    body = body_size(sheets)
    clean = [sheet for sheet in without_running([*map(without_line_numbers, sheets)]) if sheet.pieces]
    columns = fitted([column for sheet in clean or sheets for column in columns_of(sheet)])
    setting = setting_of(columns, body)
    columns, notes = notes_apart(columns, setting)
    known = vocabulary_of(line for column in [*columns, *(note.column for note in notes)] for line in column.lines)
    mono = _mostly_mono(sheets)
    running = flowing([passages_of(column, setting, mono=mono) for column in columns], setting)
    return with_headings(running, outline, setting), _of_notes(notes, setting), known


def _of_notes(notes: Sequence[Note], setting: Setting) -> list[Passage]:
    return [passage for note in notes for passage in passages_of(note.column, setting, mono=True)]


def _mostly_mono(sheets: Sequence[Sheet]) -> bool:
    """Whether the whole is set in type of one width, as on a typewriter: then it says nothing."""
    letters = [(len(piece.text), piece.mono) for sheet in sheets for piece in sheet.pieces]
    return 2 * sum(count for count, mono in letters if mono) > sum(count for count, _ in letters)


def _block(passage: Passage, places: Mapping[int, str], known: Vocabulary) -> Block:
    place = places.get(passage.sheet, "")
    match passage.kind:
        case Kind.TABLE:
            rows = (" | ".join(cell for cell in row) for row in rows_of(passage.lines))
            return Block("\n".join(rows), place=place, lines=True)
        case Kind.LISTING:
            return Block(listing_of(passage.lines), place=place, lines=True)
        case Kind.CONTENTS:
            return Block(contents_of(passage.lines), place=place, lines=True)
        case Kind.VERSE:
            return Block("\n".join(line.text for line in passage.lines), place=place, lines=True)
    return Block(text_of(passage.lines, known), heading=passage.level, place=place)


def _unread(read: _Read) -> dict[str, str]:
    """A note on the pages that could not be read, where there are some."""
    reasons = [
        (read.pictures, "a picture without text"),
        (read.unreadable, "letters that cannot be told"),
        (read.damaged, "damage"),
    ]
    said = [f"{_listed(places)}: {reason}" for places, reason in reasons if places]
    return {"unread": "; ".join(said)} if said else {}


def _listed(places: Sequence[str]) -> str:
    shown = ", ".join(place.removeprefix("page ") for place in places[:20])
    more = f" and {len(places) - 20} more" if len(places) > 20 else ""
    return f"{'page' if len(places) == 1 else 'pages'} {shown}{more}"


def _refusal(read: _Read, name: str) -> LoadError:
    if read.pictures:
        return LoadError(f"{name} is scanned: its pages are pictures without text", hint=_OCR)
    if read.unreadable:
        return LoadError(f"{name} does not say which letters its fonts draw, so its text cannot be read", hint=_OCR)
    if read.damaged:
        return LoadError(f"{name} is damaged: none of its pages can be read", hint=SAVE_ANEW)
    return LoadError(f"{name} holds no text", hint=_OCR)
