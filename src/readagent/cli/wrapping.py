"""Wrap text at words to the width of the terminal: whole lines, or an answer while it arrives.

Chinese and Japanese have no spaces between words: their lines end at any character, except before a closing sign and
after an opening one.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from typing import Any

from readagent.core.escaping import visible

_ENDS = (".", "!", "?", "…", '"', "”", ")")
_PIECE = re.compile(r"\n|[^\S\n]+|\S+")
_CJK = "\u2e80-\u2fdf\u3005-\u3007\u3040-\u30ff\u31f0-\u31ff\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_CLOSING = "、。，．」』）】〉》〕］｝！？：；"
_OPENING = "「『（【〈《〔［｛"
_NOT_FIRST = _CLOSING + "ーぁぃぅぇぉっゃゅょァィゥェォッャュョ々…,.!?:;\"”’')%"
_NOT_LAST = _OPENING + "\"“‘'("
_RIGHT_TO_LEFT = re.compile("[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\U00010800-\U00010fff\U0001e800-\U0001efff]")
_LEFT_TO_RIGHT = "\u200e"
_BREAK = re.compile(f"(?:(?<=[{_CJK}{_CLOSING}])|(?<![{_NOT_LAST}])(?=[{_CJK}{_OPENING}]))(?![{_NOT_FIRST}])")


def columns_of(stream: Any) -> int:
    """Return the width of the terminal that a stream goes to; 0 if it goes elsewhere."""
    try:
        return os.get_terminal_size(stream.fileno()).columns if stream is not None and stream.isatty() else 0
    except (OSError, ValueError):
        return 0


def width_of(text: str) -> int:
    """Return the number of terminal cells that a text takes, with its control characters made visible."""
    if text.isascii():
        return len(text)
    from rich.cells import cell_len

    return cell_len(visible(text))


def wrap_lines(text: str, columns: int, measure: Callable[[str], int] = width_of) -> str:
    """Return a text with long lines broken at words, each continued with its own indent.

    A word that is longer than a line stays whole, so that addresses and paths can be copied.
    """
    return "\n".join(_wrapped(line, columns, measure) for line in text.split("\n"))


def _wrapped(line: str, columns: int, measure: Callable[[str], int]) -> str:
    if measure(line) <= columns:
        return line
    indent = line[: len(line) - len(line.lstrip(" "))]
    wrap = WordWrap(columns, indent if len(indent) < columns // 2 else "", measure)
    return wrap.feed(line) + wrap.end()


def fold(text: str, columns: int) -> list[str]:
    """Return the lines of a text in a column of this width; a word that is longer is broken between characters."""
    lines = wrap_lines(visible(text).expandtabs(), columns).split("\n")
    return [part for line in lines for part in _broken(line, columns)]


def _broken(line: str, columns: int) -> list[str]:
    """Return a line in parts that fit. ``rich.cells.chop_cells`` leaves a line whole that begins with joiners."""
    parts = [""]
    for character in line:
        if width_of(parts[-1] + character) > columns and parts[-1]:
            parts.append("")
        parts[-1] += character
    return parts


def padded(text: str, columns: int, *, right: bool = False) -> str:
    """Return a text with spaces up to this width: after it, or before it where it is aligned ``right``.

    A mark after letters that are written from right to left keeps the columns that follow in their place.
    """
    spaces = " " * (columns - width_of(text))
    marked = f"{text}{_LEFT_TO_RIGHT}" if _RIGHT_TO_LEFT.search(text) else text
    return spaces + marked if right else marked + spaces


def _units(text: str) -> list[str]:
    """Return the parts of a text without spaces between which a line may end."""
    return [part for part in _BREAK.split(text) if part]


class WordWrap:
    """Breaks a text that arrives in pieces at words. The last word is held back until it is complete.

    A word that ends like a sentence is taken for complete.
    """

    def __init__(self, columns: int, indent: str = "", measure: Callable[[str], int] = width_of) -> None:
        self._columns = columns
        self._indent = indent
        self._measure = measure
        self._column = 0
        self._space = ""
        self._word = ""
        self._before = ""  # the last character, unless space follows it

    def feed(self, text: str) -> str:
        """Return what can be printed now; everything, where nothing is to be wrapped."""
        if not self._columns:
            return text
        ready = ""
        for piece in _PIECE.findall(text):
            if not piece.isspace():
                *complete, held = _units(self._word + piece)
                for self._word in complete:
                    ready += self._placed()
                self._word = held
                continue
            ready += self._placed()
            self._before = ""
            if piece == "\n":
                ready, self._column, self._space = ready + "\n", 0, ""
            else:
                self._space += piece
        return ready + self._placed() if self._word.endswith(_ENDS) else ready

    def end(self) -> str:
        """Return the word that was held back."""
        return self._placed()

    def _placed(self) -> str:
        """Return the word with the space before it, or on a new line."""
        if not self._word:
            return ""
        space, word, self._space, self._word = self._space, self._word, "", ""
        fits = self._column + self._measure(space + word) <= self._columns
        if not fits and (space or self._may_break(word)):
            space, self._column = f"\n{self._indent}" if self._column else self._indent, 0
        self._column += self._measure(space.lstrip("\n") + word)
        self._before = word[-1]
        return space + word

    def _may_break(self, word: str) -> bool:
        """Whether a line may end before this word, which follows without space."""
        return bool(self._before) and len(_units(self._before + word[0])) == 2
