"""The text of an RTF file, found in one pass over its braces, words and characters."""

from __future__ import annotations

import re
from copy import copy
from dataclasses import dataclass, replace

from readagent.errors import LoadError
from readagent.loaders.blocks import Block
from readagent.loaders.formats import MAX_CHARACTERS, too_long
from readagent.loaders.office.rtf_blocks import RtfFlow
from readagent.loaders.office.rtf_keywords import CHARACTERS, SYMBOLS
from readagent.loaders.office.rtf_state import Facts, State, Style, obey
from readagent.loaders.office.styles import AUTHOR, CODE, CONTENTS, DATE, TITLE, Opening, heading_of, role_of

_TOKEN = re.compile(
    r"\\([a-zA-Z]{1,32})(-?\d{1,10})?[ ]?|\\'([0-9a-fA-F]{2})|\\([^a-zA-Z])|([{}])|[\r\n\x00]+|([^\\{}\r\n\x00]+)|\\",
    re.DOTALL,
)
_DEEPEST = 5_000  # groups in one another
_ENDS = frozenset({"par", "sect", "page", "cell", "row", "nestcell", "nestrow"})
_TITLE_SIZE = 28  # half points, from which a line in the middle at the head of a text is its title
_LONGEST_TITLE = 200  # characters
_READINGS = re.compile(r"\\o\\a[a-z]?\(\\s\\up ?\d+\([^()]*\),([^()]*)\)")  # characters under how they are read


@dataclass(frozen=True, slots=True)
class Text:
    """The blocks of the text and of its notes, what it opens with (title, author, date), and what the file says."""

    blocks: list[Block]
    notes: list[Block]
    opening: Opening
    facts: Facts


def text_of(rtf: str, name: str) -> Text:
    """The text in RTF, each character of which is a byte of the file."""
    reader = _Reader(name)
    reader.read(rtf)
    return reader.text()


class _Reader:
    """Goes through the file once, from the first brace to the one that closes it."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._facts = Facts()
        self._main = RtfFlow()
        self._notes: list[Block] = []
        self._opening = Opening()
        self._state = State(self._main)
        self._open: list[State] = []
        self._bytes = bytearray()  # characters given by their bytes, of which one may need several
        self._left = 0  # characters still to be skipped
        self._starred = False
        self._noted = 0
        self._written = 0  # characters

    def read(self, text: str) -> None:
        """Read all of it."""
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
                self._left = 0
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
        """What was read."""
        self._flush()
        while self._open:
            self._end()
        return Text(self._main.finished(), self._notes, self._opening, self._facts)

    def _begin(self) -> None:
        self._flush()
        self._left = 0
        if len(self._open) >= _DEEPEST:
            raise LoadError(f"{self._name} is nested too deeply to be read", hint="save it anew, or as plain text")
        self._open.append(self._state)
        self._state = copy(self._state)
        if self._state.group == "stylesheet":
            self._state.label, self._state.style, self._state.outline = [], 0, -1

    def _end(self) -> None:
        self._flush()
        self._left = 0
        self._starred = False
        if not self._open:
            return
        ended, self._state = self._state, self._open.pop()
        if ended.flow is not self._state.flow:
            blocks = ended.flow.finished()
            if ended.group == "footnote":
                self._note(blocks)
            else:
                self._state.flow.boxes += blocks
        elif ended.label is not None and ended.label is not self._state.label:
            self._labelled(ended, "".join(ended.label).strip())

    def _note(self, blocks: list[Block]) -> None:
        """A note is put aside under its number."""
        if blocks:
            self._noted += 1
            self._notes += [replace(blocks[0], text=f"{self._noted}. {blocks[0].text}"), *blocks[1:]]

    def _labelled(self, ended: State, text: str) -> None:
        """The name of a style, or what the file says of itself, ends with its group."""
        if ended.group == "stylesheet" and text.endswith(";"):
            self._facts.styles[ended.style] = Style(text[:-1].strip().lower(), ended.outline)
        elif ended.group in ("title", "author"):
            self._facts.info.setdefault(ended.group, text)
        elif ended.group in ("listtext", "pntext") and text:
            self._state.flow.mark = text
        elif ended.group == "fldinst" and (found := _READINGS.search(text)):
            self._write(found[1])

    def _symbol(self, symbol: str) -> None:
        self._flush()
        self._left = 0
        if symbol == "*":
            self._starred = True
        elif symbol in "\r\n":
            self._paragraph()
        elif symbol in SYMBOLS:
            self._write(SYMBOLS[symbol])

    def _plain(self, text: str) -> None:
        if self._left:
            skipped = min(self._left, len(text))
            self._left -= skipped
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
        if self._left:
            self._left -= 1
        else:
            self._bytes.append(value)

    def _page(self) -> str:
        return self._state.page or self._facts.page

    def _flush(self, following: str = "") -> str:
        """Write the characters given by their bytes. The last may lack a byte, which then stands in what follows."""
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
        if state.unread or state.hidden or not text:
            return
        self._written += len(text)
        if self._written > MAX_CHARACTERS:
            raise too_long(self._name, MAX_CHARACTERS)
        if state.label is not None:
            state.label.append(text)
        else:
            state.flow.write(text, size=state.size, typed=state.typed)

    def _word(self, word: str, number: int | None) -> None:
        starred, self._starred = self._starred, False
        state = self._state
        if word in CHARACTERS:
            self._write(CHARACTERS[word])
        elif word == "u":
            self._numbered(number)
        elif word in _ENDS:
            if not state.unread and state.label is None:
                self._break(word)
        else:
            obey(word, number, starred, state, self._facts)

    def _numbered(self, number: int | None) -> None:
        """A character given by its number, negative ones included, and then again for older programs."""
        self._left = self._state.skip
        if number is not None and -0x8000 <= number <= 0x10FFFF:
            self._write(chr(number & 0xFFFF if number < 0 else number))

    def _break(self, word: str) -> None:
        flow = self._state.flow
        if word == "cell":
            flow.cell()
        elif word == "row":
            flow.row()
        elif word in ("nestcell", "nestrow"):
            flow.in_cell()
        else:
            self._paragraph()

    def _paragraph(self) -> None:
        """A paragraph ends: what it is like is what holds at its end."""
        state, flow = self._state, self._state.flow
        if state.unread or state.label is not None:
            return
        style = self._facts.styles.get(state.style, Style())
        role = role_of(style.name)
        if state.in_table:
            flow.in_cell()
        elif role == CONTENTS or (flow is self._main and self._opens(role or self._looks(), flow)):
            flow.taken()
        else:
            code = role == CODE or (flow.typed and "\n" in flow.pending().strip())
            flow.paragraph(heading=_level(state, style), code=code, depth=state.depth)

    def _opens(self, role: str, flow: RtfFlow) -> bool:
        return role in (TITLE, AUTHOR, DATE) and self._opening.takes(role, flow.pending(), flow.count)

    def _looks(self) -> str:
        """A large line in the middle, before all others, is a title, where the file names none."""
        state, flow = self._state, self._main
        large = state.centred and state.outline < 0 and flow.largest >= _TITLE_SIZE
        first = not flow.count and TITLE not in self._facts.info
        return TITLE if first and large and 0 < len(flow.pending().strip()) <= _LONGEST_TITLE else ""


def _level(state: State, style: Style) -> int:
    outline = state.outline if state.outline >= 0 else style.outline
    if outline < 0:
        return heading_of(style.name) or int(role_of(style.name) == TITLE)
    return outline + 1 if outline < 9 else 0
