"""Prose that a model sent as JSON, {"summary": "She leaves [Page 3]."}, as plain text with the pages in brackets."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from readagent.core.patterns import lazy_pattern

_WRAPPED = lazy_pattern(r'^\{\s*"[^"\n]{1,40}"\s*:\s*"(?P<text>.*?)"?\s*\}?\s*$', re.S)
_PAGES = lazy_pattern(r"pages?|seiten?|source|sources|citations?", re.I)
_NUMBER = lazy_pattern(r"\d{1,6}")


def plain_prose(text: str) -> str:
    """Return the strings of a JSON object or list as paragraphs; any other text as it is."""
    if not text.lstrip().startswith(("{", '["', "[{")):
        return text
    try:
        return "\n\n".join(_texts(json.loads(text))) or text
    except (ValueError, RecursionError):  # it may have been cut off, or have line breaks inside its strings
        wrapped = _WRAPPED.match(text.strip())
        return wrapped["text"].replace("\\n", "\n").replace('\\"', '"') if wrapped else text


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str) and value.strip():
        yield value.strip()
    elif isinstance(value, list):
        yield from (text for one in value for text in _texts(one))
    elif isinstance(value, dict):
        named = {name: one for name, one in value.items() if _PAGES.fullmatch(str(name))}
        texts = [text for name, one in value.items() if name not in named for text in _texts(one)]
        pages = _NUMBER.findall(str(list(named.values())))
        if pages and texts:
            texts[-1] += f" [Pages {', '.join(pages)}]" if not re.search(r"\[pages? ", texts[-1], re.I) else ""
        yield from texts
