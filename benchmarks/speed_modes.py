"""The modes of reading compared: page lengths, positions of pauses, and answers of the embedded reader.

Texts are the story sample (if the data have it), our own story and meeting, and the opening of a book without its
headings, to see whether pages start where its sections do. The embedded reader decides by measuring, not by generating
text: also in one pass it decides pause by pause, from the same labels and within the same window. It answers without
its language model, from evidence alone, so that only reading and look-up make a difference.
"""

from __future__ import annotations

import asyncio
import json
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import fmean, pstdev

from common import ROOT, Rows, Value, dataset
from embedded_reading import BOOK, chapters, without_headings

from readagent.core.document import Document
from readagent.core.memory import GistMemory
from readagent.core.model import Model
from readagent.core.pages.breaks import PageBreaks
from readagent.core.plan import Plan, preset
from readagent.core.prompts import Prompts
from readagent.core.question import Question
from readagent.core.reading import ask, read
from readagent.core.session import Session
from readagent.core.trace import Trace
from readagent.library import Library
from readagent.testing.scripted import Skimmer

_PLAN = preset("articles")
_WAYS = {
    "two steps": _PLAN,
    "one pass": replace(_PLAN, mode="fast"),
    "uniform pages": replace(_PLAN, pauses="uniform").scaled(460),
}


@dataclass(frozen=True, slots=True)
class Sample:
    """A text, its multiple-choice questions, and the right letters."""

    document: Document
    asked: tuple[tuple[Question, str], ...] = ()


def stories(data: Path | None) -> list[Sample]:
    """Return the story sample, and our own story and meeting."""
    found = []
    file = dataset(data, "quality/QuALITY.sample.dev.jsonl")
    for line in file.read_text("utf-8").splitlines() if file is not None else ():
        record = json.loads(line)
        asked = [(Question.choice(one["question"], one["options"]), one["gold_label"]) for one in record["questions"]]
        found.append(
            Sample(Document.from_text(record["article"]), tuple((q, q.letters[gold - 1]) for q, gold in asked))
        )
    for name in ("story", "meeting"):
        lines = (ROOT / "examples" / f"{name}.questions.jsonl").read_text("utf-8").splitlines()
        own = [one for one in map(json.loads, lines) if one["kind"] == "choice"]
        asked = [(Question.choice(one["question"], one["options"]), one["answer"].strip("()")) for one in own]
        found.append(Sample(Document.from_text((ROOT / "examples" / f"{name}.txt").read_text("utf-8")), tuple(asked)))
    return found


def modes_side_by_side(
    data: Path | None, folder: Path | None, cache: Path | None, *, quick: bool
) -> tuple[dict[str, Rows | str], dict[str, Value]]:
    """Return the tables and the figures; ``folder`` has the embedded weights, ``cache`` keeps vectors."""
    model: Model = Skimmer()
    if folder is not None:
        from embedded_setup import Setup

        model = Setup.open(folder, Library.in_memory() if cache is None else Library(cache)).model
    texts = stories(data)[-1:] if quick else stories(data)
    name = "the scripted model" if folder is None else "the embedded reader"
    rows = [asyncio.run(_row(way, plan, texts, model, data, answers=folder is not None)) for way, plan in _WAYS.items()]
    figures: dict[str, Value] = {}
    for row in rows:
        label = str(row["way"]).replace(",", "").replace(" ", "_")
        for column, figure in (("words a page", "page_words"), ("at paragraph ends", "at_paragraph_ends"),
                              ("scene ends met", "scene_ends_met"), ("accuracy", "accuracy")):  # fmt: skip
            figures |= {f"{label}_{figure}": row[column]} if column in row else {}
    return {f"The ways side by side, read by {name} ({len(texts)} texts)": rows}, figures


async def _row(
    way: str, plan: Plan, texts: list[Sample], model: Model, data: Path | None, *, answers: bool
) -> dict[str, Value]:
    sizes: list[int] = []
    at_ends, pauses, scenes, met, right, questions, moved, words_read, words = 0, 0, 0, 0, 0, 0, 0, 0, 0
    for sample in texts:
        session = _reader(model, plan)
        memory = await read(sample.document, session)
        text, starts = PageBreaks(sample.document, plan), {page.start for page in memory.pages[1:]}
        ends = {paragraph.start for paragraph in sample.document.paragraphs}
        breaks = {cut for cut in ends if cut and text.ends_scene(cut)}
        near = breaks | {
            _before(sample.document, cut) for cut in breaks
        }  # a page may also start after the row of stars
        sizes += [page.words for page in memory.pages[:-1]]
        at_ends, pauses = at_ends + len(starts & ends), pauses + len(starts)
        scenes, met = scenes + len(breaks), met + len(starts & near)
        moved, words_read = moved + len(session.trace.fallbacks), words_read + session.trace.words_read
        words += sample.document.words
        if answers:
            right += await _right(memory, sample, model)
            questions += len(sample.asked)
    row: dict[str, Value] = {
        "way": way,
        "words a page": fmean(sizes),
        "deviation": pstdev(sizes),
        "shortest": min(sizes),
        "longest": max(sizes),
        "at paragraph ends": 100 * at_ends / pauses,
        "scene ends met": 100 * met / max(1, scenes),
        "words read": words_read / words,
        "fallbacks": moved,
    }
    if answers:
        row |= {"accuracy": 100 * right / questions, "questions": questions}
    if answers and (file := dataset(data, f"books/{BOOK}.md")) is not None:
        row["section starts met"] = await _sections_met(file, plan, model)
    return row


def _before(document: Document, cut: int) -> int:
    stars = document.paragraph_at(cut - 1)
    return stars.start if stars is not None else cut


async def _right(memory: GistMemory, sample: Sample, model: Model) -> int:
    """Count the questions that are answered correctly."""
    count = 0
    for question, letter in sample.asked:
        answer = await ask(memory, question, _reader(model, replace(_PLAN, quotes=False)))
        count += answer.choice == letter
    return count


async def _sections_met(file: Path, plan: Plan, model: Model) -> float:
    """Return the percentage of section starts of a book without headings at which a page starts."""
    text, starts = without_headings(chapters(file, 15_500))
    memory = await read(Document.from_text(text), _reader(model, plan))
    return 100 * len({page.start for page in memory.pages} & set(starts)) / len(starts)


def _reader(model: Model, plan: Plan) -> Session:
    return Session(model, Prompts.load(), plan, trace=Trace(keep_text=False))
