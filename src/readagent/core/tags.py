"""Escape what looks like the tags of our prompts in texts that are not ours, so that no text can forge their structure.

Prompts mark pages, passages and questions with tags such as ``<Page 7>`` and ``</memory>``, and places with labels such
as ``<12>``. In a text the bracket of such a tag is replaced by ``‹``. All other text stays as it is, letter by letter.
"""

from __future__ import annotations

import re

_NAMES = "page|document|memory|passage|question|history|previous|earlier|cards|statements|quotes"
_TAG = rf"(?=\s*/?\s*(?:(?:{_NAMES})\b|\d+\s*>))"
_BRACKET, _ESCAPED = re.compile(f"<{_TAG}", re.I), re.compile(rf"‹(?=\s*/?\s*(?:(?:{_NAMES})\b|\d+\s*[>›]))", re.I)


def escape_tags(text: str) -> str:
    """Return a text for a prompt, without anything that looks like a tag of ours."""
    return _BRACKET.sub("‹", text) if "<" in text else text


def restore_tags(text: str) -> str:
    """Return what a model copied from a prompt as it stands in the text."""
    return _ESCAPED.sub("<", text) if "‹" in text else text
