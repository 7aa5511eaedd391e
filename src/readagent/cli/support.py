"""What commands print about the support of an answer: its statements as JSON, and lines for people."""

from __future__ import annotations

from textwrap import shorten
from typing import Any

from readagent.cli.screen import style
from readagent.core.support.records import CheckedBy, State, Support

_HOW: dict[CheckedBy, str] = {"rules": ", by rules only", "vectors": ", by rules and vectors only"}
_STATES: dict[State, str] = {"quoted": "quoted, but support is not shown", "unsupported": "not supported by a quote"}


def statement_records(support: Support) -> list[dict[str, Any]]:
    """Return the statements of an answer; ``quotes`` are indices into its quotes."""
    return [{"text": one.text, "state": one.state, "quotes": list(one.quotes)} for one in support.statements]


def support_lines(support: Support) -> list[str]:
    """Return a line that counts the supported statements of an answer, and a line for each of the others."""
    if not support.statements:
        return []
    states = [one.state for one in support.statements]
    noun = "statement" if len(states) == 1 else "statements"
    checked = f"checked{_HOW.get(support.checked_by, '')}"
    summary = f"{checked}: {states.count('supported')} of {len(states)} {noun} supported"
    others = (
        f"  {style(f'{_STATES[one.state]}:', fg='yellow')} {shorten(one.text, 160, placeholder=' …')}"
        for one in support.statements
        if one.state != "supported"
    )
    return [style(summary, dim=True) if support.complete else style(summary, fg="yellow"), *others]
