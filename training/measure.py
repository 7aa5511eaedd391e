"""Measure a reader on the records kept for testing: F1 of the answers, and whether it knows what is answered."""

from __future__ import annotations

import gzip
import json
from collections import defaultdict
from pathlib import Path
from statistics import fmean

import numpy as np
import torch
from batches import Data
from network import Reader
from overlap import overlap, words
from sets import SETS
from torch import Tensor

LONGEST = 40  # word pieces of an answer


@torch.no_grad()
def read(model: Reader, data: Data, pairs: list[tuple[int, int]]) -> tuple[np.ndarray, np.ndarray]:
    """Return for each pair the best span (first, last, probability) and the two verdicts."""
    device = data.queries.device
    spans, verdicts = [], []
    for start in range(0, len(pairs), 256):
        some = torch.tensor(pairs[start : start + 256], device=device)
        with torch.autocast(device.type, torch.bfloat16):
            scores, verdict = model(*data.pairs(some[:, 0], some[:, 1]))
        spans.append(_best(scores, data.query_lengths[some[:, 0]] + 2))
        verdicts.append(verdict.cpu().numpy())
    return np.concatenate(spans), np.concatenate(verdicts)


def _best(scores: Tensor, shift: Tensor) -> np.ndarray:
    first, last = scores[:, :, 0].softmax(1), scores[:, :, 1].softmax(1)
    both = first[:, :, None] * last[:, None, :]
    band = torch.ones_like(both[0]).triu().tril(LONGEST - 1)
    flat = (both * band).flatten(1)
    best = flat.argmax(1)
    length = scores.shape[1]
    found = torch.stack([best // length - shift, best % length - shift, flat.gather(1, best[:, None])[:, 0]], 1)
    return found.cpu().numpy()


def measured(model: Reader, data: Data, folder: Path, near: dict[int, list[int]]) -> dict[str, float]:
    """Return the figures for every set."""
    with gzip.open(folder / "texts.json.gz", "rt", encoding="utf-8") as file:
        texts = json.load(file)
    rows = [data.spans[text["row"]].tolist() for text in texts]
    spans, verdicts = read(model, data, [(row[3], row[4]) for row in rows])
    by_record = defaultdict(list)
    for place, row in enumerate(rows):
        by_record[row[2]].append(place)
    f1, exact, here, not_here = (defaultdict(list) for _ in range(4))
    for record, places in by_record.items():
        name = SETS[rows[places[0]][0]]
        if record not in data.answers:
            not_here[f"{name} unanswerable"] += [float(verdicts[place, 0]) for place in places]
            continue
        best = max(places, key=lambda place: spans[place, 2] / (1 + np.exp(-verdicts[place, 0])))
        offsets = texts[best]["offsets"]
        first, last = int(spans[best, 0]), int(spans[best, 1])
        answer = texts[best]["context"][offsets[first][0] : offsets[min(last, len(offsets) - 1)][1]]
        f1[name].append(max(overlap(answer, right) for right in texts[best]["answers"][:1]))
        exact[name].append(float(words(answer) == words(texts[best]["answers"][0])))
        here[name] += [float(verdicts[place, 0]) for place in places if rows[place][5] >= 0]
    asked = {row[2]: row[3] for row in rows}
    wrong = [(record, passage) for record in by_record for passage in near.get(record, [])[:2]]
    _, refused = read(model, data, [(asked[record], passage) for record, passage in wrong])
    for (record, _), verdict in zip(wrong, refused, strict=True):
        not_here[SETS[rows[by_record[record][0]][0]]].append(float(verdict[0]))
    figures = {}
    for name, values in f1.items():
        figures |= {f"{name} n": len(values), f"{name} F1": round(100 * fmean(values), 2),
                    f"{name} exact": round(100 * fmean(exact[name]), 2),
                    f"{name} AUC near": round(auc(here[name], not_here[name]), 4)}  # fmt: skip
        if not_here[f"{name} unanswerable"]:
            figures[f"{name} AUC unanswerable"] = round(auc(here[name], not_here[f"{name} unanswerable"]), 4)
    choices = defaultdict(list)
    for row in data.choices[data.choices[:, 1] == 1].tolist():
        choices[row[2]].append(row)
    flat = [row for some in choices.values() for row in some]
    _, right = read(model, data, [(row[4], row[3]) for row in flat])
    scores = {(row[2], row[4]): float(verdict[1]) for row, verdict in zip(flat, right, strict=True)}
    hits = defaultdict(list)
    for some in choices.values():
        best = max(some, key=lambda row: scores[row[2], row[4]])
        hits[SETS[some[0][0]]].append(float(best[5]))
    return figures | {f"{name} chosen right": round(100 * fmean(values), 2) for name, values in hits.items()}


def auc(here: list[float], not_here: list[float]) -> float:
    """Return how often a pair with the answer scores higher than one without."""
    if not here or not not_here:
        return float("nan")
    values = np.argsort(np.argsort(np.array(here + not_here)))[: len(here)]
    return float((values.sum() - len(here) * (len(here) - 1) / 2) / (len(here) * len(not_here)))
