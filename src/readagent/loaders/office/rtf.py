"""Rich text (RTF): paragraphs, headings by style or outline level, tables, text boxes; notes come last.

Deleted and hidden text, comments, page headers and footers, and emphasis are left out.
"""

from __future__ import annotations

import locale
import re
from copy import copy
from dataclasses import dataclass

from readagent.core.document import Document
from readagent.errors import LoadError
from readagent.loaders.blocks import Block, compose, prefixed, with_notes
from readagent.loaders.formats import MAX_CHARACTERS, NOT_READ, Options, too_long
from readagent.loaders.formulas import Part, linear
from readagent.loaders.office.rtf_blocks import RtfBlocks
from readagent.loaders.office.rtf_state import CHARACTERS, SYMBOLS, Header, State, Style, apply
from readagent.loaders.office.styles import AUTHOR, CODE, CONTENTS, DATE, TITLE, Opening, heading_of, role_of

_TOKEN = re.compile(
    r"\\([a-zA-Z]{1,32})(-?\d{1,10})?[ ]?|\\'([0-9a-fA-F]{2})|\\([^a-zA-Z])|([{}])|[\r\n\x00]+|([^\\{}\r\n\x00]+)|\\",
    re.DOTALL,
)
_MAX_DEPTH = 5_000  # of nested groups
_ENDS = frozenset({"par", "sect", "page", "cell", "row", "nestcell", "nestrow"})
_MIN_TITLE_SIZE = 28  # half points; a centred first line of this size is the title
_MAX_TITLE = 200  # characters


@dataclass(frozen=True, slots=True)
class Text:
    """The blocks of the text and of its notes, its opening (title, author, date), and the header of the file.

    It is not ``whole`` if the file ends inside a group.
    """

    blocks: list[Block]
    notes: list[Block]
    opening: Opening
    header: Header
    whole: bool


def text_of(rtf: str, name: str) -> Text:
    """Return the text of an RTF file, given with one character per byte."""
    reader = _Reader(name)
    reader.read(rtf)
    return reader.text()


