"""The one door to PDFium: a PDF's pages with their characters, and what the file says of itself."""

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

HYPHEN = "\ufffe"  # PDFium's sign for a hyphen that ends a line, in place of the hyphen and the line's end
_MOST_BOOKMARKS = 20_000
_SAMPLE = 200  # characters of a page
_SURROGATE = re.compile("[\ud800-\udfff]")
_STRANGE = re.compile("[\x00-\x08\x0e-\x1f\ue000-\uf8ff\ufffd]")
SAVE_ANEW = "open it in a PDF viewer and print it to a new PDF"

Box = tuple[float, float, float, float]  # left, bottom, right, top; points from the lower left corner


@dataclass(frozen=True, slots=True)
class Bookmark:
    """An entry of the outline: its level from 1, and the page (from 0) it leads to."""

    title: str
    level: int
    page: int


@dataclass(frozen=True, slots=True)
class Style:
    """How a character is set: its size in points, and how far its line is turned, in quarters against the clock."""

    size: float
    turn: int


class Characters:
    """The characters of one page, by their number in ``text``. Good only while its page is open."""

    def __init__(self, page: Any) -> None:
        self._page = page
        self._textpage = page.get_textpage()
        self._raw = self._textpage.raw
        self._loose, self._matrix = pdfium.FS_RECTF(), pdfium.FS_MATRIX()
        self._loose_at, self._matrix_at = ctypes.byref(self._loose), ctypes.byref(self._matrix)
        self._numbers = tuple(ctypes.c_double() for _ in range(4))
        self._name, self._flags = ctypes.create_string_buffer(200), ctypes.c_int()
        self._styles: dict[tuple[float, int], Style] = {}
        self.bounds: Box = _sound(page.get_bbox())
        self.text: str = self._read()

    def _read(self) -> str:
        """The text, one character for each number; characters beyond the first plane need the longer way."""
        count = self._textpage.count_chars()
        if count <= 0:
            return ""
        text: str = self._textpage.get_text_range()
        if len(text) != count:
            codes = (pdfium.FPDFText_GetUnicode(self._raw, index) for index in range(count))
            text = "".join(HYPHEN if code == 2 else chr(min(code, 0x10FFFF)) for code in codes)
        return _SURROGATE.sub("\ufffd", text)

    def box(self, index: int) -> Box:
        """The room a character takes up, from its font's descent to its ascent."""
        pdfium.FPDFText_GetLooseCharBox(self._raw, index, self._loose_at)
        box = self._loose
        return box.left, box.bottom, box.right, box.top

    def ink(self, index: int) -> Box:
        """The box around what is drawn of a character."""
        left, right, bottom, top = self._numbers
        pdfium.FPDFText_GetCharBox(self._raw, index, left, right, bottom, top)
        return left.value, bottom.value, right.value, top.value

    def origin(self, index: int) -> tuple[float, float]:
        """Where on its baseline a character begins."""
        x, y = self._numbers[:2]
        pdfium.FPDFText_GetCharOrigin(self._raw, index, x, y)
        return x.value, y.value

    def style(self, index: int, box: Box) -> Style:
        """Size and direction of a character that takes up ``box``; the two are known together, so they are kept."""
        nominal = pdfium.FPDFText_GetFontSize(self._raw, index)
        key = (nominal, round(8 * (box[3] - box[1])))
        found = self._styles.get(key)
        if found is None or found.turn:  # the height of turned characters says nothing of their size
            found = self._style(index, nominal)
            self._styles[key] = found
        return found

    def _style(self, index: int, nominal: float) -> Style:
        matrix = self._matrix
        if not pdfium.FPDFText_GetMatrix(self._raw, index, self._matrix_at):
            return Style(abs(nominal), 0)
        size = abs(nominal) * (math.hypot(matrix.c, matrix.d) or 1.0)
        quarters = math.atan2(matrix.b, matrix.a) / (math.pi / 2)
        return Style(size, round(quarters) % 4 if abs(quarters - round(quarters)) < 0.2 else -1)

    def font(self, index: int) -> str:
        """The name of a character's font, a ``mono`` put before it where all its characters have one width."""
        size = pdfium.FPDFText_GetFontInfo(self._raw, index, self._name, len(self._name), self._flags)
        name = self._name.value.decode("utf-8", "replace") if 0 < size <= len(self._name) else ""
        return f"mono {name}" if self._flags.value & 1 else name

    def legible(self) -> bool:
        """Whether the fonts tell which letters they draw, for most of what is looked at, here and there on the page."""
        sample = [
            index for index in range(0, len(self.text), len(self.text) // _SAMPLE + 1) if self.text[index].strip()
        ]
        untold = sum(bool(_STRANGE.match(self.text[index])) or self._is_untold(index) for index in sample)
        return 2 * untold <= len(sample)

    def _is_untold(self, index: int) -> bool:
        return bool(pdfium.FPDFText_HasUnicodeMapError(self._raw, index) == 1)

    def pictured(self) -> bool:
        """Whether a picture covers most of the page."""
        left, bottom, right, top = self.bounds
        whole = max(1.0, (right - left) * (top - bottom))
        for picture in self._page.get_objects(filter=(pdfium.FPDF_PAGEOBJ_IMAGE,), max_depth=3):
            try:
                x0, y0, x1, y1 = picture.get_bounds()
            except pypdfium2.PdfiumError:
                continue
            if (x1 - x0) * (y1 - y0) > 0.4 * whole:
                return True
        return False


def _sound(box: Box) -> Box:
    """The box of a page, or that of common paper where a broken file gives nonsense."""
    left, bottom, right, top = box
    return box if math.isfinite(sum(box)) and right - left > 1 and top - bottom > 1 else (0.0, 0.0, 612.0, 792.0)


def _said(tell: Callable[[], str]) -> str:
    """What a file tells, or nothing where that is broken."""
    try:
        return " ".join(tell().replace("\x00", "").split())
    except UnicodeDecodeError:
        return ""


class Pdf:
    """An open PDF."""

    def __init__(self, raw: Any) -> None:
        self._raw = raw
        self.pages: int = len(raw)

    @contextmanager
    def page(self, number: int) -> Iterator[Characters | None]:
        """The characters of a page, from 0; None where the page is damaged."""
        try:
            page = self._raw.get_page(number)
        except pypdfium2.PdfiumError:
            yield None
            return
        try:
            yield self._characters(page)
        finally:
            page.close()

    @staticmethod
    def _characters(page: Any) -> Characters | None:
        try:
            return Characters(page)
        except pypdfium2.PdfiumError:
            return None

    def label(self, number: int) -> str:
        """What the page is called in the file, such as ``xii``; nothing where it has no name of its own."""
        return _said(lambda: str(self._raw.get_page_label(number)))

    def fact(self, name: str) -> str:
        """An entry of the file's own description: Title, Author, CreationDate."""
        return _said(lambda: str(self._raw.get_metadata_value(name)))

    def language(self) -> str:
        """The language the file says it is in."""
        size = pdfium.FPDFCatalog_GetLanguage(self._raw, None, 0)
        if not 2 < size < 200:
            return ""
        written = ctypes.create_string_buffer(size)
        pdfium.FPDFCatalog_GetLanguage(self._raw, ctypes.cast(written, ctypes.POINTER(pdfium.FPDF_WCHAR)), size)
        return written.raw[: size - 2].decode("utf-16-le", "ignore").strip()

    def outline(self) -> list[Bookmark]:
        """The bookmarks that lead to a page, in order."""
        found: list[Bookmark] = []
        for count, mark in enumerate(self._raw.get_toc(max_depth=8)):
            if count >= _MOST_BOOKMARKS:
                break
            target = mark.get_dest()
            page = target.get_index() if target else None
            title = _said(mark.get_title)
            if page is not None and title:
                found.append(Bookmark(title, mark.level + 1, page))
        return found


@contextmanager
def opened(data: bytes, name: str) -> Iterator[Pdf]:
    """The PDF in these bytes; a LoadError where it is locked, damaged or empty."""
    try:
        raw = pypdfium2.PdfDocument(data)
    except pypdfium2.PdfiumError as error:
        raise _refusal(error.err_code, name) from error
    try:
        yield Pdf(raw)
    finally:
        raw.close()


def _refusal(code: int | None, name: str) -> LoadError:
    if code == pdfium.FPDF_ERR_PASSWORD:
        return LoadError(f"{name} is locked with a password", hint="open it, save it without the password, read that")
    if code == pdfium.FPDF_ERR_SECURITY:
        return LoadError(f"{name} is locked in a way that cannot be opened", hint="save it without protection")
    if code == pdfium.FPDF_ERR_SUCCESS:
        return LoadError(f"{name} is a PDF without pages", hint="give a PDF with some text in it")
    return LoadError(f"{name} is damaged, or not a PDF", hint=SAVE_ANEW)
