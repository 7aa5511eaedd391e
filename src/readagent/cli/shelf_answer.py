"""Asking a shelf on the command line, and printing the answer."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import click

from readagent.cli.agents import agent_for
from readagent.cli.log import is_logging
from readagent.cli.offline import report_local, report_question_language
from readagent.cli.options import JSON, budget_options, combined, model_options, question_options
from readagent.cli.output import (
    counted,
    in_source,
    nearest_lines,
    print_json,
    quote_line,
    report_fallbacks,
    report_spent,
    searched_line,
    support_lines,
)
from readagent.cli.overviews import report_kept
from readagent.cli.questions import asked_of
from readagent.cli.screen import echo, style
from readagent.cli.streaming import AnswerStream
from readagent.core.document import page_name
from readagent.core.question import Question
from readagent.core.shelf.shelf_answer import Card, Citation, Line, PageOf, ShelfAnswer
from readagent.records.answers import new_shelf_answer
from readagent.sync import Shelf

_TITLED = ("documents", "left_out", "pages", "lines", "quotes")  # fields of an answer whose items name documents
_HOW = ("compare", "documents", "look_up", "max_pages", "quotes", "check")
_COMPARE = click.option("--compare", is_flag=True, help="Ask each document for one line, and answer from these lines.")
_DOCUMENTS = click.option(
    "--documents", type=click.IntRange(1), metavar="N", help="Maximum documents to open (4, or 20 with --compare)."
)
shelf_question_options = combined((_COMPARE, _DOCUMENTS, question_options, model_options, budget_options, JSON))


def ask_shelf(name: str, question: str, flags: dict[str, Any]) -> None:
    """Ask a shelf as the options of a command say; ``flags`` are those of ``shelf_question_options``."""
    how = {option: flags[option] for option in _HOW}
    asked = asked_of(question, flags["choices"], flags["claim"])
    answer_from_shelf(name, asked, flags, as_json=flags["as_json"], **how)


def answer_from_shelf(name: str, asked: Question, flags: dict[str, Any], *, as_json: bool, **how: Any) -> None:
    """Ask, and print the answer with its documents and pages."""
    with agent_for(flags, existing=True) as (agent, library):
        shelf = Shelf(agent, library.shelves.find(name).name)
        with AnswerStream(quiet=as_json or agent.is_local) as stream:
            answer = shelf.ask(asked, listen=stream, **how)
        if as_json:
            print_json(new_shelf_answer(shelf.name, answer))
        else:
            print_answer(stream, answer)
        report_spent(answer.trace.calls)
        report_fallbacks(answer.trace.fallbacks)
        if answer.over_all and not agent.is_local:
            report_kept([one for one in answer.trace.fallbacks if one.step != "cards"])
        if agent.is_local:
            report_local(agent.settings, library, as_json=as_json)
            report_question_language([asked.text])


def print_answer(stream: AnswerStream, answer: ShelfAnswer) -> None:
    """Print what was not streamed of an answer, and its quotes, documents and pages."""
    stream.end(str(answer))
    answer = _with_ids_in_same_titles(answer)
    for line in _evidence_lines(answer):
        echo(line)
    if answer.left_out:
        echo(f"note: these did not fit the model's window: {_titles(answer.left_out)}", err=True)


def _with_ids_in_same_titles(answer: ShelfAnswer) -> ShelfAnswer:
    """Return an answer in which titles that several documents have are followed by the beginnings of their ids."""
    fields: dict[str, Sequence[Any]] = {name: getattr(answer, name) for name in _TITLED}
    titles = {one.document: one.title for some in fields.values() for one in some}
    counts = Counter(titles.values())

    def told_apart(one: Any) -> Any:
        return replace(one, title=f"{one.title} [{one.document[:8]}]") if counts[one.title] > 1 else one

    changes: dict[str, Any] = {name: tuple(map(told_apart, some)) for name, some in fields.items()}
    return replace(answer, **changes)


def _evidence_lines(answer: ShelfAnswer) -> list[str]:
    """Return the lines below an answer: one per compared document, quotes, documents and pages."""
    checked = support_lines(answer.support, [one.quote for one in answer.quotes], answer.false_quotes, "the documents")
    lines = [*([_line(line) for line in answer.lines] or _quoted(answer)), *checked]
    if not answer.found_in_text and answer.searched is not None:
        lines.append(style(searched_line(answer.searched), dim=True))
    if answer.over_all:
        pages = answer.searched.pages if answer.searched is not None else 0
        read = f"all {counted(pages, 'page')} of {counted(len(answer.documents), 'document')}"
        summary = [f"answered from {read} (of {answer.among:,} on the shelf)"]
    elif answer.lines:
        summary = [f"documents compared: {len(answer.lines):,} of {answer.among:,} on the shelf"]
    else:
        opened = "; ".join(f"{card.title}{in_source(card)}" for card in answer.documents)
        summary = [f"documents opened, of {answer.among:,} on the shelf: {opened}"]
        if is_logging() or (answer.found_in_text and not answer.quotes):
            summary.append(f"pages opened: {_pages(answer.pages)}")
    summary += [f"asked: {answer.not_asked}"] if answer.unread else []
    return [*lines, *(style(line, dim=True) for line in summary)]


def _line(line: Line) -> str:
    """Return what a document says in one line, with the page of its quote."""
    title = style(f"{line.title}:", bold=True)
    if line.problem:
        return f"  {title} {style(f'no line, {line.problem}', fg='yellow')}"
    if line.silent:
        return f"  {title} {style('does not say', dim=True)}"
    return f"  {title} {line.text} {' '.join(style(_where(cited), dim=True) for cited in line.quotes)}".rstrip()


def _where(cited: Citation) -> str:
    return f"({cited.quote.where})"


def _quoted(answer: ShelfAnswer) -> list[str]:
    """Return the quotes, each with document, page and place."""
    lines = nearest_lines([cited.quote for cited in answer.quotes], answer.found_in_text)
    for cited in answer.quotes:
        where = f"({cited.title}, {_where(cited)[1:]}"
        lines.append(f'  "{quote_line(cited.quote)}" {style(where, dim=True)}')
    return lines


def _titles(cards: Sequence[Card]) -> str:
    return "; ".join(card.title for card in cards)


def _pages(pages: Sequence[PageOf]) -> str:
    """Return the pages, grouped by document."""
    places: dict[str, list[str]] = {}
    titles = {page.document: page.title for page in pages}
    for page in pages:
        places.setdefault(page.document, []).append(page_name(page.page, page.place))
    return "; ".join(f"{titles[name]}: {'; '.join(some)}" for name, some in places.items()) or "none"


def show_card(card: Card) -> None:
    """Print a card: a line with title, kind and id, and its text."""
    marked = " [opening of the first gist: the model returned no usable card]" if card.origin == "lead" else ""
    echo(f"{style(card.heading, bold=True)}  {style(card.document[:8], dim=True)}{marked}")
    echo(f"  {' '.join(card.text.split())}")
