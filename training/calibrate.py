"""Find out how sure the reader may be: the constants of ``readagent/embedded/confidence.py``.

    python training/calibrate.py DATA MINILM ADAPTER --questions 60

DATA is the folder of ``examples.py``, MINILM the folder with the weights of MiniLM. For each question of the records
that were kept for testing, the reader gets the nearest passages of its set, once with the passage that answers it and
once without. A logistic curve is fitted to "the best extract is right" over the highest logit, with one question in
five not answered. The thresholds are chosen on its probabilities: an extract is worth giving, and may be shown as
certain, where at least 35 % and 70 % are right; the text is assumed not to say where at most 2 % of the questions that
are answered are lost.
"""

from __future__ import annotations

import argparse
import random
from collections import defaultdict
from pathlib import Path
from typing import Any

import numpy as np
from examples import is_test, records
from overlap import overlap

from readagent.embedded.minilm import MiniLM
from readagent.embedded.reader import Reader
from readagent.retrieval.passages import passage_spans

SETS = ("fairytaleqa", "friendsqa", "molweni_test", "tydiqa_en", "squad11_routerlens", "covidqa")
READ = 12  # passages, as in readagent/embedded/model.py
WORDS = 100
ABSENT = 0.2  # share of the questions that the text does not answer
FOUND, SURE, LOST = 0.35, 0.7, 0.02


def held_out(folder: Path, questions: int, rng: random.Random) -> dict[str, list[dict[str, Any]]]:
    """Return records of each set that were not trained on."""
    found = defaultdict(list)
    for name, record in records(folder):
        if name in SETS and is_test(name, record) and record.get("start", -1) >= 0:
            found[name].append(record)
    return {name: rng.sample(found[name], min(questions, len(found[name]))) for name in SETS}


def read_set(chosen: list[dict[str, Any]], minilm: MiniLM, reader: Reader) -> list[tuple[float, float, float]]:
    """Return for each question the highest logit, whether that extract is right, and the same without its passage."""
    cut = {text: passage_spans(text, WORDS) for text in {record["context"] for record in chosen}}
    passages = [(text, a, b) for text, spans in cut.items() for a, b in spans]
    rows = minilm.embed([text[a:b] for text, a, b in passages])
    found = []
    for record in chosen:
        start, end = record["start"], record["start"] + len(record["answer"])
        near = np.argsort(-(rows @ minilm.embed([record["question"]])[0]))
        own = [
            i for i in near if passages[i][0] == record["context"] and passages[i][1] < end and start < passages[i][2]
        ]
        others = [i for i in near if record["answer"] not in passages[i][0][passages[i][1] : passages[i][2]]]
        places = [*own[:1], *others[: READ - 1]]
        if not own:
            continue
        texts = [passages[i][0][passages[i][1] : passages[i][2]] for i in places]
        answers = reader.find(record["question"], texts)
        best = max(range(len(texts)), key=lambda i: answers[i].answered)
        extract = texts[best][answers[best].start : answers[best].end]
        right = best == 0 and (overlap(extract, record["answer"]) >= 0.5 or record["answer"] in extract)
        without = max((one.answered for one in answers[1:]), default=-10.0)
        found.append((answers[best].answered, float(right), without))
    return found


def fitted(logits: np.ndarray, right: np.ndarray, weights: np.ndarray) -> tuple[float, float]:
    """Return slope and shift of the logistic curve with the highest likelihood, by Newton's method."""
    inputs = np.stack([logits, np.ones_like(logits)], 1)
    curve = np.array([0.5, 0.0])
    for _ in range(50):
        likely = 1 / (1 + np.exp(-inputs @ curve))
        slope = inputs.T @ (weights * (right - likely)) - 1e-6 * curve
        bend = (inputs * (weights * likely * (1 - likely))[:, None]).T @ inputs + 1e-6 * np.eye(2)
        curve += np.linalg.solve(bend, slope)
    return float(curve[0]), float(curve[1])


def main(options: argparse.Namespace) -> None:
    """Read, fit, and print the constants and what they mean."""
    minilm, reader = MiniLM(options.minilm), Reader(options.minilm, options.adapter)
    chosen = held_out(options.data, options.questions, random.Random(options.seed))
    results = {}
    for name, some in chosen.items():
        results[name] = read_set(some, minilm, reader)
        print(f"{name}: {len(results[name])} questions", flush=True)
    table = np.array([row for rows in results.values() for row in rows])
    count = len(table)
    logits = np.concatenate([table[:, 0], table[:, 2]])
    right = np.concatenate([table[:, 1], np.zeros(count)])
    weights = np.concatenate([np.full(count, 1 - ABSENT), np.full(count, ABSENT)])
    slope, shift = fitted(logits, right, weights)
    sure = 1 / (1 + np.exp(-(slope * logits + shift)))
    absent = float(np.quantile(sure[:count], LOST))
    print(f"_SLOPE, _SHIFT = {slope:.3f}, {shift:.3f}\n_FOUND, SURE, _SAID = {FOUND}, {SURE}, {min(absent, FOUND):.3f}")
    for name, rows in results.items():
        print(f"{name}: {len(rows)} questions, first extract right {100 * np.mean([row[1] for row in rows]):.0f} %")
    for least in (absent, FOUND, SURE):
        shown, false = sure[:count] >= least, sure[count:] >= least
        print(f"certainty {least:.2f}: given {100 * shown.mean():.0f} % with {100 * right[:count][shown].mean():.0f} % "
              f"right; of those not answered {100 * false.mean():.0f} % are given")  # fmt: skip


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("minilm", type=Path)
    parser.add_argument("adapter", type=Path)
    parser.add_argument("--questions", type=int, default=60, help="of each set")
    parser.add_argument("--seed", type=int, default=1)
    main(parser.parse_args())
