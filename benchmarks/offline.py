"""The offline reader judged by a key: is the right passage shown, and is a short answer right where one is given?

``--data`` is a folder with ``questions.jsonl`` (ours are in ``offline_questions``) and ``texts/NAME.txt``. A line has
the name of its ``text``, a ``question`` and a ``kind``. For an ``answerable`` question ``answers`` are the wordings
that count as right, and ``evidence``, if given, what a right passage has one of; an ``unanswerable`` question has
neither. Other kinds are left out.

A short answer is right if it has one of the answers, word for word apart from case, punctuation and articles; on a
question without an answer, every one is wrong. A passage is right if it has one of the pieces of evidence, or else of
the answers, likewise. Nothing was tuned on these questions. Without the data, or with ``--quick``, a few questions
about a small text stand in, which measure nothing but that it works.
"""

from __future__ import annotations

import asyncio
import json
import re
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from statistics import fmean
from time import perf_counter, process_time
from typing import Any

from common import Rows, Value, arguments, dataset, manifest, print_figures, write_results
from embedded_setup import Setup, plan_for, weights

from readagent.core.question import Answer, Question
from readagent.library import Library

_TEXT = """The ferry at Orr was built in 1911 by Tomas Brandt, who had never seen the sea. It carried forty people.

His daughter Ilse kept the accounts in a green book, and the green book says that the ferry never once made a profit.

In the flood of 1934 the cable broke. Ilse rowed out alone and brought back all eleven passengers, two at a time."""
_QUESTIONS: tuple[dict[str, Any], ...] = (
    {"question": "Who built the ferry?", "kind": "answerable", "answers": ["Tomas Brandt"]},
    {"question": "How many passengers did Ilse bring back?", "kind": "answerable", "answers": ["eleven"]},
    {"question": "What was the name of the dog?", "kind": "unanswerable"},
)
_PLAIN = re.compile(r"[^\w\s]|_|\b(?:a|an|the)\b")


@dataclass(frozen=True, slots=True)
class Judged:
    """A question with its answer, judged by the key; ``place`` is that of the first right passage, counted from 1."""

    text: str
    answerable: bool
    short: bool
    right: bool
    place: int
    passages: int
    seconds: float
    cpu: float


def contains(text: str, answers: Sequence[str]) -> bool:
    """Return whether a text contains one of the answers, whole words of it, whatever their case and punctuation."""
    padded = f" {' '.join(_PLAIN.sub(' ', text.lower()).split())} "
    return any(f" {' '.join(_PLAIN.sub(' ', answer.lower()).split())} " in padded for answer in answers)


def judged(record: dict[str, Any], answer: Answer, seconds: float, cpu: float) -> Judged:
    """Return whether an answer is right by the key of its record."""
    answers = record.get("answers", [])
    held = [contains(quote.text, record.get("evidence") or answers) for quote in answer.quotes]
    place = held.index(True) + 1 if True in held else 0
    short, right = answer.found_in_text, answer.found_in_text and contains(answer.text, answers)
    answerable = record["kind"] == "answerable"
    return Judged(str(record["text"]), answerable, short, right, place, len(held), seconds, cpu)


def summary(name: str, some: Sequence[Judged]) -> dict[str, Value]:
    """Return the row of a text, or of all."""
    asked = [one for one in some if one.answerable]
    return {
        "text": name,
        "questions": len(some),
        "short answers": sum(one.short for one in some),
        "wrong, of all": _share([one.short and not one.right for one in some]),
        "with an answer": len(asked),
        "right passage first": _share([one.place == 1 for one in asked]),
        "first or second": _share([one.place in (1, 2) for one in asked]),
        "passages shown": fmean(one.passages for one in some),
        "CPU seconds a question": fmean(one.cpu for one in some),
    }


def _share(values: Sequence[bool]) -> float:
    return 100 * fmean(values)


async def measure(records: Sequence[dict[str, Any]], texts: dict[str, str], setup: Setup) -> tuple[list[Judged], float]:
    """Return every question judged, and the words that were read in a CPU second."""
    found, words, cpu = [], 0, 0.0
    for name, text in texts.items():
        plan, began = plan_for(text), process_time()
        memory = await setup.read(text, plan)
        words, cpu = words + memory.full_words, cpu + process_time() - began
        for record in records:
            if record["text"] == name:
                begun, used = perf_counter(), process_time()
                answer = await setup.ask(memory, Question(record["question"]), plan)
                found.append(judged(record, answer, perf_counter() - begun, process_time() - used))
                one = found[-1]
                print(f"{name}: {record['question']} -> {answer.text[:80]} {one.right} {one.place}", file=sys.stderr)
    await setup.model.aclose()
    return found, words / max(cpu, 1e-9)


def main() -> None:
    options = arguments(__doc__)
    folder, file = weights(), dataset(options.data, "questions.jsonl")
    if folder is None:
        print("nothing is measured: get the weights with: readagent model pull", file=sys.stderr)
        print_figures({"measured": 0})
        return
    own = options.quick or file is None
    records: list[dict[str, Any]] = [{"text": "ferry", **one} for one in _QUESTIONS]
    texts = {"ferry": _TEXT}
    if not own and file is not None:
        records = [json.loads(line) for line in file.read_text("utf-8").splitlines() if line.strip()]
        records = [one for one in records if one["kind"] in ("answerable", "unanswerable")]
        names = dict.fromkeys(str(one["text"]) for one in records)
        texts = {name: (file.parent / "texts" / f"{name}.txt").read_text("utf-8") for name in names}
    with (
        tempfile.TemporaryDirectory(prefix="readagent-benchmark-") as place,
        Library(options.cache or Path(place) / "cache.db") as library,
    ):
        setup = Setup.open(folder, library)
        found, speed = asyncio.run(measure(records, texts, setup))
        made = manifest(numpy=version("numpy"), model=setup.model.name)
    rows: Rows = [summary(name, [one for one in found if one.text == name]) for name in texts]
    whole = summary("all", found)
    if not own:
        write_results("offline", "The offline reader, by a key", {"Questions": [*rows, whole]}, made)
    figures = {
        f"offline_{name.replace(',', '').replace(' ', '_')}".lower(): value
        for name, value in whole.items()
        if name != "text"
    }
    print_figures(
        {**figures, "offline_words_a_cpu_second": speed, "offline_seconds": fmean(one.seconds for one in found)}
    )


if __name__ == "__main__":
    main()
