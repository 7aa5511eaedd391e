"""The report as one self-contained HTML page: tables, plots, and every question with its answers."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from html import escape
from pathlib import Path
from typing import Any

from readagent_bench.report.tables import Line, columns

_STYLE = (Path(__file__).parent / "page.css").read_text("utf-8")
_SCRIPT = (Path(__file__).parent / "page.js").read_text("utf-8")


def page(title: str, parts: Sequence[tuple[str, str]]) -> str:
    """Return a whole page; ``parts`` are headings with their content as HTML."""
    body = "\n".join(
        f"<section><h2>{escape(heading)}</h2>\n{content}</section>" for heading, content in parts if content
    )
    return (
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>{escape(title)}</title>'
        f'<meta name="viewport" content="width=device-width, initial-scale=1"><style>{_STYLE}</style></head>'
        f"<body><h1>{escape(title)}</h1>\n{body}\n<script>{_SCRIPT}</script></body></html>\n"
    )


def paragraph(text: str) -> str:
    """Return plain text as a paragraph."""
    return f"<p>{escape(text)}</p>"


def table(lines: Sequence[Line]) -> str:
    """Return lines as a table; columns with figures of the paper have a class of their own."""
    if not lines:
        return ""
    names = columns(lines)
    classes = [' class="paper"' if name.endswith("(paper)") else "" for name in names]
    head = "".join(f"<th{kind}>{escape(name)}</th>" for name, kind in zip(names, classes, strict=True))
    rows = "".join(
        "<tr>"
        + "".join(
            f"<td{kind}>{escape(text_of(line.get(name)))}</td>" for name, kind in zip(names, classes, strict=True)
        )
        + "</tr>"
        for line in lines
    )
    return f'<div class="wide"><table class="figures"><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table></div>'


def listed(values: Mapping[str, Any]) -> str:
    """Return names and values, as in a manifest, as a list."""
    rows = (
        f"<dt>{escape(name.replace('_', ' '))}</dt><dd>{escape(text_of(value))}</dd>"
        for name, value in values.items()
        if value not in (None, "")
    )
    return f"<dl>{''.join(rows)}</dl>"


def text_of(value: Any) -> str:
    """Return a value as text for people."""
    if value is None:
        return ""
    if isinstance(value, dict):
        return ", ".join(f"{name}: {text_of(one)}" for name, one in value.items() if one not in (None, ""))
    if isinstance(value, list | tuple):
        return ", ".join(map(text_of, value))
    return json.dumps(value) if isinstance(value, bool) else str(value)
