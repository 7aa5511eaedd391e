"""The prompts of overviews, and how many words a reply to them may have."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from readagent.core.prompts import Prompts
from readagent.core.tags import escape_tags
from readagent.core.window import Window

_FOLDER = Path(__file__).parent.parent.parent / "prompts" / "_overviews"
_MOST_WORDS = 450  # of one reply
_WORDS_A_TOKEN = 0.55  # with the pages that a reply names


@cache
def _prompts() -> Prompts:
    return Prompts.whole(_FOLDER)


def prompt(name: str, /, **values: object) -> str:
    """Return a prompt of an overview. Texts that are not ours must be escaped, but for those of one line."""
    shown = {key: escape_tags(one) if key in ("about", "audience") and isinstance(one, str) else one
             for key, one in values.items()}  # fmt: skip
    return _prompts().fill(name, **shown)


def reply_words(window: Window) -> int:
    """Return how many words one reply may have."""
    return _MOST_WORDS if window.tokens is None else max(40, min(_MOST_WORDS, int(window.reply * _WORDS_A_TOKEN)))
