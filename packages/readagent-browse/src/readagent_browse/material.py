"""Words of a page in prompts, written so that nothing in them acts, and the prompts themselves."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

from readagent.core.escaping import escape_tags
from readagent.core.prompts import Prompts

_MAX_URL = 200  # characters of an address that prompts show
_OPENING = re.compile("[<\uff1c\ufe64]")
_CLOSING = re.compile("(?<=[\\w\"'/])[>\uff1e\ufe65]")
# What nobody sees and what can spell out, hide or turn a text: controls, tag characters, marks of direction that turn
# letters, spaces and joiners without a width, and variation selectors where there is nothing to vary. Joiners within
# words of scripts that need them, and single selectors after signs, stay.
_UNSEEN = re.compile(
    "[\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f\u00ad\u034f\u180e\u200b\u202a-\u202e\u2060-\u206f\u3164"
    "\ufeff\uffa0\ufff9-\ufffb\U000e0000-\U000e007f\U000e0100-\U000e01ef]"
)
_UNNEEDED = re.compile(
    "[\ufe00-\ufe0f]{2,}|(?<=[A-Za-z\\s])[\ufe00-\ufe0f]|[\u200c-\u200f]{2,}"
    "|(?<![^\x00-\x7f])[\u200c\u200d]|[\u200c\u200d](?![^\x00-\x7f])"
)
_HEAD = frozenset({"title", "url"})  # the tags above the content of a page


def harmless(text: str) -> str:
    """Return a text of a page with single spaces, in which nothing is invisible or can be mistaken for a tag."""
    seen = _UNNEEDED.sub("", _UNSEEN.sub("", text))
    return " ".join(_CLOSING.sub("›", _OPENING.sub("‹", seen)).split())


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


@cache
def templates() -> Prompts:
    """Return the templates; they are loaded once."""
    return Prompts.whole(Path(__file__).parent / "prompts")


def page_head(title: str, url: str = "") -> str:
    """Return the lines with the title and the address of a page, which stand above its content within the fence."""
    title = harmless(" ".join(title.split()[:20])[:160])
    url = harmless(url if len(url) <= _MAX_URL else f"{url[: _MAX_URL - 1]}…")
    return "".join(f"<{name}>{text}</{name}>\n" for name, text in (("title", title), ("url", url)) if text)
