"""The lines of a text, whatever its line endings are."""

from __future__ import annotations

_ENDS = ("\r", "\x0b", "\x85", "\u2028", "\u2029")


def with_line_feeds(text: str) -> str:
    """Return the text with line feeds as line endings, of the same length: offsets are valid in both."""
    if "\r\n" in text:
        text = text.replace("\r\n", " \n")
    for end in _ENDS:
        if end in text:
            text = text.replace(end, "\n")
    return text


def lines_of(text: str) -> list[str]:
    """Return the lines without line endings and trailing white space."""
    return [line.rstrip() for line in with_line_feeds(text).split("\n")]
