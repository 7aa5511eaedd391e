"""`readagent ask --questions`: a file of questions about one document, answered concurrently."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import click

from readagent.cli.groups import hint_of
from readagent.cli.output import counted, evidence_lines, print_json, report_fallbacks, report_spent
from readagent.cli.screen import echo, style
from readagent.core.memory import GistMemory
from readagent.core.question import Answer, Kind, Question, as_question
from readagent.core.trace import Fallback
from readagent.errors import BadReplyError, NoAnswerError, ReadAgentError, UsageError
from readagent.models.wire import decode
from readagent.records import plain
from readagent.records.answers import FailedQuestion, new_answer
from readagent.sync import ReadAgent

_KINDS: tuple[Kind, ...] = ("free", "choice", "claim")
_OF_RECORDS = (".jsonl", ".ndjson")  # names of files in which every line is a JSON object
_FORM = 'for example {"question": "Who leaves?", "options": ["Ann", "Ben"]}'


@dataclass(frozen=True, slots=True)
class Asked:
    """A question from a file, with its ``id``, if the file gives one."""

    question: Question
    id: str = ""


def asked_of(question: str, choices: Sequence[str], claim: bool) -> Question:
    """Return the question that the arguments of a command describe."""
    if choices and claim:
        raise click.UsageError("--choice and --claim cannot be used together.")
    if len(choices) == 1:
        raise UsageError(
            "a multiple-choice question needs at least two options", hint="give each with -c: -c Ann -c Ben -c neither"
        )
    asked = Question.choice(question, choices) if choices else Question(question, kind="claim" if claim else "free")
    return as_question(asked)  # before anything is read for it


def questions_in(name: str) -> list[Asked]:
    """Return the questions in a file, or on standard input for ``-``: one per line, or one JSON object per line."""
    lines = [(number, line.strip()) for number, line in enumerate(_text(name).splitlines(), 1) if line.strip()]
    if not lines:
        raise UsageError(
            f"there are no questions in {name}", hint="write one question per line, or one JSON object per line"
        )
    records = Path(name).suffix.lower() in _OF_RECORDS or lines[0][1].startswith("{")
    return [_record(line, f"{name}, line {number}") if records else Asked(Question(line)) for number, line in lines]


def answer_all(
    asked: Sequence[Asked], agent: ReadAgent, memory: GistMemory, *, as_json: bool, **how: Any
) -> list[Fallback]:
    """Print the answers in the order of the questions, each as soon as the ones before it are printed.

    If some questions fail, the others are answered, and an error at the end says how many failed.
    """
    printer = Printer(asked, memory, as_json, agent.is_local)
    result = agent.ask_all(memory, [one.question for one in asked], each=printer, **how)
    asking = [call for one in result if isinstance(one, Answer) for call in one.trace.calls]
    report_spent([*memory.trace.calls, *asking])
    failed = sum(isinstance(one, ReadAgentError) for one in result)
    fallbacks = [fallback for one in result if isinstance(one, Answer) for fallback in one.trace.fallbacks]
    if failed:
        report_fallbacks(fallbacks)
        raise NoAnswerError(
            f"{failed} of {counted(len(asked), 'question')} could not be answered",
            hint="run the same command again: the other answers cost nothing",
        )
    return fallbacks


@dataclass(slots=True)
class Printer:
    """Collects results in any order and prints them in the order of the questions."""

    asked: Sequence[Asked]
    memory: GistMemory
    as_json: bool
    offline: bool = False
    _results: dict[int, Answer | ReadAgentError] = field(default_factory=dict)
    _next: int = 0

    def __call__(self, place: int, result: Answer | ReadAgentError) -> None:
        self._results[place] = result
        while self._next in self._results:
            self._print(self.asked[self._next], self._results.pop(self._next))
            self._next += 1
        sys.stdout.flush()

    def _print(self, asked: Asked, result: Answer | ReadAgentError) -> None:
        if self.as_json:
            named = {"id": asked.id} if asked.id else {}
            if isinstance(result, Answer):
                print_json(new_answer(self.memory, result, offline=self.offline), **named)
            else:
                failed = FailedQuestion(asked.question.text, str(result), hint_of(result))
                print_json({**named, **plain(failed)})
            return
        echo(style(asked.question.text.strip(), bold=True))
        if isinstance(result, Answer):
            echo(str(result))
            for line in evidence_lines(self.memory, result):
                echo(line)
        else:
            echo("no answer")
            echo(f"error: {asked.question.text.strip()}: {result}", err=True)
        echo()


def _text(name: str) -> str:
    try:
        data = sys.stdin.buffer.read() if name == "-" else Path(name).read_bytes()
    except OSError as error:
        raise UsageError(f"cannot read {name}: {(error.strerror or str(error)).lower()}") from error
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise UsageError(f"{name} is not UTF-8 (byte {error.start + 1})", hint="save it as UTF-8") from error


def _record(line: str, place: str) -> Asked:
    """Return the question of a JSON line; fields of the benchmark's own format that are not needed are ignored."""
    try:
        fields = decode(line)
    except BadReplyError:
        fields = None
    if not isinstance(fields, dict):
        raise UsageError(f"{place}: it is not a JSON object", hint=_FORM)
    text, options = fields.get("question"), fields.get("options") or []
    usual = "choice" if options else "claim" if isinstance(fields.get("answer"), bool) else "free"
    kind = fields.get("kind") or usual
    if not isinstance(text, str):
        raise UsageError(f'{place}: "question" is missing or not a text', hint=_FORM)
    if kind not in _KINDS:
        raise UsageError(f'{place}: "kind" is not one of {", ".join(_KINDS)}', hint=_FORM)
    if not isinstance(options, list) or not all(isinstance(option, str) for option in options):
        raise UsageError(f'{place}: "options" is not a list of texts', hint=_FORM)
    try:
        question = Question(text, tuple(options), kind)
    except UsageError as error:
        raise UsageError(f"{place}: {error}", hint=error.hint) from error
    return Asked(question, str(fields.get("id") or ""))
