"""The words of a text for comparison: without case, hyphens and numbers."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

_HYPHEN = re.compile(r"(?<=[^\W\d_])[-‐‑\u00ad]\s*(?=[^\W\d_])")
_TOKEN = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]|[^\W_]+")


def words(text: str) -> Iterator[str]:
    """Yield the words of a text for comparison."""
    found = unicodedata.normalize("NFKC", _HYPHEN.sub("", text)).casefold()
    return (word for word in _TOKEN.findall(found) if not word[0].isdigit())


def plain(line: str) -> str:
    """Return the words of a line without numbers, joined by spaces."""
    return " ".join(words(re.sub(r"\d", "", line)))
