"""The words of a page in prompts: in one line, and without anything that looks like a tag or ends a quotation.

The marks of chat templates are escaped where templates are filled in.
"""

from __future__ import annotations

import re

from readagent.core.tags import escape_tags

_OPENING = re.compile("[<\uff1c\ufe64]")
_CLOSING = re.compile("(?<=[\\w\"'/])[>\uff1e\ufe65]")
# Tag characters and the supplementary variation selectors: nobody sees them, and they can spell out a text.
_UNSEEN = re.compile("[\U000e0000-\U000e007f\U000e0100-\U000e01ef]")
_HEAD = frozenset({"title", "url"})  # the tags above the content of a page


def harmless(text: str) -> str:
    """Return a text of a page with single spaces, in which nothing is invisible or can be mistaken for a tag."""
    return " ".join(_CLOSING.sub("›", _OPENING.sub("‹", _UNSEEN.sub("", text))).split())


def original(text: str) -> str:
    """Return a text from a prompt with the brackets that it has on the page."""
    return text.replace("‹", "<").replace("›", ">")


def quoted(text: str) -> str:
    """Return a text of a page in quotation marks that nothing in it can close."""
    return f'"{unquotable(text)}"'


def unquotable(text: str) -> str:
    """Return a harmless text without double quotation marks."""
    return re.sub('["“”„‟＂]', "'", harmless(text))


def is_ours(tag: str) -> bool:
    """Return whether a tag of this name structures prompts, so that no element of a page may be shown with it."""
    return tag in _HEAD or escape_tags(f"<{tag}>") != f"<{tag}>"
