"""The figures of the paper, those with PaLM 2-L, by data set, split and method, to stand beside ours."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path

_FOLDER = Path(__file__).parent.parent / "paper"
_MODEL = "PaLM 2-L"
_VALIDATION = ("dev", "val", "valid", "validation")
_PARTS = {"narrativeqa-books": "gutenberg", "narrativeqa-films": "movie"}
_NAMES = {"cr": "cr", "lookups": "lookups", "accuracy": "accuracy", "lr1": "lr1", "lr2": "lr2", "rouge1": "rouge1",
          "rouge2": "rouge2", "rougeL": "rougeL", "response_words": "response_words"}  # fmt: skip


def published(dataset: str, split: str) -> dict[str, dict[str, float]]:
    """By method, the measures that the paper gives for this data set and split; empty where it gives none."""
    found: dict[str, dict[str, float]] = {}
    for row in _rows(dataset, split):
        values = {name: float(row[name]) for name in _NAMES if row.get(name)}
        if values.get("rougeL", 0.0) > 1:  # given in per cent for meetings, as shares for books and films
            values |= {name: values[name] / 100 for name in ("rouge1", "rouge2", "rougeL") if name in values}
        found[row["method"]] = values
    if dataset == "quality":
        found["MemWalker"] = {"accuracy": single("MemWalker on QuALITY", "accuracy")}
        found["GistMem + Neural Top-1"] = {
            "accuracy": single("retrieval ablation accuracy on QuALITY", "GistMem + neural top-1")
        }
        found["ReadAgent-P 1-5, uniform pages"] = {
            "accuracy": single(
                "pagination ablation accuracy on QuALITY (P 1-5)", "uniform length with a similar mean page length"
            )
        }
    return found


def words_read() -> dict[str, float]:
    """Words read by the model over the whole of QuALITY's dev set, by method."""
    table = "words read by the model on QuALITY dev (230 records and 2086 questions)"
    return {row["row"].replace("full text", "Full text"): float(row["value"]) for row in _table("other")
            if row["table"] == table}  # fmt: skip


def single(table: str, row: str) -> float:
    """One figure that stands in no table of methods."""
    return next(float(one["value"]) for one in _table("other") if (one["table"], one["row"]) == (table, row))


def _rows(dataset: str, split: str) -> Iterator[Mapping[str, str]]:
    wanted = "validation" if split in _VALIDATION else split
    if dataset == "quality":
        yield from (row for row in _table("quality") if row["model"] == _MODEL)
    elif dataset == "qmsum":
        yield from (row for row in _table("qmsum") if row["split"] == wanted)
    elif dataset in _PARTS:
        part = _PARTS[dataset]
        yield from (row for row in _table("narrativeqa") if (row["part"], row["split"]) == (part, wanted))


@cache
def _table(name: str) -> tuple[Mapping[str, str], ...]:
    with (_FOLDER / f"{name}.csv").open(encoding="utf-8", newline="") as file:
        return tuple(csv.DictReader(file))
