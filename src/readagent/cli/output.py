"""What commands print: records as JSON, and the lines for people."""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from textwrap import shorten
from typing import Any

from readagent.advice import as_options
from readagent.cli.log import is_logging
from readagent.cli.screen import echo, safe_json, style
from readagent.core.document import Document, page_name
from readagent.core.memory import GistMemory
from readagent.core.question import Answer, Quote, Searched
from readagent.core.shelf.shelf_answer import Card
from readagent.core.statement import CheckedBy, State, Statement, Support
from readagent.core.trace import Call, Fallback, Usage
from readagent.embedded.confidence import SURE
from readagent.export.evidence import about_false_quotes, heading
from readagent.loaders.formats import LEFT_OUT, NOT_READ, READ_AS
from readagent.models.wire import encode
from readagent.records import plain
from readagent.records.documents import growth_record

_HOW: dict[CheckedBy, str] = {"rules": ", by rules only"}
_STATES: dict[State, str] = {
    "supported": "supported by a quote",
    "quoted": "quoted, but support is not shown",
    "unsupported": "not supported by a quote",
}


def support_lines(
    support: Support, quotes: Sequence[Quote], false_quotes: int = 0, where: str = "the text"
) -> list[str]:
    """Return how many statements of an answer are supported, and each of the others with the sentence nearest to it.

    If the model quoted what is not in ``where``, the first line says so, and where the passages shown are from.
    """
    dropped = about_false_quotes(false_quotes, where)
    if not support.statements:
        return [style(dropped, fg="yellow")] if dropped else []
    states = [one.state for one in support.statements]
    found = f"{states.count('supported')} of {len(states)} statements supported"
    how = f"{_HOW.get(support.checked_by, '')}: {_STATES[states[0]] if len(states) == 1 else found}"
    summary = f"{dropped} {_instead(quotes, states, how)}" if dropped else f"checked{how}"
    others = [
        line
        for one in (support.statements if len(states) > 1 else ())
        if one.state != "supported"
        for line in (
            f"  {style(f'{_STATES[one.state]}:', fg='yellow')} {shorten(one.text, 160, placeholder=' …')}",
            *_beside(one, quotes),
        )
    ]
    return [style(summary, dim=True) if support.complete and not dropped else style(summary, fg="yellow"), *others]


def _instead(quotes: Sequence[Quote], states: Sequence[State], how: str) -> str:
    """Return what the quotes show that stand above, where others of the model were left out."""
    if not all(one.by_us for one in quotes):
        return f"With the others{how}"
    passages = "The passage above was" if len(quotes) == 1 else "The passages above were"
    if len(states) > 1:
        bears = f"{states.count('supported')} of {len(states)} statements are supported"
    elif states[0] == "supported":
        bears = "it supports the answer" if len(quotes) == 1 else "one supports the answer"
    else:
        bears = "support for the answer is not shown"
    return f"{passages} found by search; {bears}."


def _beside(one: Statement, quotes: Sequence[Quote]) -> list[str]:
    """Return the sentences that a statement is to be compared with."""
    texts = (shorten(quotes[at].text, 160, placeholder=" …") for at in one.quotes if at < len(quotes))
    return [style(f'    beside "{text}"', dim=True) for text in texts]


_NAMED = 10  # pages that a line names


def print_json(value: Any, /, **more: Any) -> None:
    """Print one JSON value on standard output: a record, with ``more`` fields, or anything that consists of records."""
    echo(json_text({**plain(value), **plain(more)} if more else value), wrap=False)


def json_text(value: Any) -> str:
    """Return a JSON value on one line, with control characters escaped."""
    return safe_json(encode(plain(value)).decode("utf-8", "replace"))


def growth(before: GistMemory, after: GistMemory) -> str:
    """Return what was added to a memory, in a few words."""
    grown = growth_record(before, after)
    return f"{counted(grown.new_pages, 'new page')}, {counted(grown.kept_pages, 'page')} unchanged"


def evidence_lines(memory: GistMemory, answer: Answer) -> list[str]:
    """Return the lines below an answer: its quotes, what was searched if nothing was found, and the pages."""
    checked = support_lines(answer.support, answer.quotes, answer.false_quotes) if answer.certainty is None else []
    document = memory.document
    lines = [*_certain(answer.certainty), *_quoted(answer), *checked]
    if not answer.found_in_text and answer.searched is not None:
        lines.append(style(searched_line(answer.searched), dim=True))
    if answer.over_all and answer.searched is not None:
        return [*lines, style(f"from the gists of {_all_or_some(answer.searched)}{in_source(document)}", dim=True)]
    if is_logging() or (answer.found_in_text and not answer.quotes):  # else the quotes say where
        lines.append(style(f"pages opened: {_opened(memory, answer)}{in_source(document)}", dim=True))
    return lines