class _Reader:
    """Reads the file once, from the first brace to the one that closes it."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._header = Header()
        self._main = RtfBlocks()
        self._notes: list[Block] = []
        self._opening = Opening()
        self._state = State(self._main)
        self._open: list[State] = []
        self._bytes = bytearray()  # escaped bytes; a character may need several
        self._skip = 0  # fallback characters still to be skipped
        self._starred = False
        self._note_count = 0
        self._written = 0  # characters

    def read(self, text: str) -> None:
        """Read the whole file."""
        position = 0
        while found := _TOKEN.match(text, position):
            position = found.end()
            word, number, code, symbol, brace, plain = found.groups()
            if plain is not None:
                self._plain(plain)
            elif code is not None:
                self._code(int(code, 16))
            elif word is not None:
                self._flush()
                self._skip = 0
                if word == "bin":
                    position += max(0, int(number or 0))
                else:
                    self._word(word, int(number) if number else None)
            elif symbol is not None:
                self._symbol(symbol)
            elif brace == "{":
                self._begin()
            elif brace == "}":
                self._end()
                if not self._open:
                    break

    def text(self) -> Text:
        """Return what was read."""
        self._flush()
        whole = not self._open
        while self._open:
            self._end()
        return Text(self._main.finish(), self._notes, self._opening, self._header, whole)

    def _begin(self) -> None:
        self._flush()
        self._skip = 0
        if len(self._open) >= _MAX_DEPTH:
            raise LoadError(f"{self._name} is nested too deeply", hint="save it again, or as plain text")
        self._open.append(self._state)
        self._state = copy(self._state)
        if self._state.math is not None:
            self._state.math, self._state.kind, self._state.given = [], "", {}
        if self._state.group == "stylesheet":
            self._state.label, self._state.style, self._state.outline = [], 0, -1

    def _end(self) -> None:
        self._flush()
        self._skip = 0
        self._starred = False
        if not self._open:
            return
        ended, self._state = self._state, self._open.pop()
        if ended.math is not None:
            self._end_formula(ended, ended.math)
        elif ended.blocks is not self._state.blocks:
            blocks = ended.blocks.finish()
            if ended.group == "footnote":
                self._note(blocks)
            else:
                self._state.blocks.boxes += blocks
        elif ended.label is not None and ended.label is not self._state.label:
            self._end_label(ended, "".join(ended.label).strip())

    def _end_formula(self, ended: State, parts: list[Part]) -> None:
        """Add an element of a formula to the one around it, or the whole formula to the text."""
        if ended.kind.endswith("Pr"):
            self._state.given = dict(parts)
        elif self._state.math is not None:
            self._state.math.append((ended.kind, linear(ended.kind, parts, ended.given.get)))
        else:
            self._write(linear(ended.kind, parts, ended.given.get))

    def _note(self, blocks: list[Block]) -> None:
        """Collect a note under its number."""
        if blocks:
            self._note_count += 1
            self._notes += prefixed(f"{self._note_count}. ", blocks)

    def _end_label(self, ended: State, text: str) -> None:
        """Store the text of a group that is not part of the document, such as the name of a style."""
        if ended.group == "stylesheet" and text.endswith(";"):
            self._header.styles[ended.style] = Style(text[:-1].strip().lower(), ended.outline)
        elif ended.group in ("title", "author"):
            self._header.info.setdefault(ended.group, text)
        elif ended.group in ("listtext", "pntext") and text:
            self._state.blocks.marker = text

    def _symbol(self, symbol: str) -> None:
        self._flush()
        self._skip = 0
        if symbol == "*":
            self._starred = True
        elif symbol in "\r\n":
            self._paragraph()
        elif symbol in SYMBOLS:
            self._write(SYMBOLS[symbol])

    def _plain(self, text: str) -> None:
        if self._skip:
            skipped = min(self._skip, len(text))
            self._skip -= skipped
            text = text[skipped:]
        if self._bytes:
            text = self._flush(text)
        if not text.isascii():
            raw = text.encode("latin-1")
            try:
                text = raw.decode("utf-8")
            except UnicodeDecodeError:
                text = raw.decode(self._page(), "replace")
        self._write(text)

    def _code(self, value: int) -> None:
        if self._skip:
            self._skip -= 1
        else:
            self._bytes.append(value)

    def _page(self) -> str:
        return self._state.page or self._header.page

    def _flush(self, following: str = "") -> str:
        """Write the escaped bytes. The last character may lack a byte, which then follows unescaped."""
        if not self._bytes:
            return following
        raw = bytes(self._bytes)
        self._bytes.clear()
        try:
            text = raw.decode(self._page())
        except UnicodeDecodeError as error:
            if following and error.end == len(raw):
                raw, following = raw + following[0].encode("latin-1"), following[1:]
            text = raw.decode(self._page(), "replace")
        self._write(text)
        return following

    def _write(self, text: str) -> None:
        state = self._state
        if state.ignored or state.hidden or not text:
            return
        self._written += len(text)
        if self._written > MAX_CHARACTERS:
            raise too_long(self._name, MAX_CHARACTERS)
        if state.label is not None:
            state.label.append(text)
        elif state.math is not None:
            state.math.append(("", text))
        else:
            state.blocks.write(text, size=state.size, monospaced=state.monospaced)

    def _word(self, word: str, number: int | None) -> None:
        starred, self._starred = self._starred, False
        state = self._state
        if word in CHARACTERS:
            self._write(CHARACTERS[word])
        elif word == "u":
            self._unicode(number)
        elif word in _ENDS:
            if not state.ignored and state.label is None:
                self._break(word)
        else:
            apply(word, number, starred, state, self._header)

    def _unicode(self, number: int | None) -> None:
        """Write a Unicode character, whose number may be negative; fallback characters follow."""
        self._skip = self._state.skip
        if number is not None and -0x8000 <= number <= 0x10FFFF:
            self._write(chr(number & 0xFFFF if number < 0 else number))

    def _break(self, word: str) -> None:
        blocks = self._state.blocks
        if word == "cell":
            blocks.end_cell()
        elif word == "row":
            blocks.end_row()
        elif word in ("nestcell", "nestrow"):
            blocks.end_cell_paragraph()
        else:
            self._paragraph()

    def _paragraph(self) -> None:
        """End a paragraph; the state at its end determines its kind."""
        state, blocks = self._state, self._state.blocks
        if state.ignored or state.label is not None:
            return
        style = self._header.styles.get(state.style, Style())
        role = role_of(style.name)
        if state.in_table:
            blocks.end_cell_paragraph()
        elif role == CONTENTS or (blocks is self._main and self._is_opening(role or self._role_by_style(), blocks)):
            blocks.take()
        else:
            code = role == CODE or (blocks.monospaced and "\n" in blocks.pending().strip())
            blocks.end_paragraph(heading=_level(state, style), code=code, depth=state.depth)

    def _is_opening(self, role: str, blocks: RtfBlocks) -> bool:
        return role in (TITLE, AUTHOR, DATE) and self._opening.take(role, blocks.pending(), blocks.count)

    def _role_by_style(self) -> str:
        """Return TITLE for a large centred first line, if the file names no title."""
        state, blocks = self._state, self._main
        large = state.centred and state.outline < 0 and blocks.max_size >= _MIN_TITLE_SIZE
        first = not blocks.count and TITLE not in self._header.info
        return TITLE if first and large and 0 < len(blocks.pending().strip()) <= _MAX_TITLE else ""


def _level(state: State, style: Style) -> int:
    outline = state.outline if state.outline >= 0 else style.outline
    if outline < 0:
        return heading_of(style.name) or int(role_of(style.name) == TITLE)
    return outline + 1 if outline < 9 else 0


def parse(data: bytes, name: str, options: Options) -> Document:
    """Return a rich text file as a document."""
    start = data.find(b"{\\rtf", 0, 1000)
    if start < 0:
        raise LoadError(f"{name} is not a rich text (RTF) file", hint="check the format of the file")
    return _composed(text_of(data[start:].decode("latin-1"), name))


def _composed(text: Text) -> Document:
    info, date, opening = text.header.info, text.header.date, text.opening
    dated = date.keys() >= {"yr", "mo", "dy"} and 1900 < date["yr"] < 3000
    fields = {
        "author": opening.get(AUTHOR) or info.get("author", ""),
        "date": opening.get(DATE) or (f"{date['yr']:04}-{date['mo']:02}-{date['dy']:02}" if dated else ""),
        "language": locale.windows_locale.get(text.header.language, "").replace("_", "-"),
        NOT_READ: "" if text.whole else "the end of the text: the file is incomplete",
    }
    return compose(
        with_notes(text.blocks, text.notes), title=opening.get(TITLE) or info.get("title", ""), metadata=fields
    )
