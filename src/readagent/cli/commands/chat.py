"""`readagent chat`: several questions about a document or a shelf, with the earlier ones as context."""

from __future__ import annotations

from functools import partial
from typing import Any

import click

from readagent.cli.agents import agent_for_documents, memory_of
from readagent.cli.chat_commands import ENDS, HINT, NAMES, Talk
from readagent.cli.completing import complete_document
from readagent.cli.groups import hint_of
from readagent.cli.offline import report_local
from readagent.cli.options import answer_options, look_up_of, says_how_to_read, shelf_option
from readagent.cli.output import report_spent
from readagent.cli.prompt_line import PromptLine, is_person
from readagent.cli.questions import asked_of
from readagent.cli.screen import echo, style
from readagent.cli.signals import is_ending
from readagent.cli.talk import DocumentSubject, ShelfSubject, Subject
from readagent.core.question import Turn
from readagent.errors import NoAnswerError, ReadAgentError


@click.command(
    epilog="""\b
Examples:
  readagent chat novel.txt
  readagent chat novel.txt --resume
  readagent chat novel.txt --claim
  readagent chat --shelf contracts
  printf 'Who is Irma?\\nWhat does she want?\\n' | readagent chat novel.txt
"""
)
@click.argument("document", required=False, shell_complete=complete_document)
@shelf_option("Talk about all documents on this shelf instead of DOCUMENT.")
@click.option("--compare", is_flag=True, help="With --shelf: answer from one line for each document.")
@click.option(
    "--resume", is_flag=True, help="Continue the last conversation about this document, or what was asked of the shelf."
)
@answer_options
def command(
    document: str | None, shelf: str | None, compare: bool, resume: bool, choices: tuple[str, ...], claim: bool,
    up_to: str | None, whole: bool, as_json: bool, **flags: Any,
) -> None:  # fmt: skip
    """Ask several questions about a document or a shelf. Each is answered in the context of the earlier ones.

    DOCUMENT is a file, a URL, or the title, file name or id of a document in the library. A document that has not been
    read yet is read first. If standard input is not a terminal, its lines are the questions. --choice and --claim apply
    to every line.

    On a terminal, the arrow keys edit the line and bring back earlier questions. /help lists commands: to show pages,
    quotes and the cost, and to write the conversation to a file. Ctrl-C ends an answer, not the conversation.
    """
    if (document is None) == (shelf is None):
        raise click.UsageError("Give either DOCUMENT or --shelf.")
    if shelf is None and compare:
        raise click.UsageError("--compare requires --shelf.")
    if shelf is not None and (up_to is not None or whole or says_how_to_read(flags) or flags["task"]):
        raise click.UsageError("--shelf cannot be used with --up-to, --whole or options for reading.")
    asked = partial(asked_of, choices=choices, claim=claim)
    asked("?")  # an error in the choices ends the command before anything is read
    how = look_up_of(flags)
    with agent_for_documents(document or "", flags=flags) as (agent, library):
        subject: Subject
        if shelf is not None:
            subject = ShelfSubject(agent, library, shelf, as_json=as_json, compare=compare, **how)
        else:
            memory = memory_of(document or "", flags, agent, library, whole=whole)
            subject = DocumentSubject(agent, library, memory, as_json=as_json, **how)
        talk = Talk(subject, asked, subject.earlier() if resume else [], up_to, as_json)
        _show(talk.history)
        if up_to is not None:
            _report_left_out(talk.history, subject.position(up_to))
        if agent.is_local:
            agent.window()  # an offline reader that is not installed is an error before the first question
        if is_person():
            echo(f"{subject.opening}\n{HINT}", err=True)
        if agent.is_local:
            report_local(agent.settings, library, as_json=as_json)
        _converse(talk)
        if is_person() and (subject.calls or talk.stopped):
            report_spent(subject.calls, talk.stopped)


def _converse(talk: Talk) -> None:
    """Answer line after line. What goes wrong with one does not end a conversation with a person."""
    lines = PromptLine([turn.question for turn in talk.history], NAMES)
    while (line := lines.next()) is not None and line.lower() not in ENDS:
        try:
            if line.startswith("/"):
                talk.obey(line)
            elif line:
                talk.ask(line)
        except ReadAgentError as error:
            if not (is_person() or line.startswith("/") or isinstance(error, NoAnswerError)):
                raise
            echo(f"error: {error}" + (f"\nhint: {hint_of(error)}" if error.hint else ""), err=True)
        except KeyboardInterrupt:
            if not is_person() or is_ending():
                raise
            echo("stopped; ask again, or go on with another question", err=True)


def _show(history: list[Turn]) -> None:
    """Show what was said in a conversation that is continued."""
    for turn in history:
        echo(style(f"> {turn.question}", bold=True), err=True)
        echo(turn.answer, err=True)


def _report_left_out(history: list[Turn], up_to: int) -> None:
    """Say that earlier turns are not shown to the model, because they knew more of the text."""
    left_out = sum(turn.up_to is None or turn.up_to > up_to for turn in history)
    if left_out:
        turns = "1 earlier turn" if left_out == 1 else f"{left_out} earlier turns"
        echo(f"note: --up-to leaves out {turns} of the conversation, which knew more of the text", err=True)
