"""What objects look like in notebooks: HTML in which texts are material, so that nothing in them acts.

There is no Markdown form: notebooks prefer HTML, and what Markdown escapes differs from one program to the next.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

from readagent.core.escaping import visible
from readagent.core.statement import Statement

_START = 600  # characters of a long text that are shown
_AROUND = 240  # characters of the text that are shown on each side of a quote
_STATES = {"supported": "✓ supported", "quoted": "~ quoted", "unsupported": "✗ not supported"}


def figures_html(
    facts: Sequence[str], heads: Sequence[str], rows: Iterable[Sequence[str]], notes: Sequence[str]
) -> str:
    """Return a line of facts, a table of figures, and notes below it."""
    cells = [[shown(cell) for cell in row] for row in rows]
    return framed(shown(" · ".join(filter(None, facts))), table(heads, cells), *map(shown, notes))


def answer_html(
    question: str, answer: str, statements: Sequence[Statement], quotes: Sequence[str], more: str = ""
) -> str:
    """Return the answer, ``more`` about it, the state of each of its statements, and its quotes."""
    rows = [
        (_STATES[one.state], shown(one.text), ", ".join(f"[{number + 1}]" for number in one.quotes))
        for one in statements
    ]
    states = table(("state", "statement", "quotes"), rows) if rows else ""
    numbered = "<ol>" + "".join(f"<li>{quote}</li>" for quote in quotes) + "</ol>" if quotes else ""
    return framed(f"<b>{shown(question)}</b>", shown(answer), more, states, numbered)


def marked(quote: str, start: int, end: int, place: str, text: str, up_to: int | None = None) -> str:
    """Return a quote with its place, marked within the ``text`` around it if that is known, but not after ``up_to``."""
    before = after = ""
    if text:
        first, last = max(0, start - _AROUND), end + _AROUND
        before = text[first:start]
        after = text[end : last if up_to is None else min(last, max(up_to, end))]
        before = f"… {before.partition(' ')[2]}" if first else before
        after = f"{after.rpartition(' ')[0]} …" if end + len(after) < len(text) else after
    return f"{shown(before)}<mark>{shown(quote)}</mark>{shown(after)} <i>({shown(place)})</i>"


def table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table of cells that are HTML already."""
    body = "".join(
        "<tr>" + "".join(f'<td style="text-align: left">{cell}</td>' for cell in row) + "</tr>" for row in rows
    )
    return f"<table><tr>{''.join(f'<th>{head}</th>' for head in heads)}</tr>{body}</table>"


def framed(*parts: str) -> str:
    """Return the parts below one another. Notebooks do not look for formulas between dollar signs in them."""
    inside = "".join(f"<div>{part}</div>" for part in parts if part)
    return f'<div class="tex2jax_ignore mathjax_ignore">{inside}</div>'


def shown_start(text: str) -> str:
    """Return the beginning of a text as HTML."""
    return shown(text if len(text) <= _START else f"{text[:_START].rpartition(' ')[0] or text[:_START]} …")


def shown(text: str) -> str:
    """Return a text as HTML."""
    return escape(visible(text)).replace("\n", "<br>")
