"""Find out how sure the reader may be: the constants of ``readagent/embedded/confidence.py``.

    python training/calibrate.py ADAPTER --data DATA --texts FOLDER --minilm MINILM

DATA is the folder of ``examples.py``: questions of the records that were kept for testing are asked about all contexts
of their set, as if these were one text, and once more without the contexts that have the answer. FOLDER has
``questions.jsonl`` and ``texts``, as ``benchmarks/offline.py`` reads them; use no questions that are reported. Either
may be missing. Passages are found and read as the offline reader does.

The weights are those with the highest likelihood of the right extracts, or of none where none is right. An extract is
a short answer from the certainty on from which at most 5 % of all questions get a wrong one, of those whose extract
fits the question; nothing is found where at most 2 % of the questions with an answer are lost.
"""

from __future__ import annotations

import argparse
import json
import random
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from examples import is_test, records
from overlap import overlap

from readagent.embedded.decide import fits
from readagent.embedded.extracts import group_extracts
from readagent.embedded.minilm import MiniLM
from readagent.embedded.reader import Found, Reader
from readagent.retrieval.bm25 import passage_sentences, passages
from readagent.retrieval.evidence import READ, Evidence, Passage

SETS = ("fairytaleqa", "friendsqa", "molweni_test", "tydiqa_en", "covidqa")
WRONG, LOST = 0.05, 0.02
_PLAIN = re.compile(r"[^\w\s]|\b(?:a|an|the)\b")


@dataclass(slots=True)
class Asked:
    """A question with what was found in its passages, and which of that is right."""

    source: str
    question: str
    answerable: bool
    passages: list[Passage]
    found: list[Found]
    right: np.ndarray

    @property
    def inputs(self) -> np.ndarray:
        pairs = zip(self.found, self.passages, strict=True)
        return np.array([(one.answered, np.log(max(one.likely, 1e-6)), near.score, 1.0) for one, near in pairs])


class Text:
    """Pages with an index of their passages."""

    def __init__(self, pages: list[str], minilm: MiniLM) -> None:
        split, flat = [passage_sentences(page) for page in pages], [one for page in pages for one in passages(page)]
        rows = np.concatenate([minilm.embed(flat[at : at + 64]) for at in range(0, len(flat), 64)])
        self.pages, self._minilm, self._evidence = pages, minilm, Evidence(pages, split, rows)

    def nearest(self, question: str, pages: list[int] | None = None) -> list[Passage]:
        return self._evidence.nearest(question, self._minilm.embed([question])[0], most=READ, pages=pages)


def from_sets(folder: Path, most: int, rng: random.Random) -> Iterator[tuple[str, list[dict[str, Any]]]]:
    """Yield each set with some of its records that were not trained on."""
    found: dict[str, list[dict[str, Any]]] = {name: [] for name in SETS}
    for name, record in records(folder, SETS):
        if is_test(name, record) and record.get("start", -1) >= 0:
            found[name].append(record)
    for name, some in found.items():
        yield name, rng.sample(some, min(most, len(some)))


def ask_sets(folder: Path, most: int, minilm: MiniLM, reader: Reader, rng: random.Random) -> Iterator[Asked]:
    """Ask the questions of the sets, with and without the contexts that answer them."""
    for name, chosen in from_sets(folder, most, rng):
        text = Text(list(dict.fromkeys(record["context"] for record in chosen)), minilm)
        for record in chosen:
            right = _same_as(record["answer"])
            yield read(name, True, record["question"], text.nearest(record["question"]), reader, right)
            others = [page for page, own in enumerate(text.pages) if record["answer"] not in own]
            yield read(name, False, record["question"], text.nearest(record["question"], others), reader, right)
        print(f"{name}: {len(chosen)} questions", flush=True)


def ask_texts(folder: Path, minilm: MiniLM, reader: Reader) -> Iterator[Asked]:
    """Ask the questions about whole texts."""
    rows = [json.loads(line) for line in (folder / "questions.jsonl").read_text("utf-8").splitlines()]
    for name in dict.fromkeys(row["text"] for row in rows):
        text = Text([(folder / "texts" / f"{name}.txt").read_text("utf-8")], minilm)
        own = [row for row in rows if row["text"] == name and row["kind"] in ("answerable", "unanswerable")]
        for row in own:
            answerable = row["kind"] == "answerable"
            passages = text.nearest(row["question"])
            yield read(name, answerable, row["question"], passages, reader, has_one_of(row.get("answers", [])))
        print(f"{name}: {len(own)} questions", flush=True)


