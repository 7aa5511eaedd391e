"""Questions with their passages as word pieces: what the reader is trained on, and what it is tested on.

    python training/examples.py DATA OUT

DATA is a folder with one ``NAME.jsonl.gz`` per set, each line with ``context``, ``question``, ``answer`` and ``start``
(-1 if the context does not answer the question), or with ``options`` and ``key``. OUT becomes a folder with
``pieces.npz`` and ``texts.json.gz``, which ``train.py`` reads.
"""

from __future__ import annotations

import argparse
import gzip
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
from sets import SETS

from readagent.embedded.minilm import WordPiece

TEST_ONLY, TRAIN_ONLY = ("xquad_en",), ("squad11_train", "written")
QUERY, PASSAGE, STRIDE = 48, 268, 134  # word pieces at most, and from one window of a long passage to the next
OPTIONS = 2  # questions about a passage for which the answers of others are given as wrong options
HELD_OUT = 0.1  # share of the contexts of a set that are kept for testing, where the set has no split of its own


@dataclass(slots=True)
class Table:
    """Rows of word pieces, all different; ``add`` returns the number of a row."""

    rows: list[tuple[int, ...]] = field(default_factory=list)
    _known: dict[tuple[int, ...], int] = field(default_factory=dict)

    def add(self, row: tuple[int, ...]) -> int:
        number = self._known.setdefault(row, len(self.rows))
        if number == len(self.rows):
            self.rows.append(row)
        return number

    def arrays(self) -> tuple[np.ndarray, np.ndarray]:
        """Return the rows one after another, and where each begins."""
        begins = np.cumsum([0, *map(len, self.rows)])
        return np.array([number for row in self.rows for number in row], np.uint16), begins.astype(np.int32)


def records(folder: Path, sets: Sequence[str] = SETS) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield every record of the sets with the name of its set."""
    for name in sets:
        with gzip.open(folder / f"{name}.jsonl.gz", "rt", encoding="utf-8") as lines:
            for line in lines:
                yield name, json.loads(line)


def is_test(name: str, record: dict[str, Any]) -> bool:
    """Return whether a record is kept for testing: by the set's own split, or else by its context."""
    if name in TEST_ONLY or name in TRAIN_ONLY:
        return name in TEST_ONLY
    if "split" in record:
        return bool(record["split"] == "test")
    start = " ".join(record["context"].split())[:120]
    return int(sha256(start.encode()).hexdigest()[:8], 16) < HELD_OUT * 16**8


def windows(pieces: list[tuple[int, int, int]]) -> Iterator[tuple[int, int]]:
    """Yield the windows of a passage, as ranges of its word pieces."""
    start = 0
    while True:
        end = min(len(pieces), start + PASSAGE)
        yield start, end
        if end == len(pieces):
            return
        start += STRIDE


def within(pieces: list[tuple[int, int, int]], start: int, end: int) -> tuple[int, int] | None:
    """Return the first and last piece of an answer between two offsets of the text."""
    inside = [number for number, (_, a, b) in enumerate(pieces) if a < end and b > start]
    return (inside[0], inside[-1]) if inside else None


def prepare(data: Path, vocabulary: Path, out: Path) -> None:
    """Write the word pieces of all questions and passages, and who belongs to whom."""
    words = WordPiece(vocabulary)
    queries, passages = Table(), Table()
    spans: list[tuple[int, ...]] = []  # set, test, record, query, passage, first, last (-1: not answered here)
    choices: list[tuple[int, ...]] = []  # set, test, record, passage, query, right
    texts: list[dict[str, Any]] = []  # of the records for testing
    answers: dict[int, list[int]] = {}
    beside: dict[int, list[tuple[int, str, list[tuple[int, int, int]]]]] = {}  # by passage: what is asked about it
    cut: dict[str, list[tuple[int, int, int]]] = {}
    for number, (name, record) in enumerate(records(data)):
        kind, test = SETS.index(name), is_test(name, record)
        if record["context"] not in cut:
            cut[record["context"]] = words.pieces(record["context"])
        pieces = cut[record["context"]]
        asked = words.pieces(record["question"])
        if "options" in record:
            passage = passages.add(tuple(piece for piece, _, _ in pieces[:PASSAGE]))
            for place, option in enumerate(record["options"]):
                query = queries.add(_with_answer(words, asked, option))
                choices.append((kind, test, number, passage, query, place == record["key"]))
            continue
        query = queries.add(tuple(piece for piece, _, _ in asked)[:QUERY])
        start = record["start"]
        answer = within(pieces, start, start + len(record["answer"])) if start >= 0 else None
        if start >= 0 and answer is None:
            continue
        if start >= 0:
            answers[number] = [piece for piece, _, _ in words.pieces(record["answer"])]
        for a, b in windows(pieces):
            first, last = (-1, -1)
            if answer is not None and a <= answer[0] and answer[1] < b:
                first, last = answer[0] - a, answer[1] - a
            passage = passages.add(tuple(piece for piece, _, _ in pieces[a:b]))
            spans.append((kind, test, number, query, passage, first, last))
            if first >= 0 and not test:
                beside.setdefault(passage, []).append((number, record["answer"], asked))
            if test:
                offsets = [(s, e) for _, s, e in pieces[a:b]]
                right = [record["answer"], *([record["ref"]] if "ref" in record else [])]
                texts.append(
                    {"row": len(spans) - 1, "context": record["context"], "offsets": offsets, "answers": right}
                )
    kinds = {row[2]: row[0] for row in spans}
    for passage, known in beside.items():
        for number, answer, asked in known[:OPTIONS]:
            others = [other for other in dict.fromkeys(text for _, text, _ in known) if _differs(other, answer)][:3]
            for place, option in enumerate([answer, *others] if others else []):
                query = queries.add(_with_answer(words, asked, option))
                choices.append((kinds[number], False, number, passage, query, place == 0))
    out.mkdir(parents=True, exist_ok=True)
    query_pieces, query_begins = queries.arrays()
    passage_pieces, passage_begins = passages.arrays()
    numbers = list(answers)
    answer_begins = np.cumsum([0, *(len(answers[number]) for number in numbers)])
    np.savez_compressed(
        out / "pieces.npz", queries=query_pieces, query_begins=query_begins, passages=passage_pieces,
        passage_begins=passage_begins, spans=np.array(spans, np.int32), choices=np.array(choices, np.int32),
        answered=np.array(numbers, np.int32), answer_begins=answer_begins.astype(np.int32),
        answers=np.array([piece for number in numbers for piece in answers[number]], np.uint16),
    )  # fmt: skip
    with gzip.open(out / "texts.json.gz", "wt", encoding="utf-8") as file:
        json.dump(texts, file)
    print(f"{len(queries.rows)} queries, {len(passages.rows)} passages, {len(spans)} spans, {len(choices)} choices")


def _differs(one: str, other: str) -> bool:
    """Return whether two answers are clearly different: they have no word in common."""
    return not set(one.lower().split()) & set(other.lower().split())


def _with_answer(words: WordPiece, asked: list[tuple[int, int, int]], answer: str) -> tuple[int, ...]:
    """Return a question with a possible answer after it, shortened so that the answer stays."""
    own = [piece for piece, _, _ in words.pieces(answer)][: QUERY // 2]
    return (*[piece for piece, _, _ in asked][: QUERY - len(own)], *own)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--vocabulary", type=Path, default=Path(".weights/models/minilm/vocab.txt"))
    options = parser.parse_args()
    prepare(options.data, options.vocabulary, options.out)
