"""The pages of a PDF with their characters, and its metadata. The only module that uses PDFium."""

from __future__ import annotations

import ctypes
import math
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import pypdfium2
import pypdfium2.raw as pdfium

from readagent.errors import LoadError
from readagent.loaders.pdf.ocr import DOTS_PER_POINT, Picture

HYPHEN = "\ufffe"  # PDFium's character for a hyphen and line break at the end of a line
_MAX_BOOKMARKS = 20_000
_SAMPLE = 200  # characters of a page that are checked
# The codes of ligatures in the font encodings OT1 and T1 of TeX, which older files do not map to Unicode
_LIGATURES = dict(zip("\x0b\x0c\r\x0e\x0f\x1b\x1c\x1d\x1e\x1f", "ﬀﬁﬂﬃﬄﬀﬁﬂﬃﬄ", strict=True))
_CODE = "[\x0b\x0c\x0e\x0f\x1b-\x1f]|\r(?!\n)"
_LIGATURE = re.compile(f"(?<=[a-zA-Z])(?:{_CODE})|(?:{_CODE})(?=[a-z])")
_TWO_HAN = re.compile("[\u3005-\u30ff\u3400-\u9fff](?=[\u3005-\u30ff\u3400-\u9fff])")
_DOWNWARDS = 3  # quarter turns: text from top to bottom is read like text turned to the right
_MAX_PIXELS = 10_000  # of a side of a picture
_FINE = 100_000  # parts in which places on a picture are counted
_SURROGATE = re.compile("[\ud800-\udfff]")
_UNREADABLE = re.compile("[\x00-\x08\x0e-\x1f\ue000-\uf8ff\ufffd]")
Box = tuple[float, float, float, float]  # left, bottom, right, top; points from the lower left corner
PRINT_AGAIN = "open it in a PDF viewer and print it to a new PDF"


@dataclass(frozen=True, slots=True)
class Bookmark:
    """An entry of the outline: its title, its level from 1, and its page from 0."""

    title: str
    level: int
    page: int


@dataclass(frozen=True, slots=True)
class Style:
    """The font size of a character in points, and the rotation of its line in quarter turns counterclockwise."""

    size: float
    rotation: int