def in_source(of: Document | Card) -> str:
    """Return where a document was read from, to be put after its title or pages: a path, or an address."""
    try:
        here = str(Path.cwd() / "_")[:-1]
    except OSError:  # the folder was removed
        here = ""
    return f" ({of.source.removeprefix(here)})" if of.source else ""


def _all_or_some(searched: Searched) -> str:
    pages = counted(searched.of_pages, "page")
    return f"all {pages}" if searched.pages == searched.of_pages else f"{searched.pages:,} of {pages}"


def searched_line(searched: Searched) -> str:
    """Return what was searched for an answer that was not found."""
    return f"searched: {_shown(searched)}, and the pages opened"


def _certain(certainty: float | None) -> list[str]:
    """Return a warning below an answer that the offline reader is not sure of."""
    return [] if certainty is None or certainty >= SURE else [style("not sure: read the passages", fg="yellow")]


def _shown(searched: Searched) -> str:
    """Return which gists were shown for an answer."""
    if searched.of_parts and not searched.parts:
        return f"the entries of {counted(searched.of_parts, 'part')}"
    parts = f"{searched.parts:,} of {counted(searched.of_parts, 'part')}, " if searched.of_parts else ""
    if searched.of_pages == 1:
        return "the gist of the only page"
    if searched.pages == searched.of_pages:
        return f"the gists of all {searched.pages:,} pages"
    return f"{parts}the gists of {searched.pages:,} of {counted(searched.of_pages, 'page')}"


def _quoted(answer: Answer) -> list[str]:
    """Return the quotes, each with its place."""
    lines = nearest_lines(answer.quotes, answer.found_in_text)
    for number, quote in enumerate(answer.quotes):
        text = quote_line(quote, answer.extract if number == 0 else None)
        lines.append(f'  "{text}" {style(f"({quote.where})", dim=True)}')
    return lines


def nearest_lines(quotes: Sequence[Quote], found_in_text: bool) -> list[str]:
    """Return the line above passages that are only the nearest, if they are that."""
    said = heading(quotes, found_in_text)
    return [style(f"{said[0].lower()}{said[1:]}", dim=True)] if said else []


def quote_line(quote: Quote, extract: tuple[int, int] | None = None) -> str:
    """Return a quote on one line; on a terminal, what the model quoted of it is bold, or an extract of it."""
    if extract is None:
        parts = list(quote.parts())
    else:
        start, end = (one - quote.start for one in extract)
        parts = [(quote.text[:start], False), (quote.text[start:end], True), (quote.text[end:], False)]
    if all(bold for text, bold in parts if text.strip()):
        return " ".join(quote.text.split())
    line = "".join(style(" ".join(text.split()), bold=True) if bold else text for text, bold in parts)
    return " ".join(line.split())


def _opened(memory: GistMemory, answer: Answer) -> str:
    """Return the pages of an answer by their places."""
    if not answer.pages:
        return "none" if memory.is_whole() else "none; answered from the gists"
    return "; ".join(page_name(*one) for one in zip(answer.pages, _places(memory, answer), strict=True))


def _places(memory: GistMemory, answer: Answer) -> list[str]:
    """Return the places where the pages begin; empty where nothing is known."""
    places = memory.whole.places()
    return [places[number] for number in answer.pages]


def summary(memory: GistMemory) -> str:
    """Return a memory in one line."""
    whole = memory.whole
    name, pages = memory.document.title or memory.document.id, counted(len(whole.pages), "page")
    gists = f"gists of {counted(whole.words(), 'word')} ({whole.compression:.0%} shorter)"
    leads = f", {counted(len(whole.leads), 'page')} without a gist" if whole.leads else ""
    return f"{name}: {counted(memory.full_words, 'word')}, {pages}, {gists}{leads}"


def spent(calls: Sequence[Call], stopped: int = 0) -> str:
    """Return calls, tokens and cost in one line, and how many replies came from the library.

    ``stopped`` is how many calls were stopped before they were complete.
    """
    if stopped:
        its = "its" if stopped == 1 else "their"
        more = f"{counted(stopped, 'call')} stopped ({its} tokens are not known)"
        return f"{spent(calls)}; {more}" if calls else more
    paid = [call for call in calls if call.paid]
    usage = sum((call.usage for call in paid), Usage())
    if not paid:
        return f"{counted(len(calls), 'call')}, all from the library" if calls else "no calls"
    kept = f" ({len(calls) - len(paid):,} more from the library)" if len(calls) > len(paid) else ""
    cached = f", {usage.cached_tokens:,} of them cached by the server" if usage.cached_tokens else ""
    cost = f", {dollars(usage.cost)}" if usage.cost else ""
    tokens = f"{usage.prompt_tokens:,} tokens in{cached}, {usage.reply_tokens:,} out"
    return f"{counted(len(paid), 'call')}{kept}, {tokens}{cost}"


def dollars(cost: float) -> str:
    """Return a cost, such as "$0.0123"."""
    return f"${cost:,.4f}" if cost >= 0.0001 else "less than $0.0001"


