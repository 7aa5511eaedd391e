"""Text for HTML, XML and Markdown: nothing in it is markup or a control character."""

from __future__ import annotations

import re
from html import escape

from readagent.core.controls import visible
from readagent.core.patterns import lazy_pattern

_INLINE = lazy_pattern(r"([\\\[\]`*_~])")  # of links, images, code and emphasis
_BLOCK = lazy_pattern(  # of headings, lists, quotations and tables
    r"^([ \t]*)(#|>|=+[ \t]*$|[-+](?=\s|$)|-+[ \t]*$|\|)", re.M
)
_NUMBERED = lazy_pattern(r"^([ \t]*\d{1,9})([.)])(?=\s|$)", re.M)
_NOT_XML = lazy_pattern("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def marked_up(text: str) -> str:
    """Return a text for the content of an element, or for the value of an attribute."""
    return escape(_NOT_XML.sub("\ufffd", visible(text)))


def in_markdown(text: str) -> str:
    """Return a text as it reads in Markdown: nothing in it is a tag, an image, a link, a heading or a block of code.

    Control characters, which a terminal that shows the file would obey, are replaced by their pictures.
    """
    text = _INLINE.sub(r"\\\1", visible(text.strip()).replace("&", "&amp;").replace("<", "&lt;"))
    return _NUMBERED.sub(r"\1\\\2", _BLOCK.sub(r"\1\\\2", text))
