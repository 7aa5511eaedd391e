"""Flow: text that comes in pieces becomes blocks: white space set right, lists, verse, rules and headings seen to.

A flow can be diverted for a while (into the cell of a table, into a note), and then goes on where it was.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

from readagent.loaders.blocks import Block

PAUSE = "* * *"  # a rule between two paragraphs: the scene changes
_LONGEST_LINE = 90  # characters of a line of verse or of an address; what is longer is running text
_LONG_LISTING = 4000  # characters from which on what is set as lines is cut at its blank lines
_WHITE = str.maketrans("\t\n\r\f", "    ")
_LONGEST_TERM = 120  # characters of what is explained in the paragraph that it opens
_BLANK_LINES = re.compile(r"\n(?:[ \t]*\n)+")
_BULLETS = "-–·"  # of a list, of one in a list, and of all deeper ones
_BULLET = re.compile(r"[•◦▪‣·∙●○■□*–—-]\s+")
_NO_SPACE_BEFORE = tuple(",.;:!?)]”’")


@dataclass(slots=True)
class _List:
    """An open list: the number of its next item (None where it has bullets), which bullet, the marker around it."""

    number: int | None
    bullet: str
    around: str


@dataclass(slots=True)
class _Course:
    """Where a flow stands: the blocks so far, the pieces of the next one, and what that is to open with."""

    blocks: list[Block] = field(default_factory=list)
    pieces: list[str] = field(default_factory=list)
    marker: str = ""  # of an item of a list
    term: str = ""  # that the next paragraph explains
    headings: int = 0  # open ones, one in the other where the markup is broken
    listings: int = 0
    lists: list[_List] = field(default_factory=list)
    item: str = ""  # the marker of the open item, used or not
    pause: bool = False
    cut: bool = False  # something was left out just before
    labelled: bool = False  # a label was set just before
    hollow: int = 0  # something was taken away since the last block: headings from this level on may go with it


class Flow:
    """Takes text, line ends and the ends of blocks; gives blocks."""

    def __init__(self) -> None:
        self._course = _Course()
        self._before: list[_Course] = []

    @property
    def blocks(self) -> list[Block]:
        """The blocks so far, where the flow is now."""
        return self._course.blocks

    @property
    def position(self) -> int:
        """The number of the block that comes next, were the flow not diverted."""
        return len((self._before[0] if self._before else self._course).blocks)

    def text(self, text: str) -> None:
        """Text as it stands in the markup."""
        course = self._course
        if course.listings or not text:
            course.pieces += [text] if text else []
            return
        text = text.translate(_WHITE)
        if course.labelled:
            text = text.lstrip(" .:)]")
            course.labelled = not text
        if course.cut and text.lstrip(" ").startswith(_NO_SPACE_BEFORE) and course.pieces:
            course.pieces[-1] = course.pieces[-1].rstrip(" ")
            text = text.lstrip(" ")
        course.cut = False
        course.pieces.append(text)

    def label(self, words: str) -> None:
        """The number of a note, or another label of a paragraph, at its start."""
        number = words.strip(" \n[](){}.:")
        self.text(f"{number}. " if number.isdigit() else f"{words} ")
        self._course.labelled = number.isdigit()

    def gap(self) -> None:
        """Something was left out here: no space is to stay before a comma that follows."""
        self._course.cut = True

    def line_end(self) -> None:
        """The line ends, not the paragraph."""
        self._course.pieces.append(" " if self._course.headings else "\n")

    def mark(self) -> int:
        """A mark for ``take``."""
        return len(self._course.pieces)

    def take(self, mark: int) -> str:
        """Take back what was said since the mark, where no block has ended since."""
        said = "".join(self._course.pieces[mark:])
        del self._course.pieces[mark:]
        return said

    def last_character(self) -> str:
        """The last character of the paragraph so far."""
        return next((piece[-1] for piece in reversed(self._course.pieces) if piece), "")

    def end(self) -> None:
        """The paragraph ends, if there is one. In a heading only a word does, and in what is verbatim a line."""
        course = self._course
        if course.headings:
            course.pieces.append(" ")
        elif course.listings:
            if course.pieces and not course.pieces[-1].endswith("\n"):
                course.pieces.append("\n")
        elif course.pieces:
            said, course.pieces = "".join(course.pieces), []
            for part in re.split(r"\n[ \n]*\n", said) if "\n" in said else (said,):
                self._paragraph(part)

    def open_heading(self) -> None:
        """A heading begins. In what is verbatim there are none."""
        self.end()
        self._course.headings += not self._course.listings

    def close_heading(self, level: int) -> None:
        """The heading ends."""
        course = self._course
        if course.listings:
            self.end()
            return
        course.headings -= 1
        if not course.headings:
            said = " ".join(self.take(0).split())
            self.add_whole([Block(said, heading=level)] if said else [])

    def open_verbatim(self) -> None:
        """What follows is made of lines, and its spaces count."""
        self.end()
        self._course.listings += 1

    def close_verbatim(self) -> None:
        """What was made of lines ends. Where it is long, it is cut at its blank lines."""
        course = self._course
        course.listings -= 1
        if not course.listings and not course.headings:
            said = self.take(0).replace("\r\n", "\n").rstrip()
            parts = _BLANK_LINES.split(said) if len(said) > _LONG_LISTING else [said]
            self.add_whole([Block(part.strip("\n"), lines=True) for part in parts if part.strip()])

    def rule(self) -> None:
        """A rule is drawn: a pause, where text stands before and after it."""
        self.end()
        self._course.pause = bool(self._course.blocks) and not self._course.blocks[-1].heading

    def add_whole(self, blocks: list[Block]) -> None:
        """Blocks that are whole already, such as a table: no marker is set before them."""
        course = self._course
        if course.headings or course.listings:
            for block in blocks:
                self.end()
                course.pieces += (block.text, "\n" if course.listings else " ")
        elif blocks:
            self._settle()
            self._add(blocks)

    def _settle(self) -> None:
        """A term without an explanation stands alone; a marker without an item goes."""
        course = self._course
        if course.term:
            term, course.term = course.term, ""
            self._add([Block(term)])
        course.marker = ""

    def _add(self, blocks: Iterable[Block]) -> None:
        course = self._course
        for block in blocks:
            last = course.blocks[-1] if course.blocks else None
            if block.heading and last and course.hollow and last.heading >= max(block.heading, course.hollow):
                course.blocks.pop()  # it stood above what was taken away only
            elif course.pause and last and not block.heading and PAUSE not in (block.text, last.text):
                course.blocks.append(Block(PAUSE))
            course.pause, course.hollow = False, 0
            course.blocks.append(block)

    def open_list(self, first: int | None) -> None:
        """A list begins, with this number or with bullets."""
        self.end()
        course = self._course
        above = course.lists[-1].bullet if course.lists else ""
        bullet = above if first is not None else _BULLETS[min(_BULLETS.find(above) + 1, 2)] if above else _BULLETS[0]
        course.lists.append(_List(first, bullet, course.item))
        course.item = ""

    def open_item(self, number: int | None = None) -> None:
        """An item of the list begins; it may say its own number. One in another is told apart by its marker."""
        self.end()
        course = self._course
        current = course.lists[-1] if course.lists else _List(None, _BULLETS[0], "")
        if current.number is None:
            course.item = f"{current.bullet} "
        else:
            current.number = number if number is not None else current.number
            around = current.around.rstrip(" ") if current.around[:1].isdigit() else ""
            course.item = f"{around}{current.number}. "
            current.number += 1
        course.marker = course.item

    def close_item(self) -> None:
        """The item ends, or the explanation of a term."""
        self.end()
        self._settle()

    def term(self, blocks: list[Block]) -> None:
        """A term was named; the next paragraph explains it."""
        course = self._course
        said = blocks[0].text if len(blocks) == 1 and not (blocks[0].heading or blocks[0].lines) else ""
        if not said or len(course.term) + len(said) > _LONGEST_TERM:
            self.add_whole(blocks)
        else:
            course.term = f"{course.term}, {said}" if course.term else said

    def close_list(self) -> None:
        """The list ends."""
        self.close_item()
        if self._course.lists:
            self._course.item = self._course.lists.pop().around

    def divert(self, *, keep_marker: bool = False) -> None:
        """From here on, blocks go elsewhere; the paragraph that was begun waits."""
        course = _Course()
        if keep_marker:
            course.marker, self._course.marker = self._course.marker, ""
        self._before.append(self._course)
        self._course = course

    def rejoin(self) -> list[Block]:
        """The blocks since ``divert``; the flow goes on where it was."""
        self._close_all()
        blocks = self._course.blocks
        self._course = self._before.pop()
        return blocks

    def hollow(self, level: int = 1) -> None:
        """Something was taken away here: a heading of this level or deeper that stood above it only goes, too."""
        course = self._course
        if not course.pieces:
            course.hollow = min(level, course.hollow or level)

    def finish(self) -> list[Block]:
        """All the blocks."""
        while self._before:
            self._before[-1].blocks += self.rejoin()
        self._close_all()
        blocks = self._course.blocks
        if blocks and blocks[-1].heading and 0 < self._course.hollow <= blocks[-1].heading:
            blocks.pop()
        return blocks

    def _close_all(self) -> None:
        self.close_item()
        while self._course.lists:
            self.close_list()

    def _paragraph(self, said: str) -> None:
        lines = [" ".join(line.split()) for line in said.split("\n")]
        lines = [line for line in lines if line]
        if not lines:
            return
        course = self._course
        marker, course.marker = course.marker, ""
        term, course.term = course.term, ""
        lines[0] = (marker and _marked(lines[0], marker)) or lines[0]
        if term:
            lines[0] = f"{term}{'' if term.endswith((':', '?')) else ':'} {lines[0]}"
        verse = len(lines) > 1 and max(map(len, lines)) <= _LONGEST_LINE
        self._add([Block("\n".join(lines), lines=True) if verse else Block(" ".join(lines))])


def _marked(line: str, marker: str) -> str:
    """The first line of an item with its marker, but not with two of them."""
    number = marker.rstrip(". ")
    if number in _BULLETS:
        return marker + _BULLET.sub("", line, count=1)
    return line if re.match(rf"[\[(]?{re.escape(number)}[\])]?[.:)]?\s", line) else marker + line