def report_spent(calls: Sequence[Call], stopped: int = 0) -> None:
    """Say on a terminal what a command has taken; nothing of the offline reader, which counts no tokens."""
    counts = stopped or not calls or any(call.usage.prompt_tokens for call in calls)
    if counts and sys.stderr is not None and sys.stderr.isatty():
        echo(style(spent(calls, stopped), dim=True), err=True)


def counted(number: int, noun: str) -> str:
    """Return "1 word", "2 words" and so on."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def report_warnings(warnings: Sequence[str], about: str = "") -> None:
    """Say on standard error why a memory is of little use, and what to change. ``about`` names one of several."""
    for warning in warnings:
        echo(f"warning: {about and f'{about}: '}{as_options(warning)}", err=True)


def report_loading(document: Document, about: str = "") -> None:
    """Say on standard error what was not read, and whether a file could only be read as plain text.

    ``about`` names one of several documents.
    """
    if why := document.metadata.get(READ_AS):
        echo(f"note: {about and f'{about}: '}read as {why}", err=True)
    if missing := document.metadata.get(NOT_READ):
        echo(f"note: {about and f'{about}: '}not read: {missing}", err=True)
    words = int(document.metadata.get(LEFT_OUT, "0"))
    if words:
        echo(
            f"note: {about and f'{about}: '}{counted(words, 'word')} left out as page furniture; --whole keeps them",
            err=True,
        )


def report_fallbacks(fallbacks: Sequence[Fallback], about: str = "", *, noun: str = "page") -> None:
    """Say on standard error where the model returned nothing usable, how often, why, and what was used instead.

    ``about`` names the document where there are several; ``noun`` is what a page is called.
    """
    note = f"note: {about}:" if about else "note:"
    kinds = Counter(map(_kind, fallbacks))
    for kind, count in kinds.most_common(4):
        step, reason, instead = kind
        if step == "keep":
            echo(f"{note} the answer was not kept: {reason}", err=True)
            continue
        if step == "cards":
            echo(f"{note} {reason}", err=True)
            continue
        pages = sorted({page for one in fallbacks if _kind(one) == kind for page in _pages(one)})
        what = _ABOUT.get(step, "").format(
            pages=on_pages(pages, noun, ranges=step in _OF_WINDOWS) if pages else f"a {noun}",
            parts=on_pages(pages, "part") if pages else "a part",
            noun=noun,
        )
        times = f"{count} times: " if count > max(1, len(pages)) else ""
        problem = f"no usable {what} ({reason})" if what else reason
        echo(f"{note} {times}{problem}; used instead: {instead}", err=True)
    if len(kinds) > 4:
        echo(f"{note} and {counted(len(kinds) - 4, 'other kind')} of fallback; use --json to list them all", err=True)


_ABOUT = {
    "paginate": "reply on where to end {pages}",
    "gist": "gist for {pages}",
    "read": "reply for {pages}",
    "mode": "reply in one pass",
    "merge": "entry for {parts}",
    "parts": "reply on which parts to look into",
    "card": "card for a document",
    "documents": "reply on which documents to open",
    "look_up": "reply on which {noun}s to open",
    "respond": "answer",
    "direct": "answer or request for {noun}s",
    "check": "reply on which statements are supported",
    "act": "reply on what to do",
    "note": "notes on {pages}",
    "write": "text on {pages}",
    "collect": "list for {pages}",
    "outline": "outline of {pages}",
    "join": "reply on who is the same person",
}
_OF_WINDOWS = ("note", "write", "collect", "outline")  # steps that take many pages at once


def _kind(fallback: Fallback) -> tuple[str, str, str]:
    """Return what fallbacks on one line have in common. The labels in prompts mean nothing to users."""
    instead = "a place in the allowed range" if fallback.step == "paginate" else fallback.taken
    if fallback.step in ("look_up", "direct", "parts"):  # pages or parts, as the model counts them
        instead = re.sub(r"\d+", lambda found: str(int(found[0]) + 1), instead)
    return fallback.step, fallback.reason, instead


def _pages(fallback: Fallback) -> Sequence[int]:
    if fallback.page is None:
        return ()
    return range(fallback.page, (fallback.page if fallback.last_page is None else fallback.last_page) + 1)


def on_pages(numbers: Sequence[int], noun: str = "page", *, ranges: bool = False) -> str:
    """Return "page 3", or "pages 3, 5, 8 and 12 more", counted from 1; with another noun, the same for parts.

    With ``ranges`` consecutive ones are named by the first and the last: "pages 1 to 12, 15".
    """
    runs: list[list[int]] = []
    for number in numbers:
        if ranges and runs and number == runs[-1][-1] + 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    first = ", ".join(str(one[0] + 1) if len(one) == 1 else f"{one[0] + 1} to {one[-1] + 1}" for one in runs[:_NAMED])
    left = sum(map(len, runs[_NAMED:]))
    return f"{noun if len(numbers) == 1 else f'{noun}s'} {first}{f' and {left} more' if left else ''}"
