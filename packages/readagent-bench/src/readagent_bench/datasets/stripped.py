"""The text of a web page, for stories published as one: lines are kept, tags and scripts are not."""

from __future__ import annotations

import re

from readagent.loaders.blocks import tidy
from readagent.loaders.html.content import blocks_of

_HTML = re.compile(r"<(?:html|head|body|pre|p|br|td|div|b)\b[^>]*>", re.IGNORECASE)
_FORMATTED = re.compile(r"<pre\b", re.IGNORECASE)
_OPENING = 20_000  # characters that show whether a text is a web page


def is_page(text: str) -> bool:
    """Return whether a text is a web page: it has several tags that plain text does not have."""
    return len(_HTML.findall(text[:_OPENING])) > 2


def strip(page: str) -> str:
    """Return the text of a page; only the preformatted part if that is most of it, as with film scripts."""
    blocks = blocks_of(page)
    formatted = [block for block in blocks if block.lines] if _FORMATTED.search(page) else []
    words = sum(len(block.text.split()) for block in blocks)
    mostly = 2 * sum(len(block.text.split()) for block in formatted) > words
    return "\n\n".join(tidy(block) for block in (formatted if mostly else blocks)) + "\n"
