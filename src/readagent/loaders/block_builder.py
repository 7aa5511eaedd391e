"""Build blocks from pieces of text: normalises white space, and handles lists, verse, rules and headings.

Building can be interrupted by an aside (a table cell, a note), and then continues where it was.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

from readagent.loaders.blocks import Block

SCENE_BREAK = "* * *"  # stands for a rule between two paragraphs
_MAX_VERSE_LINE = 90  # characters of a line of verse or of a postal address; a longer line is running text
_LONG_LISTING = 4000  # characters; a longer verbatim block is cut at its blank lines
_WHITE = str.maketrans("\t\n\r\f", "    ")
_MAX_TERM = 120  # characters of a term that is put before its definition
_BLANK_LINES = re.compile(r"\n(?:[ \t]*\n)+")
_BULLETS = "-–·"  # of an outer list, a nested list, and all deeper lists
_BULLET = re.compile(r"[•◦▪‣·∙●○■□*–—-]\s+")
_CLOSING_PUNCTUATION = tuple(",.;:!?)]”’")


@dataclass(slots=True)
class _List:
    """An open list: the number of its next item (None for bullets), its bullet, and the marker of the outer item."""

    number: int | None
    bullet: str
    outer_marker: str


@dataclass(slots=True)
class _State:
    """The blocks so far, the pieces of the next one, and what that block begins with."""

    blocks: list[Block] = field(default_factory=list)
    pieces: list[str] = field(default_factory=list)
    marker: str = ""  # to put before the next paragraph, such as "- " or "3. "
    term: str = ""  # that the next paragraph defines
    headings: int = 0  # how many are open; broken markup nests them
    listings: int = 0
    lists: list[_List] = field(default_factory=list)
    item_marker: str = ""  # of the open item, even if already used
    scene_break: bool = False
    omitted: bool = False  # something was left out just before
    labelled: bool = False  # a label was written just before
    removed_level: int = 0  # content was removed since the last block: empty headings of this level or deeper go too


class BlockBuilder:
    """Takes text, line breaks and the starts and ends of elements; gives blocks."""

    def __init__(self) -> None:
        self._state = _State()
        self._outer: list[_State] = []

    @property
    def blocks(self) -> list[Block]:
        """The blocks so far, of the current aside if there is one."""
        return self._state.blocks

    @property
    def position(self) -> int:
        """The index of the next block outside of any aside."""
        return len((self._outer[0] if self._outer else self._state).blocks)

    def text(self, text: str) -> None:
        """Add text as it is in the markup."""
        state = self._state
        if state.listings or not text:
            state.pieces += [text] if text else []
            return
        text = text.translate(_WHITE)
        if state.labelled:
            text = text.lstrip(" .:)]")
            state.labelled = not text
        if state.omitted and text.lstrip(" ").startswith(_CLOSING_PUNCTUATION) and state.pieces:
            state.pieces[-1] = state.pieces[-1].rstrip(" ")
            text = text.lstrip(" ")
        state.omitted = False
        state.pieces.append(text)

    def label(self, words: str) -> None:
        """Add the number of a note, or another label, at the start of a paragraph."""
        number = words.strip(" \n[](){}.:")
        self.text(f"{number}. " if number.isdigit() else f"{words} ")
        self._state.labelled = number.isdigit()

    def mark_omission(self) -> None:
        """Record that something was left out here: a space before a following comma is removed."""
        self._state.omitted = True

    def line_break(self) -> None:
        """End the line, but not the paragraph."""
        self._state.pieces.append(" " if self._state.headings else "\n")

    def mark(self) -> int:
        """Return a position for ``take``."""
        return len(self._state.pieces)

    def take(self, mark: int) -> str:
        """Remove and return the text added since the mark, if no block has ended since."""
        text = "".join(self._state.pieces[mark:])
        del self._state.pieces[mark:]
        return text

    def last_character(self) -> str:
        """Return the last character of the paragraph so far."""
        return next((piece[-1] for piece in reversed(self._state.pieces) if piece), "")

    def end_paragraph(self) -> None:
        """End the paragraph, if one is open. In a heading this ends a word only, in verbatim text a line."""
        state = self._state
        if state.headings:
            state.pieces.append(" ")
        elif state.listings:
            if state.pieces and not state.pieces[-1].endswith("\n"):
                state.pieces.append("\n")
        elif state.pieces:
            text, state.pieces = "".join(state.pieces), []
            for part in re.split(r"\n[ \n]*\n", text) if "\n" in text else (text,):
                self._paragraph(part)

    def open_heading(self) -> None:
        """Begin a heading. Verbatim text has none."""
        self.end_paragraph()
        self._state.headings += not self._state.listings

    def close_heading(self, level: int) -> None:
        """End a heading."""
        state = self._state
        if state.listings:
            self.end_paragraph()
            return
        state.headings -= 1
        if not state.headings:
            text = " ".join(self.take(0).split())
            self.add_blocks([Block(text, heading=level)] if text else [])

    def open_verbatim(self) -> None:
        """Begin verbatim text, which keeps its lines and spaces."""
        self.end_paragraph()
        self._state.listings += 1

    def close_verbatim(self) -> None:
        """End verbatim text. A long one is cut at its blank lines."""
        state = self._state
        state.listings -= 1
        if not state.listings and not state.headings:
            text = self.take(0).replace("\r\n", "\n").rstrip()
            parts = _BLANK_LINES.split(text) if len(text) > _LONG_LISTING else [text]
            self.add_blocks([Block(part.strip("\n"), lines=True) for part in parts if part.strip()])

    def rule(self) -> None:
        """Add a horizontal rule: a scene break if there is text before and after it."""
        self.end_paragraph()
        self._state.scene_break = bool(self._state.blocks) and not self._state.blocks[-1].heading

    def add_blocks(self, blocks: list[Block]) -> None:
        """Add complete blocks, such as a table: no list marker is put before them."""
        state = self._state
        if state.headings or state.listings:
            for block in blocks:
                self.end_paragraph()
                state.pieces += (block.text, "\n" if state.listings else " ")
        elif blocks:
            self._flush_pending()
            self._add(blocks)

    def _flush_pending(self) -> None:
        """Write a term without a definition on its own, and drop a marker without an item."""
        state = self._state
        if state.term:
            term, state.term = state.term, ""
            self._add([Block(term)])
        state.marker = ""

    def _add(self, blocks: Iterable[Block]) -> None:
        state = self._state
        for block in blocks:
            last = state.blocks[-1] if state.blocks else None
            if (
                block.heading
                and last
                and state.removed_level
                and last.heading >= max(block.heading, state.removed_level)
            ):
                state.blocks.pop()  # everything below it was removed
            elif state.scene_break and last and not block.heading and SCENE_BREAK not in (block.text, last.text):
                state.blocks.append(Block(SCENE_BREAK))
            state.scene_break, state.removed_level = False, 0
            state.blocks.append(block)

    def open_list(self, first: int | None) -> None:
        """Begin a list, numbered from ``first`` or with bullets."""
        self.end_paragraph()
        state = self._state
        above = state.lists[-1].bullet if state.lists else ""
        bullet = above if first is not None else _BULLETS[min(_BULLETS.find(above) + 1, 2)] if above else _BULLETS[0]
        state.lists.append(_List(first, bullet, state.item_marker))
        state.item_marker = ""

    def open_item(self, number: int | None = None) -> None:
        """Begin an item of the list, which may have a number of its own; nested items get a longer marker."""
        self.end_paragraph()
        state = self._state
        current = state.lists[-1] if state.lists else _List(None, _BULLETS[0], "")
        if current.number is None:
            state.item_marker = f"{current.bullet} "
        else:
            current.number = number if number is not None else current.number
            prefix = current.outer_marker.rstrip(" ") if current.outer_marker[:1].isdigit() else ""
            state.item_marker = f"{prefix}{current.number}. "
            current.number += 1
        state.marker = state.item_marker

    def close_item(self) -> None:
        """End an item, or the definition of a term."""
        self.end_paragraph()
        self._flush_pending()

    def term(self, blocks: list[Block]) -> None:
        """Add a term that the next paragraph defines."""
        state = self._state
        text = blocks[0].text if len(blocks) == 1 and not (blocks[0].heading or blocks[0].lines) else ""
        if not text or len(state.term) + len(text) > _MAX_TERM:
            self.add_blocks(blocks)
        else:
            state.term = f"{state.term}, {text}" if state.term else text

    def close_list(self) -> None:
        """End a list."""
        self.close_item()
        if self._state.lists:
            self._state.item_marker = self._state.lists.pop().outer_marker

    def begin_aside(self, *, keep_marker: bool = False) -> None:
        """Collect the following blocks separately; an open paragraph is continued afterwards."""
        state = _State()
        if keep_marker:
            state.marker, self._state.marker = self._state.marker, ""
        self._outer.append(self._state)
        self._state = state

    def end_aside(self) -> list[Block]:
        """Return the blocks since ``begin_aside``, and continue where building was."""
        self._close_all()
        blocks = self._state.blocks
        self._state = self._outer.pop()
        return blocks

    def mark_removed(self, level: int = 1) -> None:
        """Record that content was removed here: a heading of this level or deeper goes too if nothing else follows."""
        state = self._state
        if not state.pieces:
            state.removed_level = min(level, state.removed_level or level)

    def finish(self) -> list[Block]:
        """Return all blocks."""
        while self._outer:
            self._outer[-1].blocks += self.end_aside()
        self._close_all()
        blocks = self._state.blocks
        if blocks and blocks[-1].heading and 0 < self._state.removed_level <= blocks[-1].heading:
            blocks.pop()
        return blocks

    def _close_all(self) -> None:
        self.close_item()
        while self._state.lists:
            self.close_list()

    def _paragraph(self, text: str) -> None:
        lines = [" ".join(line.split()) for line in text.split("\n")]
        lines = [line for line in lines if line]
        if not lines:
            return
        state = self._state
        marker, state.marker = state.marker, ""
        term, state.term = state.term, ""
        lines[0] = (marker and _with_marker(lines[0], marker)) or lines[0]
        if term:
            lines[0] = f"{term}{'' if term.endswith((':', '?')) else ':'} {lines[0]}"
        verse = len(lines) > 1 and max(map(len, lines)) <= _MAX_VERSE_LINE
        self._add([Block("\n".join(lines), lines=True) if verse else Block(" ".join(lines))])


def _with_marker(line: str, marker: str) -> str:
    """Return the first line of an item with its marker, but never with two of them."""
    number = marker.rstrip(". ")
    if number in _BULLETS:
        return marker + _BULLET.sub("", line, count=1)
    return line if re.match(rf"[\[(]?{re.escape(number)}[\])]?[.:)]?\s", line) else marker + line
