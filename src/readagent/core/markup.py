"""Text for HTML and XML: nothing in it is markup, a control character, or a character that XML forbids."""

from __future__ import annotations

from html import escape

from readagent.core.controls import visible
from readagent.core.patterns import lazy_pattern

_NOT_XML = lazy_pattern("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def marked_up(text: str) -> str:
    """Return a text for the content of an element, or for the value of an attribute."""
    return escape(_NOT_XML.sub("\ufffd", visible(text)))
