"""Documents, memories and answers in notebooks: HTML in which texts are material, so that nothing in them acts.

There is no Markdown form: notebooks prefer HTML, and what Markdown escapes differs from one program to the next.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

from readagent.core.brief import counted
from readagent.core.controls import visible
from readagent.core.document import Document
from readagent.core.memory import GistMemory
from readagent.core.places import page_name
from readagent.core.question import Answer, Quote
from readagent.core.shelf.records import ShelfAnswer
from readagent.core.support.records import Statement

_ROWS = 200  # pages of a memory, or headings of a document, that are shown
_GIST = 600  # characters of a gist that are shown
_AROUND = 240  # characters of the text that are shown on each side of a quote
_STATES = {"supported": "✓ supported", "quoted": "~ quoted", "unsupported": "✗ not supported"}


def document_html(document: Document) -> str:
    """Return title, author, length and source, and a table of the headings with their places."""
    headings = [one for one in document.paragraphs if one.heading]
    shown = headings[:_ROWS]
    places = document.places([one.start for one in shown])
    texts = (_text(" ".join(document.text[one.start : one.end].split())) for one in shown)
    rows = [(text, _text(place)) for text, place in zip(texts, places, strict=True)]
    left = len(headings) - len(rows)
    facts = [document.metadata.get("author", ""), counted(document.words, "word"), document.source]
    return _framed(
        f"<b>{_text(document.title or document.source or document.id)}</b>",
        _text(" · ".join(filter(None, facts))),
        _table(("heading", "place"), rows) if rows else _text(_cut(document.text.strip(), _GIST)),
        _text(f"and {counted(left, 'more heading')}") if left else "",
    )


def memory_html(memory: GistMemory) -> str:
    """Return a table of the pages: the place of each, its words, and its gist."""
    names = [page_name(number, place) for number, place in enumerate(memory.places()[:_ROWS])]
    shown = zip(names, memory.pages, memory.gists, strict=False)
    rows = [(_text(name), f"{page.words:,}", _text(_cut(gist.text, _GIST))) for name, page, gist in shown]
    left = len(memory.pages) - len(rows)
    facts = [
        counted(len(memory.pages), "page"),
        f"{memory.full_words:,} words in {memory.words():,}",
        f"read by {memory.model}" if memory.model else "",
    ]
    return _framed(
        f"<b>{_text(memory.document.title or memory.document.source or memory.document.id)}</b>",
        _text(" · ".join(filter(None, facts))),
        _table(("place", "words", "gist"), rows),
        _text(f"and {counted(left, 'more page')}") if left else "",
        *(_text(f"warning: {warning}") for warning in memory.warnings),
    )


def answer_html(answer: Answer) -> str:
    """Return the answer, the state of each of its statements, and its quotes within the text around them."""
    quotes = [_quote(one, answer.document, answer.up_to) for one in answer.quotes]
    return _framed(*_said(answer), _statements(answer.statements), _numbered(quotes))


def shelf_answer_html(answer: ShelfAnswer) -> str:
    """Return the answer, what each document says if they were compared, its statements, and its quotes as above."""
    quotes = [_quote(one.quote, answer.texts.get(one.document), None, one.title) for one in answer.quotes]
    lines = [(_text(one.title), _text(one.problem or one.text)) for one in answer.lines]
    compared = _table(("document", "what it says"), lines) if lines else ""
    return _framed(*_said(answer), compared, _statements(answer.statements), _numbered(quotes))


def figures_html(
    facts: Sequence[str], heads: Sequence[str], rows: Iterable[Sequence[str]], notes: Sequence[str]
) -> str:
    """Return a line of facts, a table of figures, and notes below it."""
    cells = [[_text(cell) for cell in row] for row in rows]
    return _framed(_text(" · ".join(filter(None, facts))), _table(heads, cells), *map(_text, notes))


def _said(answer: Answer | ShelfAnswer) -> list[str]:
    choice = f"({answer.choice}) " if answer.question.kind == "choice" else ""
    return [f"<b>{_text(answer.question.text)}</b>", _text(f"{choice}{answer.text}")]


def _statements(statements: Sequence[Statement]) -> str:
    rows = [
        (_STATES[one.state], _text(one.text), ", ".join(f"[{number + 1}]" for number in one.quotes))
        for one in statements
    ]
    return _table(("state", "statement", "quotes"), rows) if rows else ""


def _quote(quote: Quote, document: Document | None, up_to: int | None, title: str = "") -> str:
    """Return a quote, marked within the text around it, but nothing after ``up_to``."""
    before = after = ""
    if document is not None:
        start, end = max(0, quote.start - _AROUND), quote.end + _AROUND
        before = document.text[start : quote.start]
        after = document.text[quote.end : end if up_to is None else min(end, max(up_to, quote.end))]
        before = f"… {before.partition(' ')[2]}" if start else before
        after = f"{after.rpartition(' ')[0]} …" if quote.end + len(after) < len(document.text) else after
    place = ", ".join(filter(None, (title, page_name(quote.page, quote.place), "found by us" * quote.by_us)))
    return f"{_text(before)}<mark>{_text(quote.text)}</mark>{_text(after)} <i>({_text(place)})</i>"


def _numbered(items: Sequence[str]) -> str:
    return "<ol>" + "".join(f"<li>{item}</li>" for item in items) + "</ol>" if items else ""


def _table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table of cells that are HTML already."""
    body = "".join(
        "<tr>" + "".join(f'<td style="text-align: left">{cell}</td>' for cell in row) + "</tr>" for row in rows
    )
    return f"<table><tr>{''.join(f'<th>{head}</th>' for head in heads)}</tr>{body}</table>"


def _framed(*parts: str) -> str:
    """Return the parts below one another. Notebooks do not look for formulas between dollar signs in them."""
    inside = "".join(f"<div>{part}</div>" for part in parts if part)
    return f'<div class="tex2jax_ignore mathjax_ignore">{inside}</div>'


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[:most].rpartition(' ')[0] or text[:most]} …"


def _text(text: str) -> str:
    return escape(visible(text)).replace("\n", "<br>")
