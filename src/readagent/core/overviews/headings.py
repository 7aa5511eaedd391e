"""The headings of a template for notes, each with what says what belongs under it."""

from __future__ import annotations

import re
from collections.abc import Sequence

from readagent.errors import UsageError

_MARK = re.compile(r"^\s*(?:#{1,6}\s+|[-*+•]\s+|\d{1,3}[.)]\s+)+")  # of a heading or an item of a list
_MOST = 60  # headings of a template


def headings_in(template: str | Sequence[str]) -> list[tuple[str, str]]:
    """Return the headings of a template: lines that begin with # if there are any, else all lines; or those of a list.

    Each comes with all that says what belongs there: itself, and the text below it.
    """
    if isinstance(template, str):
        marked = re.split(r"^#{1,6}[ \t]+(.+)$", template, flags=re.M)
        bodies = list(zip(marked[1::2], marked[2::2], strict=True)) or [(line, "") for line in template.splitlines()]
    else:
        if not isinstance(template, Sequence) or not all(isinstance(one, str) for one in template):
            raise UsageError("a template is a text, or a list of headings", hint='for example ["Parties", "Dates"]')
        bodies = [(name, "") for name in template]
    named = [(_MARK.sub("", name).strip(), body.strip()) for name, body in bodies]
    found = [(name, f"{name}\n{body}".strip()) for name, body in named if name]
    if not found:
        raise UsageError("the template has no headings", hint="write one on each line")
    if len(found) > _MOST:
        raise UsageError(f"the template has {len(found)} headings", hint=f"give at most {_MOST}")
    return found
