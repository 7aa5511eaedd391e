"""The text of a web page, for the stories that come as one: lines are kept, tags and programs are not."""

from __future__ import annotations

import re

from readagent.loaders.blocks import tidy
from readagent.loaders.html.content import blocks_of

_HTML = re.compile(r"<(?:html|head|body|pre|p|br|td|div|b)\b[^>]*>", re.IGNORECASE)
_FORMATTED = re.compile(r"<pre\b", re.IGNORECASE)
_OPENING = 20_000  # characters that tell whether a text is a web page


def is_page(text: str) -> bool:
    """Whether a text is a web page: it has tags that no plain text has, and not just one."""
    return len(_HTML.findall(text[:_OPENING])) > 2


def strip(page: str) -> str:
    """The text of a page. Where most of it is preformatted, as film scripts on the web are, that part alone."""
    blocks = blocks_of(page)
    formatted = [block for block in blocks if block.lines] if _FORMATTED.search(page) else []
    words = sum(len(block.text.split()) for block in blocks)
    mostly = 2 * sum(len(block.text.split()) for block in formatted) > words
    return "\n\n".join(tidy(block) for block in (formatted if mostly else blocks)) + "\n"