class Characters:
    """The characters of one page, by their index in ``text``. Valid only while the page is open."""

    def __init__(self, page: Any) -> None:
        self._page = page
        self._textpage = page.get_textpage()
        self._raw = self._textpage.raw
        self._loose, self._matrix = pdfium.FS_RECTF(), pdfium.FS_MATRIX()
        self._loose_at, self._matrix_at = ctypes.byref(self._loose), ctypes.byref(self._matrix)
        self._numbers = tuple(ctypes.c_double() for _ in range(4))
        self._name, self._flags = ctypes.create_string_buffer(200), ctypes.c_int()
        self._styles: dict[tuple[float, int], Style] = {}
        self.bounds: Box = _valid_box(page.get_bbox())
        self.text: str = self._read()
        self._vertical = self._is_vertical()

    def _read(self) -> str:
        """Return the text with one character per index; characters outside the BMP need the slower way."""
        count = self._textpage.count_chars()
        if count <= 0:
            return ""
        text: str = self._textpage.get_text_range()
        if len(text) != count:
            codes = (pdfium.FPDFText_GetUnicode(self._raw, index) for index in range(count))
            text = "".join(HYPHEN if code == 2 else chr(min(code, 0x10FFFF)) for code in codes)
        text = _LIGATURE.sub(lambda found: _LIGATURES[found[0]], text)
        return _SURROGATE.sub("\ufffd", text)

    def box(self, index: int) -> Box:
        """Return the box of a character, from the descent to the ascent of its font."""
        pdfium.FPDFText_GetLooseCharBox(self._raw, index, self._loose_at)
        box = self._loose
        return box.left, box.bottom, box.right, box.top

    def ink(self, index: int) -> Box:
        """Return the box around the drawn shape of a character."""
        left, right, bottom, top = self._numbers
        pdfium.FPDFText_GetCharBox(self._raw, index, left, right, bottom, top)
        return left.value, bottom.value, right.value, top.value

    def origin(self, index: int) -> tuple[float, float]:
        """Return where a character begins on its baseline."""
        x, y = self._numbers[:2]
        pdfium.FPDFText_GetCharOrigin(self._raw, index, x, y)
        return x.value, y.value

    def style(self, index: int, box: Box) -> Style:
        """Return the size and rotation of a character in ``box``; both are cached."""
        nominal = pdfium.FPDFText_GetFontSize(self._raw, index)
        key = (nominal, round(8 * (box[3] - box[1])))
        found = self._styles.get(key)
        if found is None or found.rotation:  # the height of rotated characters does not depend on their size
            found = self._style(index, nominal)
            self._styles[key] = found
        return found

    def _style(self, index: int, nominal: float) -> Style:
        matrix = self._matrix
        if not pdfium.FPDFText_GetMatrix(self._raw, index, self._matrix_at):
            return Style(abs(nominal), 0)
        size = abs(nominal) * (math.hypot(matrix.c, matrix.d) or 1.0)
        quarters = math.atan2(matrix.b, matrix.a) / (math.pi / 2)
        rotation = round(quarters) % 4 if abs(quarters - round(quarters)) < 0.2 else -1
        return Style(size, _DOWNWARDS if self._vertical and rotation == 0 else rotation)

    def _is_vertical(self) -> bool:
        """Whether the lines of Chinese or Japanese text run from top to bottom, the first of them at the right."""
        pairs = [found.start() for found in _TWO_HAN.finditer(self.text)]
        sample = pairs[:: len(pairs) // _SAMPLE + 1]
        below = 0
        for index in sample:
            (left, bottom), (next_left, next_bottom) = self.origin(index), self.origin(index + 1)
            below += bottom - next_bottom > 2 * abs(next_left - left)
        return 2 * below > len(sample)

    def font(self, index: int) -> str:
        """Return the name of a character's font, prefixed with ``mono`` if the font is monospaced."""
        size = pdfium.FPDFText_GetFontInfo(self._raw, index, self._name, len(self._name), self._flags)
        name = self._name.value.decode("utf-8", "replace") if 0 < size <= len(self._name) else ""
        return f"mono {name}" if self._flags.value & 1 else name

    def mixes_spaces(self) -> bool:
        """Whether some spaces are characters of the file and others only gaps, of which PDFium misses some."""
        spaces = [index for index, character in enumerate(self.text) if character == " "]
        sample = spaces[:: len(spaces) // _SAMPLE + 1]
        gaps = sum(map(self.is_gap, sample))
        return bool(min(gaps, len(sample) - gaps) >= max(2, 0.05 * len(sample)))

    def is_gap(self, index: int) -> bool:
        """Whether a space is no character of the file, but a gap in which PDFium put one."""
        return bool(pdfium.FPDFText_IsGenerated(self._raw, index) == 1)

    def is_mapped(self) -> bool:
        """Whether the fonts map to Unicode for most of a sample of the page."""
        sample = [
            index for index in range(0, len(self.text), len(self.text) // _SAMPLE + 1) if self.text[index].strip()
        ]
        unmapped = sum(bool(_UNREADABLE.match(self.text[index])) or self._is_unmapped(index) for index in sample)
        return 2 * unmapped <= len(sample)

    def _is_unmapped(self, index: int) -> bool:
        return bool(pdfium.FPDFText_HasUnicodeMapError(self._raw, index) == 1)

    def is_image(self) -> bool:
        """Whether an image covers a large part of the page."""
        left, bottom, right, top = self.bounds
        area = max(1.0, (right - left) * (top - bottom))
        for image in self._page.get_objects(filter=(pdfium.FPDF_PAGEOBJ_IMAGE,), max_depth=3):
            try:
                x0, y0, x1, y1 = image.get_bounds()
            except pypdfium2.PdfiumError:
                continue
            if (x1 - x0) * (y1 - y0) > 0.4 * area:
                return True
        return False

    def picture(self) -> Picture:
        """Return the page as it looks, for text recognition."""
        left, bottom, right, top = self.bounds
        scale = min(DOTS_PER_POINT, _MAX_PIXELS / max(right - left, top - bottom))
        bitmap = self._page.render(scale=scale, grayscale=True)
        rows = bytes(bitmap.buffer)
        lines = (rows[start : start + bitmap.width] for start in range(0, bitmap.stride * bitmap.height, bitmap.stride))
        return Picture(bitmap.width, bitmap.height, b"".join(lines))

    def colours(self, width: int) -> Picture:
        """Return the page as it looks, about so many pixels wide."""
        size = self._page.get_size()
        scale = min(width / max(1.0, size[0]), 2 * width / max(1.0, size[1]))
        bitmap = self._page.render(scale=scale, rev_byteorder=True)
        rows, length = bytes(bitmap.buffer), 3 * bitmap.width
        lines = (rows[start : start + length] for start in range(0, bitmap.stride * bitmap.height, bitmap.stride))
        return Picture(bitmap.width, bitmap.height, b"".join(lines))

    def on_picture(self, box: Box) -> Box:
        """Return a box as shares of the picture: left, top, right, bottom."""
        x, y = ctypes.c_int(), ctypes.c_int()
        corners = []
        for across, up in (box[:2], box[2:]):
            pdfium.FPDF_PageToDevice(self._page.raw, 0, 0, _FINE, _FINE, 0, across, up, x, y)
            corners.append((min(1.0, max(0.0, x.value / _FINE)), min(1.0, max(0.0, y.value / _FINE))))
        (x0, y0), (x1, y1) = corners
        return min(x0, x1), min(y0, y1), max(x0, x1), max(y0, y1)


def upright(box: Box, rotation: int, bounds: Box) -> Box:
    """Return a box on the page rotated so that its text is upright: left, top, right, bottom."""
    left, bottom, right, top = box
    west, south, east, north = bounds
    if rotation == 1:
        return bottom - south, left - west, top - south, right - west
    if rotation == 2:
        return east - right, bottom - south, east - left, top - south
    if rotation == 3:
        return north - top, east - right, north - bottom, east - left
    return left - west, north - top, right - west, north - bottom


def _valid_box(box: Box) -> Box:
    """Return the box of a page, or that of US Letter if a broken file gives an invalid one."""
    left, bottom, right, top = box
    return box if math.isfinite(sum(box)) and right - left > 1 and top - bottom > 1 else (0.0, 0.0, 612.0, 792.0)


def _clean_text(read: Callable[[], str]) -> str:
    """Return a text of the file on one line, or an empty string if it is broken."""
    try:
        return " ".join(read().replace("\x00", "").split())
    except UnicodeDecodeError:
        return ""


class Pdf:
    """An open PDF."""

    def __init__(self, raw: Any) -> None:
        self._raw = raw
        raw.init_forms()
        self.pages: int = len(raw)

    @contextmanager
    def page(self, number: int) -> Iterator[Characters | None]:
        """Open a page, counted from 0, and yield its characters; None if the page is damaged."""
        try:
            page = self._raw.get_page(number)
            if self._raw.formenv:  # what is filled in becomes text of the page, where it stands
                page.flatten()
                page.close()
                page = self._raw.get_page(number)
        except pypdfium2.PdfiumError:
            yield None
            return
        try:
            yield self._characters(page)
        finally:
            page.close()

    def _characters(self, page: Any) -> Characters | None:
        try:
            return Characters(page)
        except pypdfium2.PdfiumError:
            return None

    def label(self, number: int) -> str:
        """Return the label of a page, such as ``xii``, or an empty string."""
        return _clean_text(lambda: str(self._raw.get_page_label(number)))

    def info(self, name: str) -> str:
        """Return an entry of the document information: Title, Author, CreationDate."""
        return _clean_text(lambda: str(self._raw.get_metadata_value(name)))

    def language(self) -> str:
        """Return the declared language."""
        size = pdfium.FPDFCatalog_GetLanguage(self._raw, None, 0)
        if not 2 < size < 200:
            return ""
        buffer = ctypes.create_string_buffer(size)
        pdfium.FPDFCatalog_GetLanguage(self._raw, ctypes.cast(buffer, ctypes.POINTER(pdfium.FPDF_WCHAR)), size)
        return buffer.raw[: size - 2].decode("utf-16-le", "ignore").strip()

    def outline(self) -> list[Bookmark]:
        """Return the bookmarks that point to a page, in order."""
        found: list[Bookmark] = []
        for count, mark in enumerate(self._raw.get_toc(max_depth=8)):
            if count >= _MAX_BOOKMARKS:
                break
            target = mark.get_dest()
            page = target.get_index() if target else None
            title = _clean_text(mark.get_title)
            if page is not None and title:
                found.append(Bookmark(title, mark.level + 1, page))
        return found


@contextmanager
def open_pdf(data: bytes, name: str) -> Iterator[Pdf]:
    """Open the PDF in these bytes; raise LoadError if it is encrypted, damaged or empty."""
    try:
        raw = pypdfium2.PdfDocument(data)
    except pypdfium2.PdfiumError as error:
        raise _open_error(error.err_code, name) from error
    try:
        yield Pdf(raw)
    finally:
        raw.close()


def _open_error(code: int | None, name: str) -> LoadError:
    if code == pdfium.FPDF_ERR_PASSWORD:
        return LoadError(f"{name} is protected by a password", hint="save it without a password and read that")
    if code == pdfium.FPDF_ERR_SECURITY:
        return LoadError(f"{name} uses an unsupported encryption", hint="save it without protection and read that")
    if code == pdfium.FPDF_ERR_SUCCESS:
        return LoadError(f"{name} has no pages", hint="choose a PDF that contains text")
    return LoadError(f"{name} is damaged or not a PDF", hint=PRINT_AGAIN)
