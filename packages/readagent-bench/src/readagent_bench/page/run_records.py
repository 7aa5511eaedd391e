"""Benchmark runs as clients get them: figures of methods, questions with verdicts, and what was behind an answer."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, Literal

import msgspec

from readagent_bench.folder import Key, RunFolder
from readagent_bench.metrics import contains, correct, rouge
from readagent_bench.records import Prediction, Reading
from readagent_bench.report.comparison import LoadedRun

RunState = Literal["right", "half", "wrong", "unrated"]
_STATES: Mapping[str, RunState] = {"exact": "right", "partial": "half", "none": "wrong"}
_MEMORY = re.compile(r"<memory>\n(.*?)\n</memory>", re.S)
_PAGE = re.compile(r"^<(?:Page|Part) (\d+)>\n", re.M)


class RunInList(msgspec.Struct, frozen=True):
    """A run in a folder of runs."""

    name: str
    dataset: str
    split: str
    model: str
    methods: list[str]
    documents: int
    questions: int
    state: str
    started: str


class Figure(msgspec.Struct, frozen=True):
    """A mean, and its 95 % interval over documents, where there are several."""

    mean: float
    low: float | None
    high: float | None


class MethodRecord(msgspec.Struct, frozen=True):
    """The figures of a method; ``totals`` are for one run."""

    method: str
    title: str
    questions: int
    failed: int
    measures: dict[str, Figure]
    totals: dict[str, float | None]


class Verdict(msgspec.Struct, frozen=True):
    """How a method did on a question, in one repetition."""

    method: str
    run: int
    state: RunState
    verdict: str
    fallbacks: int


class QuestionInRun(msgspec.Struct, frozen=True):
    """A question of a run with all verdicts. ``wrong``: some method is; ``split``: methods disagree."""

    id: str
    case: str
    example: str
    group: str
    question: str
    wrong: bool
    split: bool
    fallback: bool
    verdicts: list[Verdict]


class RunRecord(msgspec.Struct, frozen=True):
    """A run: what it was made with, the figures of its methods, and its questions."""

    name: str
    manifest: dict[str, Any]
    methods: list[MethodRecord]
    questions: list[QuestionInRun]


class RunPage(msgspec.Struct, frozen=True):
    """A page as the model saw it: its gist, and its text if it was opened. ``evidence``: it matters to the question."""

    number: int
    gist: str
    text: str | None
    opened: bool
    evidence: bool


class RunCall(msgspec.Struct, frozen=True):
    """A call to the model."""

    step: str
    prompt: str
    reply: str


class Attempt(msgspec.Struct, frozen=True, kw_only=True):
    """What a method did on a question. ``missed`` are pages that matter and were not opened."""

    method: str
    title: str
    run: int
    answer: str
    choice: str | None
    state: RunState
    verdict: str
    error: str
    pages: list[RunPage]
    opened: list[int]
    missed: list[int]
    calls: list[RunCall]
    fallbacks: list[str]
    notes: list[str]
    spent: dict[str, float | None]


class QuestionRecord(msgspec.Struct, frozen=True):
    """A question of a run, its key, and what every method did."""

    id: str
    case: str
    question: str
    options: list[str]
    key: str
    attempts: list[Attempt]


def run_in_list(name: str, folder: RunFolder) -> RunInList:
    """Return a run for a list."""
    known = {"state": "", "started": "", "split": "", **folder.manifest()}
    return msgspec.convert({**known, "name": name}, RunInList, strict=False)


def run_record(name: str, run: LoadedRun) -> RunRecord:
    """Return a run with its figures and questions."""
    methods = [
        MethodRecord(
            row.method,
            row.title,
            row.counts.get("questions", 0),
            row.failed,
            {name: Figure(one.mean, one.low, one.high) for name, one in row.measures.items()},
            dict(row.totals),
        )
        for row in run.rows
    ]
    grades, by_question = _grades(run), dict[str, list[Prediction]]()
    for prediction in run.predictions:
        by_question.setdefault(question_id(prediction.case, prediction.example), []).append(prediction)
    return RunRecord(name, run.manifest, methods, [_in_run(some, grades) for some in by_question.values()])


def question_record(wanted: str, folder: RunFolder, run: LoadedRun) -> QuestionRecord | None:
    """Return a question with what every method did, prompts and replies included; None if there is none."""
    predictions = [one for one in run.predictions if question_id(one.case, one.example) == wanted]
    if not predictions:
        return None
    first, grades = predictions[0], _grades(run)
    readings = {reading.key: reading for reading in run.readings}
    calls = {tuple(line["key"]): line["calls"] for line in folder.traces(first.case) if not line["reading"]}
    order = [row.method for row in run.rows]
    predictions.sort(key=lambda one: (order.index(one.method), one.run))
    attempts = [_attempt(one, grades, calls.get(one.key, []), readings) for one in predictions]
    key = first.gold or " / ".join(first.references)
    return QuestionRecord(wanted, first.case, first.question, list(first.options), key, attempts)


def _grades(run: LoadedRun) -> dict[Key, str]:
    return {key: rating.grade for key, rating in run.ratings.items()}


def _in_run(some: Sequence[Prediction], grades: Mapping[Key, str]) -> QuestionInRun:
    first = some[0]
    verdicts = [Verdict(one.method, one.run, *_verdict(one, grades), len(one.fallbacks)) for one in some]
    states = {one.state for one in verdicts}
    return QuestionInRun(
        question_id(first.case, first.example), first.case, first.example, first.group, first.question,
        "wrong" in states, len(states) > 1, any(one.fallbacks for one in verdicts), verdicts,
    )  # fmt: skip


def question_id(case: str, example: str) -> str:
    """Return the id of a question within a run."""
    return f"{case}~{example}"


def _verdict(one: Prediction, grades: Mapping[Key, str]) -> tuple[RunState, str]:
    """Return the state (right, wrong, half, unrated) and a few words about it."""
    if one.error:
        return "wrong", "failed"
    if one.gold:
        return ("right", "right") if correct(one) else ("wrong", f"wrong: the key is {one.gold}")
    if not one.text.strip():
        return "wrong", "no answer"
    if grade := grades.get(one.key):
        return _STATES.get(grade, "unrated"), grade
    if contains(one):
        return "right", "contains the key"
    return "unrated", f"ROUGE-L {rouge(one)['rougeL']:.2f}" if one.references else ""


def _attempt(
    one: Prediction, grades: Mapping[Key, str], calls: Sequence[Mapping[str, Any]], readings: Mapping[Key, Reading]
) -> Attempt:
    state, text = _verdict(one, grades)
    opened, relevant = list(one.pages or ()), set(one.relevant or ())
    return Attempt(
        method=one.method,
        title=one.title,
        run=one.run,
        answer=one.text,
        choice=one.choice,
        state=state,
        verdict=text,
        error=one.error,
        pages=_shown_pages([str(call["prompt"]) for call in calls], opened, relevant),
        opened=opened,
        missed=sorted(relevant - set(opened)) if one.pages is not None else [],
        calls=[RunCall(call["step"], call["prompt"], call["reply"]) for call in calls],
        fallbacks=[*one.fallbacks, *_of_reading(one, readings)],
        notes=list(one.notes),
        spent=dict(one.spent),
    )


def _of_reading(one: Prediction, readings: Mapping[Key, Reading]) -> Sequence[str]:
    reading = readings.get(one.key) or readings.get((*one.key[:3], ""))
    return reading.fallbacks if reading is not None else ()


def _shown_pages(prompts: Sequence[str], opened: Sequence[int], relevant: set[int]) -> list[RunPage]:
    """Return the pages as the first prompt has them, with the text of those that the last prompt has in full.

    A method that shows the model some pages and nothing else numbers them from 0 in its prompt: they are the opened
    ones, in the order of the text.
    """
    memories = [_tagged(found[1]) for prompt in prompts if (found := _MEMORY.search(prompt))]
    if not memories:
        return []
    first, last = memories[0], memories[-1]
    if len(first) == len(opened) and all(one == first for one in memories):
        own = zip(sorted(opened), first.values(), strict=True)
        return [RunPage(number, "", text, True, number in relevant) for number, text in own]
    return [
        RunPage(number, gist, last.get(number) if number in opened else None, number in opened, number in relevant)
        for number, gist in first.items()
    ]


def _tagged(memory: str) -> dict[int, str]:
    """Return the pages of a memory by their number."""
    _, *pieces = _PAGE.split(memory)
    return {int(number): text.strip() for number, text in zip(pieces[::2], pieces[1::2], strict=True)}
