"""Trim sentences for gists. Words are only removed, never changed or moved."""

from __future__ import annotations

import re

_ASIDE = re.compile(r"(?<=\w)\s+(?:\([^()\n]{1,120}\)|\[[^\[\]\n]{1,120}\])")
_INFORMATIVE = re.compile(r"\d|(?<=\s)[A-Z]")  # an aside with a number or a name is kept
_OPENING = re.compile(r"^(?:And|But|So|Then|However|Moreover|Furthermore|Indeed|Nevertheless|Besides)\b,?\s+(?=[A-Z])")
_SAID = re.compile(
    r"(?:,(?P<quote>[”\"’'])|(?P<whole>[!?][”\"’']))\s+(?:he|she|they|we|I)\s+"
    r"(?:said|asked|replied|answered|cried|added|went on|continued|repeated)(?:\s+\w+ly)?\.$"
)


def trim(sentence: str) -> str:
    """Remove asides without names or numbers, a conjunction before a name, and "he said" at the end."""
    kept = _ASIDE.sub(lambda found: found[0] if _INFORMATIVE.search(found[0].lstrip()) else "", sentence)
    kept = _OPENING.sub("", kept)
    return _SAID.sub(lambda found: found["whole"] or f"{found['quote']}.", kept)
