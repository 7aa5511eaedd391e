"""The headings of a template for notes, each with what says what belongs under it."""

from __future__ import annotations

import re

from readagent.errors import UsageError

_MOST = 60  # headings of a template


def headings_in(template: str) -> list[tuple[str, str]]:
    """Return the headings of a template: lines that begin with # if there are any, else all lines.

    Each comes with all that says what belongs there: itself, and the text below it.
    """
    marked = re.split(r"^#{1,6}[ \t]+(.+)$", template, flags=re.M)
    if len(marked) > 1:
        found = [(name.strip(), f"{name.strip()}\n{body.strip()}".strip())
                 for name, body in zip(marked[1::2], marked[2::2], strict=True)]  # fmt: skip
    else:
        found = [(line.strip(), line.strip()) for line in template.splitlines() if line.strip()]
    if not found:
        raise UsageError("the template has no headings", hint="write one on each line")
    if len(found) > _MOST:
        raise UsageError(f"the template has {len(found)} headings", hint=f"give at most {_MOST}")
    return found
