"""What the names of styles say of paragraphs in office files, and what a text opens with: title, author, date."""

from __future__ import annotations

import re

CODE, CONTENTS = "code", "contents"
TITLE, AUTHOR, DATE = "title", "author", "date"

_ROLES = {
    "title": TITLE,
    "author": AUTHOR,
    "date": DATE,
    "html preformatted": CODE,
    "macro text": CODE,
    "preformatted text": CODE,
    "source code": CODE,
    "table of figures": CONTENTS,
}
_CONTENTS = re.compile(r"(?:toc|contents) ?(?:\d|heading)")
_HEADING = re.compile(r"heading ?([1-9])")


def role_of(style: str) -> str:
    """What a paragraph in the style of this name is, other than running text: one of the names above, or nothing."""
    name = style.replace("_20_", " ").replace("_5f_", " ").strip().lower()
    return CONTENTS if _CONTENTS.fullmatch(name) else _ROLES.get(name, "")


def heading_of(style: str) -> int:
    """The level of headings in the style of this name; 0 where it is none of theirs."""
    found = _HEADING.fullmatch(style.strip().lower())
    return int(found[1]) if found else 0


class Opening:
    """The title with which a text opens, and author and date where they follow it."""

    def __init__(self) -> None:
        self._said: dict[str, str] = {}

    def takes(self, role: str, text: str, after: int) -> bool:
        """Whether this paragraph, which comes after so many others, is part of the opening; it is kept here, then."""
        first = role == TITLE or (role in (AUTHOR, DATE) and TITLE in self._said)
        if not first or after > 1 or role in self._said or not text.strip():
            return False
        self._said[role] = text
        return True

    def get(self, role: str) -> str:
        """What was said, or nothing."""
        return self._said.get(role, "")
