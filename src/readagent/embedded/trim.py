"""Trimming: a sentence without what a gist can do without. Words are only ever left out; none is changed or moved."""

from __future__ import annotations

import re

_ASIDE = re.compile(r"(?<=\w)\s+(?:\([^()\n]{1,120}\)|\[[^\[\]\n]{1,120}\])")
_TELLING = re.compile(r"\d|(?<=\s)[A-Z]")  # in an aside: numbers and names are worth their room
_OPENING = re.compile(r"^(?:And|But|So|Then|However|Moreover|Furthermore|Indeed|Nevertheless|Besides)\b,?\s+(?=[A-Z])")
_SAID = re.compile(
    r"(?:,(?P<quote>[”\"’'])|(?P<whole>[!?][”\"’']))\s+(?:he|she|they|we|I)\s+"
    r"(?:said|asked|replied|answered|cried|added|went on|continued|repeated)(?:\s+\w+ly)?\.$"
)


def trimmed(sentence: str) -> str:
    """A sentence without asides that name nothing, a joining word before a name, and an "he said" at its end."""
    kept = _ASIDE.sub(lambda found: found[0] if _TELLING.search(found[0].lstrip()) else "", sentence)
    kept = _OPENING.sub("", kept)
    return _SAID.sub(lambda found: found["whole"] or f"{found['quote']}.", kept)
