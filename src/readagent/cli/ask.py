"""`readagent ask`: one question about one document."""

from __future__ import annotations

import sys
from types import TracebackType
from typing import Any

import click

from readagent.cli.options import JSON, UP_TO, budget_options, model_options, reading_options
from readagent.cli.output import answer_record, print_json, quoted, reopened, tell_fallbacks, tell_local
from readagent.cli.progress import Progress
from readagent.cli.session import agent_for, memory_of
from readagent.core.events import Event, Said
from readagent.core.memory import GistMemory
from readagent.core.question import Answer, Question


@click.command(
    epilog="""\b
Examples:
  readagent ask novel.txt "Why does she leave?"
  readagent ask novel.txt "Who holds the key?" -o Jakob -o Irma -o nobody
  readagent ask novel.txt "Irma holds the key." --claim
  readagent ask novel.txt "Who is Irma?" --look-up sequential --max-pages 6
  readagent ask novel.txt "Who is Irma?" --up-to "Chapter 4"
"""
)
@click.argument("document")
@click.argument("question")
@click.option("-o", "--option", "options", multiple=True, metavar="TEXT", help="An option to choose from; repeatable.")
@click.option("--claim", is_flag=True, help="The question is a claim: is it true?")
@click.option("--look-up", type=click.Choice(["parallel", "sequential", "none"]), help="How pages are reopened.")
@click.option("--max-pages", type=click.IntRange(0), metavar="N", help="Pages reopened, at most.")
@click.option("--quotes/--no-quotes", default=None, help="Ask for quotes and check them (on).")
@UP_TO
@reading_options
@model_options
@budget_options
@JSON
def command(
    document: str, question: str, options: tuple[str, ...], claim: bool, look_up: Any, max_pages: int | None,
    quotes: bool | None, up_to: str | None, as_json: bool, **flags: Any,
) -> None:  # fmt: skip
    """Ask a question about a document.

    DOCUMENT is a file, or the title, file name or id of something in the library. What was not read yet is read first.
    """
    if options and claim:
        raise click.UsageError("--option and --claim exclude each other.")
    asked = Question.choice(question, options) if options else Question(question, kind="claim" if claim else "free")
    with agent_for(flags) as (agent, library):
        memory = memory_of(document, flags, agent, library)
        with Aloud(quiet=as_json) as aloud:
            answer = agent.ask(
                memory, asked, look_up=look_up, max_pages=max_pages, quotes=quotes, up_to=up_to, listen=aloud
            )
    if as_json:
        print_json(answer_record(memory, answer))
    else:
        aloud.finish(memory, answer)
    tell_fallbacks(answer.trace.fallbacks)
    if agent.is_local:
        tell_local()


class Aloud(Progress):
    """A progress line that makes way for the answer, which a terminal is shown as it arrives.

    Elsewhere it is printed when it is complete, so that a pipe never gets a piece of an answer that came to nothing.
    """

    def __init__(self, *, quiet: bool = False) -> None:
        super().__init__()
        self._quiet = quiet or sys.stdout is None or not sys.stdout.isatty()
        self._spoke = False

    def __call__(self, event: Event) -> None:
        if not isinstance(event, Said):
            if not self._spoke:
                super().__call__(event)
        elif not self._quiet:
            self.clear()
            self._spoke = True
            sys.stdout.write(event.text)
            sys.stdout.flush()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        super().__exit__(kind, error, trace)
        if error is not None and self._spoke:
            click.echo()  # what is told about the error stands on a line of its own

    def finish(self, memory: GistMemory, answer: Answer) -> None:
        """Print what has not been printed yet, and the pages."""
        if self._spoke:
            click.echo()
        elif answer.question.kind == "choice":
            click.echo(f"({answer.choice}) {answer.text}")
        else:
            click.echo(answer.text)
        for line in quoted(answer):
            click.echo(line)
        click.echo(click.style(f"pages reopened: {reopened(memory, answer)}", dim=True))
        if answer.no_room:
            missing = ", ".join(map(str, answer.no_room))
            click.echo(f"note: no room in the model's window for page {missing}", err=True)
