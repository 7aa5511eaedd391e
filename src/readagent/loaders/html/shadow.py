"""Declarative shadow roots: templates that browsers display where they stand."""

from __future__ import annotations

import re

_MARK = "shadowrootmode"
_TAG = re.compile(r"<(/?)template(?=[\s/>])([^>]*)>", re.IGNORECASE)
_SHOWN = "shadow-root"  # an element without a meaning, so that its content is read


def with_shadow_roots(html: str) -> str:
    """Return the markup with an ordinary element in place of each template that is displayed."""
    if _MARK not in html.lower():
        return html
    shown: list[bool] = []  # for each open template

    def replacement(tag: re.Match[str]) -> str:
        if not tag[1]:
            shown.append(_MARK in tag[2].lower())
            return f"<{_SHOWN}>" if shown[-1] else tag[0]
        return f"</{_SHOWN}>" if shown and shown.pop() else tag[0]

    return _TAG.sub(replacement, html)
