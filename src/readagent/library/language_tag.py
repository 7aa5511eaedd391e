"""The language and the direction of a text, as HTML and EPUB name them."""

from __future__ import annotations

from readagent.core.document import Document
from readagent.core.languages import language
from readagent.core.patterns import lazy_pattern

_TAG = lazy_pattern(r"[A-Za-z]{2,3}(?:-[A-Za-z0-9]{2,8})*")
_RIGHT_TO_LEFT = frozenset("ar ckb dv fa he ps sd ug ur yi".split())


def language_tag(document: Document) -> str:
    """Return the language tag of a text: what its metadata say, or what it reads like; "und" if that is unknown."""
    tag = document.metadata.get("language", "").strip().replace("_", "-")
    return tag if _TAG.fullmatch(tag) else language(document.text) or "und"


def direction(tag: str) -> str:
    """Return the direction of a language, as the attribute ``dir`` has it."""
    return "rtl" if tag.partition("-")[0].lower() in _RIGHT_TO_LEFT else "auto"
