"""The report as one page that needs nothing besides itself: tables, plots, and each question with what came of it."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from html import escape
from pathlib import Path
from typing import Any

from readagent.bench.metrics import contains, correct, rouge
from readagent.bench.rate import Rating
from readagent.bench.records import Prediction
from readagent.bench.report.tables import Line

_STYLE = (Path(__file__).parent / "page.css").read_text("utf-8")
_SCRIPT = (Path(__file__).parent / "page.js").read_text("utf-8")


def page(title: str, parts: Sequence[tuple[str, str]]) -> str:
    """A whole page: parts are headings and what stands under them, as HTML."""
    body = "\n".join(
        f"<section><h2>{escape(heading)}</h2>\n{content}</section>" for heading, content in parts if content
    )
    return (
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>{escape(title)}</title>'
        f'<meta name="viewport" content="width=device-width, initial-scale=1"><style>{_STYLE}</style></head>'
        f"<body><h1>{escape(title)}</h1>\n{body}\n<script>{_SCRIPT}</script></body></html>\n"
    )


def table(lines: Sequence[Line]) -> str:
    """Lines as a table."""
    if not lines:
        return ""
    names = list(dict.fromkeys(name for line in lines for name in line))
    head = "".join(f"<th>{escape(name)}</th>" for name in names)
    rows = "".join(
        "<tr>" + "".join(f"<td>{escape(_text(line.get(name)))}</td>" for name in names) + "</tr>" for line in lines
    )
    return f'<div class="wide"><table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table></div>'


def listed(values: Mapping[str, Any]) -> str:
    """Names and values, as in a manifest."""
    rows = (
        f"<dt>{escape(name.replace('_', ' '))}</dt><dd>{escape(_text(value))}</dd>"
        for name, value in values.items()
        if value not in (None, "")
    )
    return f"<dl>{''.join(rows)}</dl>"


def questions(predictions: Sequence[Prediction], ratings: Mapping[tuple[int, str, str, str], Rating]) -> str:
    """Every question, what each method looked up and answered, and whether that was right; filtered by the reader."""
    by_question: dict[tuple[str, str], list[Prediction]] = {}
    for one in predictions:
        by_question.setdefault((one.case, one.example), []).append(one)
    blocks = [_question(answers, ratings) for answers in by_question.values()]
    search = (
        '<p class="filter"><input type="search" id="words" placeholder="words in question or answer">'
        '<label><input type="checkbox" id="wrong"> only where some method is wrong</label>'
        '<label><input type="checkbox" id="split"> only where methods disagree</label> <span id="count"></span></p>'
    )
    return search + "".join(blocks)


def _question(answers: Sequence[Prediction], ratings: Mapping[tuple[int, str, str, str], Rating]) -> str:
    first = answers[0]
    verdicts = {_verdict(one, ratings)[0] for one in answers}
    options = "".join(f"<li>{escape(option)}</li>" for option in first.options)
    key = first.gold or " / ".join(first.references)
    flags = f'data-wrong="{int("wrong" in verdicts)}" data-split="{int(len(verdicts) > 1)}"'
    wanted = f", relevant pages {_numbers(first.relevant)}" if first.relevant else ""
    return (
        f'<details class="question" {flags}><summary>{escape(first.question)}</summary>'
        f'<p class="where">{escape(" · ".join(filter(None, (first.case, first.example, first.group))))}{wanted}</p>'
        + (f'<ol type="A">{options}</ol>' if options else "")
        + f'<p class="key">key: {escape(key)}</p>'
        "<table><thead><tr><th>method</th><th>run</th><th>looked up</th><th>answer</th><th></th></tr></thead><tbody>"
        + "".join(_answer(one, ratings) for one in answers)
        + "</tbody></table></details>"
    )


def _answer(one: Prediction, ratings: Mapping[tuple[int, str, str, str], Rating]) -> str:
    state, told = _verdict(one, ratings)
    said = one.error or (f"({one.choice}) {one.text}" if one.kind == "choice" else one.text) or "no answer"
    notes = "; ".join((*one.notes, *one.fallbacks))
    return (
        f'<tr class="{state}"><td>{escape(one.title)}</td><td>{one.run}</td><td>{_numbers(one.pages)}</td>'
        f"<td>{escape(said)}{f'<p>{escape(notes)}</p>' if notes else ''}</td><td>{escape(told)}</td></tr>"
    )


def _verdict(one: Prediction, ratings: Mapping[tuple[int, str, str, str], Rating]) -> tuple[str, str]:
    """Right or wrong (or unrated), and in what words."""
    if one.error:
        return "wrong", "failed"
    if one.gold:
        return ("right", "right") if correct(one) else ("wrong", f"wrong: {one.gold}")
    if rating := ratings.get(one.key):
        return {"exact": "right", "partial": "half", "none": "wrong", "unrated": "unrated"}[rating.grade], rating.grade
    if contains(one):
        return "right", "holds the key"
    return "unrated", f"ROUGE-L {rouge(one)['rougeL']:.2f}" if one.references else ""


def _numbers(pages: Sequence[int] | None) -> str:
    return "–" if pages is None else ", ".join(map(str, pages)) or "none"


def _text(value: Any) -> str:
    if value is None:
        return ""
    return json.dumps(value, ensure_ascii=False) if isinstance(value, dict | list) else str(value)
