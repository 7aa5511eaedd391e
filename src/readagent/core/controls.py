"""Make control characters visible: a terminal obeys them, in whatever text they are."""

from __future__ import annotations

import re

from readagent.core.patterns import lazy_pattern

TURNING = "\u202a-\u202e\u2066-\u2069"  # bidirectional embeddings, overrides and isolates
_UNSAFE = lazy_pattern(f"[\x00-\x08\x0b-\x1f\x7f-\x9f{TURNING}\ud800-\udfff]")


def visible(text: str) -> str:
    """Return a text with pictures in place of control characters other than tab and line feed."""
    return _UNSAFE.sub(_picture, text.replace("\r\n", "\n"))


def _picture(found: re.Match[str]) -> str:
    code = ord(found[0])
    return chr(0x2400 + code) if code < 0x20 else "␡" if code == 0x7F else "\N{REPLACEMENT CHARACTER}"
