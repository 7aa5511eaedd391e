"""What commands print about the support of an answer."""

from __future__ import annotations

from textwrap import shorten

from readagent.cli.screen import style
from readagent.core.statement import CheckedBy, State, Support

_HOW: dict[CheckedBy, str] = {"rules": ", by rules only", "vectors": ", by rules and vectors only"}
_STATES: dict[State, str] = {
    "supported": "supported by a quote",
    "quoted": "quoted, but support is not shown",
    "unsupported": "not supported by a quote",
}


def support_lines(support: Support, false_quotes: int = 0, where: str = "the text") -> list[str]:
    """Return how many statements of an answer are supported, and a line for each of the others; one line for one.

    If quotes were dropped because they are not in ``where``, the first line says so.
    """
    quotes = f"{false_quotes:,} quote{'' if false_quotes == 1 else 's'}"
    dropped = f"unverified: dropped {quotes} not found in {where}" if false_quotes else ""
    if not support.statements:
        return [style(dropped, fg="yellow")] if dropped else []
    states = [one.state for one in support.statements]
    found = f"{states.count('supported')} of {len(states)} statements supported"
    how = f"{_HOW.get(support.checked_by, '')}: {_STATES[states[0]] if len(states) == 1 else found}"
    summary = f"{dropped}; with the passages shown{how}" if dropped else f"checked{how}"
    others = (
        f"  {style(f'{_STATES[one.state]}:', fg='yellow')} {shorten(one.text, 160, placeholder=' …')}"
        for one in (support.statements if len(states) > 1 else ())
        if one.state != "supported"
    )
    return [style(summary, dim=True) if support.complete and not dropped else style(summary, fg="yellow"), *others]
