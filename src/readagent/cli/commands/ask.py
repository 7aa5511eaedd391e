"""`readagent ask`: one question about one document or a shelf of them, or a file of questions."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from readagent.cli.agents import agent_for_documents, memory_of
from readagent.cli.completing import complete_document
from readagent.cli.offline import report_local, report_question_language
from readagent.cli.options import answer_options, look_up_of, says_how_to_read, shelf_option
from readagent.cli.output import print_json, report_fallbacks, report_spent
from readagent.cli.overviews import report_kept
from readagent.cli.questions import answer_all, asked_of, questions_in
from readagent.cli.shelf_answer import answer_from_shelf
from readagent.cli.streaming import AnswerStream
from readagent.core.question import Question
from readagent.records.answers import new_answer


@click.command(
    epilog="""\b
Examples:
  readagent ask novel.txt "Who is Irma?" --up-to "Chapter 4"
  readagent ask novel.txt "Who holds the key?" -c Jakob -c Irma
"""
)
@click.argument("document", required=False, shell_complete=complete_document)
@click.argument("question", required=False)
@shelf_option("Ask all documents on this shelf instead of DOCUMENT.")
@click.option("--compare", is_flag=True, help="With --shelf: answer from one line for each document.")
@click.option("--questions", metavar="FILE", help="Ask the questions in FILE, one on each line (-: stdin).")
@answer_options
def command(
    document: str | None, question: str | None, shelf: str | None, compare: bool, questions: str | None,
    choices: tuple[str, ...], claim: bool, up_to: str | None, whole: bool, as_json: bool, **flags: Any,
) -> None:  # fmt: skip
    """Ask about a document (a file, a URL, or one in the library) or a shelf.

    A document that has not been read yet is read first.
    """
    how = look_up_of(flags)
    if shelf is not None:
        if document is None or question is not None or questions is not None or up_to is not None:
            raise click.UsageError(
                "--shelf requires a QUESTION and cannot be used with DOCUMENT, --questions or --up-to."
            )
        if says_how_to_read(flags) or flags["task"]:
            raise click.UsageError(
                "--shelf cannot be used with options for reading; give these to `readagent shelf add`."
            )
        if whole:
            raise click.UsageError("--shelf cannot be used with --whole; read the pages with --whole first.")
        answer_from_shelf(shelf, asked_of(document, choices, claim), flags, as_json=as_json, compare=compare, **how)
        return
    if compare:
        raise click.UsageError("--compare requires --shelf.")
    if document is None:
        raise click.UsageError("Missing argument 'DOCUMENT' or --shelf.")
    if question is None and questions is None:
        raise click.UsageError("Missing argument 'QUESTION' or --questions.")
    if questions is not None and (question is not None or choices or claim):
        raise click.UsageError("--questions cannot be used with QUESTION, --choice or --claim.")
    looks_asked = " " in document or document.endswith("?")
    if question is not None and looks_asked and not Path(document).exists() and Path(question).is_file():
        document, question = question, document  # they were given the other way round
    asked = asked_of(question, choices, claim) if question is not None else questions_in(questions or "")
    with agent_for_documents(document, flags=flags) as (agent, library):
        memory = memory_of(document, flags, agent, library, whole=whole)
        if isinstance(asked, Question):
            with AnswerStream(quiet=as_json or agent.is_local) as stream:
                answer = agent.ask(memory, asked, listen=stream, up_to=up_to, **how)
            if as_json:
                print_json(new_answer(memory, answer, offline=agent.is_local))
            else:
                stream.finish(memory, answer)
            report_spent([*memory.trace.calls, *answer.trace.calls])
            fallbacks = answer.trace.fallbacks
            if answer.over_all and not agent.is_local:
                report_kept(fallbacks)
        else:
            fallbacks = answer_all(asked, agent, memory, as_json=as_json, up_to=up_to, **how)
        report_fallbacks(fallbacks)
        if agent.is_local:
            report_local(agent.settings, library, as_json=as_json)
            asks = [asked.text] if isinstance(asked, Question) else [one.question.text for one in asked]
            report_question_language(asks)