def read(
    source: str, answerable: bool, question: str, passages: list[Passage], reader: Reader, right: Callable[[str], bool]
) -> Asked:
    """Return what the reader finds in passages; nothing is right if the question has no answer there."""
    found = reader.find(question, [passage.text for passage in passages])
    texts = [passage.text[one.start : one.end] for passage, one in zip(passages, found, strict=True)]
    return Asked(
        source, question, answerable, passages, found, np.array([answerable and right(text) for text in texts])
    )


def _fits(one: Asked, place: int) -> bool:
    found = one.found[place]
    text = one.passages[place].text
    return fits(one.question, text[found.start : found.end], text)


def _same_as(answer: str) -> Callable[[str], bool]:
    return lambda text: overlap(text, answer) >= 0.5 or answer in text


def has_one_of(answers: list[str]) -> Callable[[str], bool]:
    def plain(text: str) -> str:
        return f" {' '.join(_PLAIN.sub(' ', text.lower()).split())} "

    return lambda text: any(plain(answer) in plain(text) for answer in answers)


def chances(inputs: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Return how likely each extract is right; what is missing to 1 is the chance that none is."""
    values = inputs @ weights
    shares = np.exp(values - max(0.0, values.max()))
    return np.asarray(shares / (shares.sum() + np.exp(-max(0.0, values.max()))))


def fitted(some: list[Asked], steps: int = 1000, rate: float = 0.3) -> np.ndarray:
    """Return the weights of the inputs with the highest likelihood, by gradient descent."""
    weights = np.array([0.5, 0.3, 0.1, -1.0])
    inputs = [one.inputs for one in some]
    for _ in range(steps):
        slope = np.zeros_like(weights)
        for one, own in zip(some, inputs, strict=True):
            likely = chances(own, weights)
            wanted = np.where(one.right, likely, 0)
            slope += own.T @ (likely - (wanted / wanted.sum() if one.right.any() else wanted))
        weights -= rate * slope / len(some)
    return weights


def main(options: argparse.Namespace) -> None:
    """Read, fit, and print the constants and what they mean."""
    minilm, reader = MiniLM(options.minilm), Reader(options.minilm, options.adapter)
    some: list[Asked] = []
    if options.data:
        some += ask_sets(options.data, options.questions, minilm, reader, random.Random(options.seed))
    if options.texts:
        some += ask_texts(options.texts, minilm, reader)
    some = [one for one in some if one.passages]
    weights = fitted(some)
    grouped = [group_extracts(list(zip(one.passages, one.found, strict=True)), chances(one.inputs, weights).tolist())
               for one in some]  # fmt: skip
    best = np.array([groups[0][1] for groups in grouped])
    right = np.array([bool(one.right[groups[0][0]]) for one, groups in zip(some, grouped, strict=True)])
    none = np.array([1 - chances(one.inputs, weights).sum() for one in some])
    answerable = np.array([one.answerable for one in some])
    fit = [_fits(one, groups[0][0]) for one, groups in zip(some, grouped, strict=True)]
    wrong = ~right & np.array(fit)
    sure = min((float(one) for one in best if (wrong & (best >= one)).mean() <= WRONG), default=1.0)
    absent = float(np.quantile(none[answerable], 1 - LOST))
    print(f"SURE = {sure:.2f}\n_ABSENT = {absent:.2f}")
    print("_ANSWERED, _LIKELY, _NEARNESS, _SHIFT =", ", ".join(f"{weight:.2f}" for weight in weights))
    for source in dict.fromkeys(one.source for one in some):
        own = np.array([one.source == source for one in some])
        asked, absent_here = own & answerable, own & ~answerable
        line = f"{source}: {asked.sum()} questions, best extract right {100 * right[asked].mean():.0f} %, "
        line += f"wrong as a short answer {100 * (wrong & (best >= sure))[asked | absent_here].mean():.0f} % of all"
        print(line)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("adapter", type=Path)
    parser.add_argument("--data", type=Path)
    parser.add_argument("--texts", type=Path)
    parser.add_argument("--minilm", type=Path, default=Path(".weights/models/minilm"))
    parser.add_argument("--questions", type=int, default=16, help="of each set")
    parser.add_argument("--seed", type=int, default=1)
    main(parser.parse_args())
