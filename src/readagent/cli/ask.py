"""`readagent ask`: one question about one document, or a file of them."""

from __future__ import annotations

import sys
from types import TracebackType
from typing import Any, get_args

import click

from readagent.cli.options import JSON, UP_TO, budget_options, model_options, reading_options
from readagent.cli.output import answer_record, below, print_json, tell_fallbacks, tell_local
from readagent.cli.progress import Progress
from readagent.cli.questions import about, answer_all, questions_in
from readagent.cli.session import agent_for, memory_of
from readagent.core.events import Event, Said
from readagent.core.memory import GistMemory
from readagent.core.plan import LookUp
from readagent.core.question import Answer, Question
from readagent.core.trace import Fallback
from readagent.sync import ReadAgent


@click.command(
    epilog="""\b
Examples:
  readagent ask novel.txt "Why does she leave?"
  readagent ask novel.txt "Who holds the key?" -o Jakob -o Irma -o nobody
  readagent ask novel.txt "Irma holds the key." --claim
  readagent ask novel.txt "Who is Irma?" --look-up sequential --max-pages 6
  readagent ask novel.txt "Who is Irma?" --up-to "Chapter 4"
  readagent ask novel.txt --questions questions.txt --json
"""
)
@click.argument("document")
@click.argument("question", required=False)
@click.option(
    "--questions", metavar="FILE", help="Ask all questions of a file: one a line, or JSON lines; - for standard input."
)
@click.option("-o", "--option", "options", multiple=True, metavar="TEXT", help="An option to choose from; repeatable.")
@click.option("--claim", is_flag=True, help="The question is a claim: is it true?")
@click.option("--look-up", type=click.Choice(get_args(LookUp)), help="How pages are reopened.")
@click.option("--max-pages", type=click.IntRange(0), metavar="N", help="Pages reopened, at most.")
@click.option("--quotes/--no-quotes", default=None, help="Ask for quotes and check them (on).")
@click.option("--hints/--no-hints", default=None, help="Show beside the gists which pages a search finds (off).")
@click.option("--keywords", type=click.IntRange(0), metavar="N", help="Words of names and numbers beside a gist (0).")
@UP_TO
@reading_options
@model_options
@budget_options
@JSON
def command(
    document: str, question: str | None, questions: str | None, options: tuple[str, ...], claim: bool, as_json: bool,
    look_up: Any, max_pages: int | None, quotes: bool | None, hints: bool | None, keywords: int | None,
    up_to: str | None, **flags: Any,
) -> None:  # fmt: skip
    """Ask a question about a document, or all the questions of a file.

    DOCUMENT is a file, or the title, file name or id of something in the library. What was not read yet is read first.
    """
    if question is None and questions is None:
        raise click.UsageError("Missing argument 'QUESTION', or --questions with a file of them.")
    if options and claim:
        raise click.UsageError("--option and --claim exclude each other.")
    if questions is not None and (question is not None or options or claim):
        raise click.UsageError("--questions takes the place of QUESTION, --option and --claim.")
    asked = _asked(question, options, claim) if question is not None else questions_in(questions or "")
    how = {"look_up": look_up, "max_pages": max_pages, "quotes": quotes, "hints": hints, "keywords": keywords,
           "up_to": up_to}  # fmt: skip
    with agent_for(flags) as (agent, library):
        memory = memory_of(document, flags, agent, library, merge=not hints)
        if isinstance(asked, Question):
            fallbacks = _answer(asked, agent, memory, as_json=as_json, **how)
        else:
            asked = about(asked, document, memory.document.source)
            fallbacks = answer_all(asked, agent, memory, as_json=as_json, **how)
    tell_fallbacks(fallbacks)
    if agent.is_local:
        tell_local()


def _asked(question: str, options: tuple[str, ...], claim: bool) -> Question:
    return Question.choice(question, options) if options else Question(question, kind="claim" if claim else "free")


def _answer(asked: Question, agent: ReadAgent, memory: GistMemory, *, as_json: bool, **how: Any) -> list[Fallback]:
    with Aloud(quiet=as_json) as aloud:
        answer = agent.ask(memory, asked, listen=aloud, **how)
    if as_json:
        print_json(answer_record(memory, answer))
    else:
        aloud.finish(memory, answer)
    return answer.trace.fallbacks


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
        for line in below(memory, answer):
            click.echo(line)
        if answer.no_room:
            missing = ", ".join(map(str, answer.no_room))
            click.echo(f"note: no room in the model's window for page {missing}", err=True)
