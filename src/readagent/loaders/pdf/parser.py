"""PDF: rebuild paragraphs from positioned text, in reading order. The place of a paragraph is its page; one
that goes on after a page break has a mark there.

Running headers, page numbers and tables of contents are left out, footnotes come last, hyphenated words are rejoined.
Pages that are only images are read by text recognition if that is wanted, and reported otherwise.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cache

from readagent.core.document import Document
from readagent.errors import LoadError
from readagent.loaders.blocks import Block, compose, with_notes
from readagent.loaders.formats import MAX_CHARACTERS, Options, too_long
from readagent.loaders.pdf.layout.columns import columns_of
from readagent.loaders.pdf.layout.footnotes import Footnote, extract_footnotes, without_contents
from readagent.loaders.pdf.layout.headings import Entry, with_headings
from readagent.loaders.pdf.layout.joining import Vocabulary, join_continued, join_divided, text_of, vocabulary_of
from readagent.loaders.pdf.layout.margins import without_line_numbers, without_running
from readagent.loaders.pdf.layout.page_numbers import printed_numbers
from readagent.loaders.pdf.layout.paragraphs import Kind, Passage, passages_of
from readagent.loaders.pdf.layout.sheet import Sheet, body_size
from readagent.loaders.pdf.layout.tables import contents_of, listing_of, markdown_of
from readagent.loaders.pdf.layout.typography import Typography, typography_of, with_true_edges
from readagent.loaders.pdf.metadata import listed, metadata_of, places_of, title_of
from readagent.loaders.pdf.ocr import recognized
from readagent.loaders.pdf.pdfium import PRINT_AGAIN, Pdf, open_pdf
from readagent.loaders.pdf.pieces import reads_like_text, sheets_of
from readagent.loaders.sandbox import confinement
from readagent.loaders.text.chapters import headings

_SECONDS_A_PAGE = 0.1  # of processor time; most take an eighth of that
_OCR = '`ocr="eng"` reads it with Tesseract, in English; or run ocrmypdf on it and read the result'


@dataclass(slots=True)
class _Pages:
    """The text found on the pages, and the pages that could not be read."""

    sheets: list[Sheet] = field(default_factory=list)
    images: list[int] = field(default_factory=list)  # pages with an image and no text, counted from 0
    unreadable: list[int] = field(default_factory=list)  # pages whose fonts do not map to Unicode
    damaged: list[int] = field(default_factory=list)


def parse(data: bytes, name: str, options: Options) -> Document:
    """Return a PDF as a document."""
    with open_pdf(data, name) as pdf:
        confinement.add(_SECONDS_A_PAGE * pdf.pages)
        pages = _read(pdf, name, options.ocr)
        metadata, title = metadata_of(pdf), pdf.info("Title")
        labels = [pdf.label(number) for number in range(pdf.pages)]
        outline = [Entry(mark.title, mark.level, mark.page) for mark in pdf.outline()]
    if not pages.sheets:
        raise _no_text(pages, name)
    places = places_of(labels, printed_numbers(pages.sheets, len(labels)))
    passages, notes, vocabulary = _lay_out(pages.sheets, places, outline)
    if not passages and not notes:
        raise _no_text(pages, name)
    text, last = ([_block(one, places, vocabulary) for one in some] for some in (passages, notes))
    metadata |= _unread(pages, places)
    document = compose(with_notes(text, last), title=title_of(title, passages or notes, name), metadata=metadata)
    return document if any(passage.level for passage in passages) else _with_chapters(document)


def _with_chapters(document: Document) -> Document:
    """Mark paragraphs that read like headings, for a document without headings in larger or bold type."""
    levels = {(heading.start, heading.end): heading.level for heading in headings(document.text)}
    paragraphs = tuple(
        replace(paragraph, heading=paragraph.heading or levels.get((paragraph.start, paragraph.end), 0))
        for paragraph in document.paragraphs
    )
    return replace(document, paragraphs=paragraphs)


def _read(pdf: Pdf, name: str, language: str) -> _Pages:
    """Read all pages, as far as possible; those that are images by text recognition if a language is given."""
    pages = _Pages()
    characters = 0
    is_text = cache(lambda: reads_like_text(pdf))
    for number in range(pdf.pages):
        with pdf.page(number) as page:
            if page is None:
                pages.damaged.append(number)
                continue
            characters += len(page.text)
            if characters > MAX_CHARACTERS:
                raise too_long(name, MAX_CHARACTERS)
            legible = page.is_mapped() or is_text()
            sheets = [sheet for sheet in sheets_of(page, number) if sheet.pieces] if legible else []
            is_image = not sheets and page.is_image()
            if language and (is_image or not legible):
                sheets = [sheet for sheet in [recognized(page.picture(), language, number, name)] if sheet.pieces]
            pages.sheets += sheets
            if not sheets and not legible:
                pages.unreadable.append(number)
            elif not sheets and is_image:
                pages.images.append(number)
    return pages


def _lay_out(
    sheets: Sequence[Sheet], places: Sequence[str], outline: Sequence[Entry]
) -> tuple[list[Passage], list[Passage], Vocabulary]:
    """Return the passages of the text, those of its notes, and the vocabulary of both."""
    body = body_size(sheets)
    clean = [sheet for sheet in without_running([*map(without_line_numbers, sheets)], places) if sheet.pieces]
    columns = with_true_edges([column for sheet in clean or sheets for column in columns_of(sheet)])
    typography = typography_of(columns, body)
    columns, notes = extract_footnotes(columns, typography)
    vocabulary = vocabulary_of(line for column in [*columns, *(note.column for note in notes)] for line in column.lines)
    mono = _mostly_mono(sheets)
    joined = join_continued([passages_of(column, typography, mono=mono) for column in columns], typography)
    running = without_contents(join_divided(joined, vocabulary))
    return with_headings(running, outline, typography), _note_passages(notes, typography), vocabulary


def _note_passages(notes: Sequence[Footnote], typography: Typography) -> list[Passage]:
    return [passage for note in notes for passage in passages_of(note.column, typography, mono=True)]


def _mostly_mono(sheets: Sequence[Sheet]) -> bool:
    """Whether most of the document is monospaced, so that monospaced text is not code."""
    letters = [(len(piece.text), piece.mono) for sheet in sheets for piece in sheet.pieces]
    return 2 * sum(count for count, mono in letters if mono) > sum(count for count, _ in letters)


def _block(passage: Passage, places: Sequence[str], vocabulary: Vocabulary) -> Block:
    place = places[passage.lines[0].sheet]
    match passage.kind:
        case Kind.TABLE:
            return Block(markdown_of(passage.lines), place=place, lines=True)
        case Kind.LISTING:
            return Block(listing_of(passage.lines), place=place, lines=True)
        case Kind.CONTENTS:
            return Block(contents_of(passage.lines), place=place, lines=True)
        case Kind.VERSE:
            return Block("\n".join(line.text for line in passage.lines), place=place, lines=True)
    text = text_of(passage.lines, vocabulary)
    marks = tuple(
        (len(text) - len(text_of(passage.lines[index:], vocabulary)), places[line.sheet])
        for index, line in enumerate(passage.lines)
        if index and line.sheet != passage.lines[index - 1].sheet
    )
    return Block(text, heading=passage.level, place=place, marks=marks)


def _unread(pages: _Pages, places: Sequence[str]) -> dict[str, str]:
    """Return a metadata entry that lists the pages that could not be read, if there are any."""
    reasons = [
        (pages.images, "image without text"),
        (pages.unreadable, "unreadable fonts"),
        (pages.damaged, "damaged"),
    ]
    notes = [f"{listed([places[number] for number in some])}: {reason}" for some, reason in reasons if some]
    return {"unread": "; ".join(notes)} if notes else {}


def _no_text(pages: _Pages, name: str) -> LoadError:
    if pages.images:
        return LoadError(f"{name} is scanned: its pages are images without text", hint=_OCR)
    if pages.unreadable:
        return LoadError(f"{name} could not be read: its fonts do not map to Unicode", hint=_OCR)
    if pages.damaged:
        return LoadError(f"{name} is damaged: none of its pages could be read", hint=PRINT_AGAIN)
    return LoadError(f"{name} contains no text", hint=_OCR)
