"""What the commands for overviews share: their options, how they are run, and how their results are shown."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any, Protocol, TypeVar

import click

from readagent.cli.agents import agent_for_documents, memory_of
from readagent.cli.completing import complete_document
from readagent.cli.options import (
    JSON,
    RETRY,
    UP_TO,
    WHOLE,
    budget_options,
    combined,
    model_options_with_output,
    reading_options,
    shelf_option,
)
from readagent.cli.output import counted, print_json, report_fallbacks, report_spent
from readagent.cli.progress import Progress
from readagent.cli.screen import echo, echo_paged, safe, safe_json, style, unstyled
from readagent.cli.writing import output_options, write_file
from readagent.core.document import from_to
from readagent.core.escaping import in_markdown, marked_up
from readagent.core.memory import GistMemory
from readagent.core.notebook import table
from readagent.core.overviews.points import Entity, Overview, Person, Point, Summary, doubt, place_at, places_of
from readagent.core.trace import Call, Fallback, Trace
from readagent.embedded.local import needs_model
from readagent.errors import UsageError
from readagent.records import plain
from readagent.records.answers import took
from readagent.records.overviews import point_records
from readagent.sync import ReadAgent

F = TypeVar("F", bound=Callable[..., Any])
R = TypeVar("R", Summary, Overview[Any])
Make = Callable[..., R]
_SPAN = (
    click.option("--chapter", metavar="NAME", help="Only this chapter, by its number or heading."),
    click.option("--from", "start", metavar="PLACE", help='Only from a place on, such as "p. 57".'),
    click.option("--to", "end", metavar="PLACE", help="Only up to the end of a place."),
    UP_TO,
    click.option("--check/--no-check", default=None, help="Let the model check statements against their pages (on)."),
    RETRY,
)
_LISTS = ("outline", "extract")


def forms_of(command: str) -> list[str]:
    """Return the endings of the files that a command can write."""
    return [".md", ".txt", ".json", *([".csv", ".html"] if command in _LISTS else [])]


def _check_name(context: click.Context, given: Path) -> None:
    """Refuse a file that could not be written before anything is paid for."""
    forms = forms_of(context.info_name or "")
    if given.suffix.lower() not in forms:
        raise UsageError(f"{given.name}: this cannot be written", hint=f"name a file that ends in {', '.join(forms)}")
    if not given.absolute().parent.is_dir():
        raise UsageError(f"{given}: there is no such folder")


OUTPUT = output_options("Write to FILE; its name says in which form.", _check_name)
_options = combined((*_SPAN, WHOLE, reading_options, model_options_with_output, budget_options, OUTPUT, JSON))
_STYLE = (
    "body { font: 15px sans-serif; margin: 2em } th, td { padding: 4px 12px; text-align: left; vertical-align: top }"
)
_FORMULA = re.compile(r"\t|\s*(?:[=+@]|-(?!\d))")  # what a spreadsheet would run; a negative year is a number
_SHOWN = 3  # places of a statement that are named


class Heading(str):
    """A line that is a heading, in a Markdown file too: it begins with a # and a space."""


def overview_options(command: F) -> F:
    """Add the argument and the options that all commands for overviews have."""
    return click.argument("document", shell_complete=complete_document)(_options(command))


def overview_or_shelf_options(command: F) -> F:
    """Add the same to a command that takes a shelf instead of a document."""
    command = shelf_option("The documents on this shelf instead of DOCUMENT.")(_options(command))
    return click.argument("document", required=False, shell_complete=complete_document)(command)


def made(document: str, make: Callable[[ReadAgent], Callable[..., R]], flags: dict[str, Any], **values: Any) -> R:
    """Return what an agent makes of a document, which is read first if needed; say what it took."""
    how = {name: flags.pop(name) for name in ("chapter", "start", "end", "up_to", "check", "retry")}
    whole = flags.pop("whole")
    with agent_for_documents(document, flags=flags) as (agent, library):
        if agent.is_local:  # said before a document is read for it
            raise needs_model(click.get_current_context().info_name or "this")
        memory = memory_of(document, flags, agent, library, whole=whole)
        with Progress(doing="going through the text") as progress:
            result = make(agent)(memory, listen=progress, **how, **values)
    report_made(result, memory.trace.calls)
    return result


class Made(Protocol):
    """An overview of any kind: what was left out of it, and how it was made."""

    @property
    def dropped(self) -> Sequence[Point]: ...
    @property
    def trace(self) -> Trace: ...


