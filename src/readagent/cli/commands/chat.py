"""`readagent chat`: several questions about one document, with the earlier ones as context."""

from __future__ import annotations

import sys
from typing import Any
from uuid import uuid4

import click

from readagent.cli.agents import agent_for, memory_of
from readagent.cli.options import CHECK, UP_TO, WHOLE, budget_options, model_options, reading_options
from readagent.cli.output import report_fallbacks, report_local, summary
from readagent.cli.screen import echo
from readagent.cli.streaming import AnswerStream
from readagent.core.asking.position import position
from readagent.core.memory import GistMemory
from readagent.core.question import Question, Turn
from readagent.errors import NoAnswerError
from readagent.library import Library
from readagent.sync import ReadAgent

_HELP = "Type a question and press Enter. /page N shows a page, /pages lists the gists, /quit or Ctrl-D ends."


@click.command(
    epilog="""\b
Examples:
  readagent chat novel.txt
  readagent chat novel.txt --resume
  printf 'Who is Irma?\\nWhat does she want?\\n' | readagent chat novel.txt
"""
)
@click.argument("document")
@click.option("--resume", is_flag=True, help="Continue the last conversation about this document.")
@UP_TO
@CHECK
@WHOLE
@reading_options
@model_options
@budget_options
def command(document: str, resume: bool, up_to: str | None, check: bool | None, whole: bool, **flags: Any) -> None:
    """Ask several questions about a document. Each is answered in the context of the earlier ones.

    DOCUMENT is a file, a URL, or the title, file name or id of a document in the library. A document that has not been
    read yet is read first. If standard input is not a terminal, its lines are the questions.
    """
    with agent_for(flags) as (agent, library):
        memory = memory_of(document, flags, agent, library, whole=whole)
        thread, history = _last(library, memory) if resume else (f"chat-{uuid4().hex[:12]}", [])
        if up_to is not None:
            _report_left_out(history, position(memory, up_to))
        if _is_person():
            echo(f"{summary(memory)}\n{_HELP}", err=True)
        if agent.is_local:
            report_local()
        while (line := _next()) is not None:
            if line.startswith("/"):
                if line.split()[0] in ("/quit", "/exit", "/q"):
                    break
                _look(line, memory)
            elif line:
                _answer(line, agent, memory, history, thread, up_to=up_to, check=check)


def _last(library: Library, memory: GistMemory) -> tuple[str, list[Turn]]:
    """Return the thread of the newest conversation about this document, and its turns."""
    task = memory.plan.task
    kept = [answer for answer in library.answers(memory.document.id) if answer.thread and answer.task == task]
    if not kept:
        return f"chat-{uuid4().hex[:12]}", []
    thread = kept[0].thread
    said = [answer for answer in reversed(kept) if answer.thread == thread]
    return thread, [Turn(answer.question.text, answer.text, answer.up_to) for answer in said]


def _report_left_out(history: list[Turn], up_to: int) -> None:
    """Say that earlier turns are not shown to the model, because they knew more of the text."""
    left_out = sum(turn.up_to is None or turn.up_to > up_to for turn in history)
    if left_out:
        turns = "1 earlier turn" if left_out == 1 else f"{left_out} earlier turns"
        echo(f"note: --up-to leaves out {turns} of the conversation, which knew more of the text", err=True)


def _next() -> str | None:
    """Return the next line, or None at the end of the input."""
    try:
        return input("> " if _is_person() else "").strip()
    except (KeyboardInterrupt, EOFError, RuntimeError) as end:  # RuntimeError if there is no standard input
        echo(err=True, nl=_is_person())
        if isinstance(end, KeyboardInterrupt):
            raise click.Abort from None
        return None


def _is_person() -> bool:
    return sys.stdin is not None and sys.stdin.isatty()


def _answer(line: str, agent: ReadAgent, memory: GistMemory, history: list[Turn], thread: str, **how: Any) -> None:
    try:
        with AnswerStream() as stream:
            answer = agent.ask(memory, Question(line), history=history, thread=thread, listen=stream, **how)
    except NoAnswerError as error:
        echo(f"error: {error}" + (f"\nhint: {error.hint}" if error.hint else ""), err=True)
        return
    stream.finish(memory, answer)
    report_fallbacks(answer.trace.fallbacks)
    history.append(Turn(line, answer.text, answer.up_to))


def _look(line: str, memory: GistMemory) -> None:
    match line.split():
        case ["/page", number] if number.isdigit() and int(number) < len(memory.pages):
            echo(memory.page_text(int(number)).strip())
        case ["/pages"]:
            for page, gist in zip(memory.pages, memory.gists, strict=True):
                echo(f"{page.number}: {gist.text}")
        case _:
            echo(_HELP, err=True)
