"""The lines of a text, whatever its line ends are."""

from __future__ import annotations

_ENDS = ("\r", "\x0b", "\x85", "\u2028", "\u2029")


def with_line_feeds(text: str) -> str:
    """The same text, character for character, but with line feeds where its lines end: offsets hold in both."""
    if "\r\n" in text:
        text = text.replace("\r\n", " \n")
    for end in _ENDS:
        if end in text:
            text = text.replace(end, "\n")
    return text


def lines_of(text: str) -> list[str]:
    """The lines without their ends and without white space behind them."""
    return [line.rstrip() for line in with_line_feeds(text).split("\n")]