def report_kept(fallbacks: Sequence[Fallback]) -> None:
    """Say how to ask again, if any reply was of no use."""
    if fallbacks:
        echo(
            "note: this is kept, and costs nothing if repeated; to ask again for what was not usable: --retry", err=True
        )


def report_made(result: Made, before: Sequence[Call]) -> None:
    """Say how an overview was made, and what it took together with the calls ``before`` it."""
    report_fallbacks(result.trace.fallbacks)
    report_kept(result.trace.fallbacks)
    report_dropped(len(result.dropped))
    report_spent([*before, *result.trace.calls])


def cited(point: Point, memory: GistMemory) -> str:
    """Return a statement with its places, and with a mark if support was not shown."""
    names = places_of(point, memory)
    more = [f"{len(names) - _SHOWN} more"] if len(names) > _SHOWN else []
    where = "; ".join([*names[:_SHOWN], *more, *filter(None, [doubt(point)])])
    return f"{point.text} {style(f'({where})', dim=True)}" if where else point.text


def paragraphs(summary: Summary) -> list[str]:
    """Return a summary as paragraphs with places."""
    found: list[list[str]] = []
    for point in summary.points:
        if point.begins or not found:
            found.append([])
        found[-1].append(cited(point, summary.memory))
    return ["\n\n".join(" ".join(one) for one in found) or "The text does not say."]


def show(
    result: Summary | Overview[Any],
    lines: Sequence[str],
    record: Any,
    rows: Iterable[Sequence[object]] | None,
    output: Path | None,
    as_json: bool,
) -> None:
    """Print an overview, or write it to a file: .md, .txt, .json; .csv and .html if it has rows."""
    made = {"dropped": point_records(result.dropped, result.memory)}
    data = {**plain(record), **plain(took(result.trace)), **plain(made)}
    if output is None:
        if as_json:
            print_json(data)
        else:
            echo_paged("\n".join(lines))
        return
    suffix = output.suffix.lower()
    if suffix == ".json":
        text = safe_json(json.dumps(data, ensure_ascii=False, indent=2)) + "\n"
    elif suffix == ".csv" and rows is not None:
        text = as_csv(rows)
    elif suffix == ".html" and rows is not None:
        text = as_html(result.memory.document.title, rows)
    elif suffix == ".md":
        text = as_markdown(lines)
    else:
        text = unstyled("\n".join(lines)) + "\n"
    write_file(output, text.encode("utf-8", "replace"))


def as_markdown(lines: Sequence[str]) -> str:
    """Return lines as Markdown that shows all characters of names and statements as they are, line by line."""
    shown = [
        f"# {in_markdown(unstyled(line)[2:])}" if isinstance(line, Heading) else in_markdown(unstyled(line))
        for line in lines
    ]
    broken = [line + "  " * bool(line and after) for line, after in pairwise([*shown, ""])]
    return "\n".join(broken).rstrip() + "\n"


def as_html(title: str, rows: Iterable[Sequence[object]]) -> str:
    """Return rows as a page with a table that needs nothing else."""
    head, *rest = ([marked_up(safe(str(one))) for one in row] for row in rows)
    return (
        '<!doctype html>\n<html lang="en">\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width">\n'
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n"
        f"<title>{marked_up(title)}</title>\n<style>{_STYLE}</style>\n<h1>{marked_up(title)}</h1>\n"
        f"{table(head, rest)}\n</html>\n"
    )


def as_csv(rows: Iterable[Sequence[object]]) -> str:
    """Return rows as CSV; a cell that a spreadsheet would run as a formula is marked as text."""
    text = io.StringIO()
    writer = csv.writer(text)
    for row in rows:
        cells = [safe(str(one)) for one in row]
        writer.writerow([f"'{one}" if _FORMULA.match(one) else one for one in cells])
    return text.getvalue()


def mentioned(one: Person | Entity, memory: GistMemory) -> str:
    """Return how often somebody or something is mentioned, and where first and last; "" if never."""
    first, last = place_at(memory, one.first), place_at(memory, one.last)
    return style(f"  {counted(one.mentions, 'mention')}, {from_to(first, last)}", dim=True) if one.mentions else ""


def report_dropped(count: int) -> None:
    """Say how many statements were left out because their pages do not support them."""
    if count:
        left = counted(count, "statement")
        echo(f"note: {left} left out, which the text does not support; --json lists them", err=True)
