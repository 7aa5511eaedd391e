"""The figures of the paper by data set, split and method. They are for PaLM 2-L unless a title names another model."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path

_FOLDER = Path(__file__).parent.parent / "paper"
_MODEL = "PaLM 2-L"
_VALIDATION = ("dev", "val", "valid", "validation")
_PARTS = {"narrativeqa-books": "gutenberg", "narrativeqa-films": "movie"}
_NAMES = ("cr", "lookups", "accuracy", "lr1", "lr2", "rouge1", "rouge2", "rougeL", "response_words")
_WORDS_READ = "words read by the model on QuALITY dev (230 records and 2086 questions)"
_DEFAULT_PAGE = 600

Published = dict[str, dict[str, str]]


def published(dataset: str, split: str, page_words: int = _DEFAULT_PAGE) -> Published:
    """Return the measures of the paper by method for a data set, split and page size; empty if it has none.

    Figures are as printed, with the deviation if there is one; ROUGE is given as a share.
    """
    if dataset == "quality" and page_words != _DEFAULT_PAGE:
        return _page_size(page_words)
    found: Published = {}
    for row in _rows(dataset, split):
        model = row.get("model", _MODEL)
        found[row["method"] if model == _MODEL else f"{row['method']} ({model})"] = _measures(row)
    if dataset == "quality":
        found["MemWalker"] = {
            "accuracy": single("MemWalker on QuALITY", "accuracy"),
            "search_failures": single("MemWalker on QuALITY", "failed searches percent"),
        }
        found["GistMem + Neural Top-1"] = {
            "accuracy": single("retrieval ablation accuracy on QuALITY", "GistMem + neural top-1")
        }
        found["ReadAgent-P 1-5, uniform pages"] = {
            "accuracy": single(
                "pagination ablation accuracy on QuALITY (P 1-5)", "uniform length with a similar mean page length"
            )
        }
    return found


def words_read(dataset: str) -> dict[str, float]:
    """Return the words read by the model on the dev set of QuALITY, by method."""
    if dataset != "quality":
        return {}
    return {
        row["row"].replace("full text", "Full text"): float(row["value"])
        for row in _table("other")
        if row["table"] == _WORDS_READ
    }


def navigation(split: str) -> Published:
    """Return the figures for Mind2Web by method, for ``cross-task``, ``cross-website`` or ``cross-domain``."""
    return {
        row["method"]: {name: value for name, value in row.items() if name not in ("split", "method") and value}
        for row in _table("mind2web")
        if row["split"] == split
    }


def single(table: str, row: str) -> str:
    """Return one figure that is in no table of methods; empty if there is none."""
    return next((one["value"] for one in _table("other") if (one["table"], one["row"]) == (table, row)), "")


def _page_size(words: int) -> Published:
    found: Published = {}
    for title, name in (("GistMem", "GistMem"), ("ReadAgent-P 1-5", "P 1-5")):
        values = {key: single(f"page size ablation max_words {words}", f"{name} {label}")
                  for key, label in (("cr", "CR"), ("accuracy", "accuracy"))}  # fmt: skip
        if any(values.values()):
            found[title] = values
    return found


def _measures(row: Mapping[str, str]) -> dict[str, str]:
    in_per_cent = float(row.get("rougeL") or 0) > 1  # for meetings; shares for books and films
    values: dict[str, str] = {}
    for name in _NAMES:
        value, deviation = row.get(name, ""), row.get(f"{name}_std") or (row.get("std") if name == "accuracy" else "")
        if value and in_per_cent and name.startswith("rouge"):
            value, deviation = f"{float(value) / 100:.4f}", f"{float(deviation) / 100:.4f}" if deviation else ""
        if value:
            values[name] = f"{value} ± {deviation}" if deviation else value
    return values


def _rows(dataset: str, split: str) -> Iterator[Mapping[str, str]]:
    wanted = "validation" if split in _VALIDATION else split
    if dataset == "quality":
        yield from _table("quality")
    elif dataset == "qmsum":
        yield from (row for row in _table("qmsum") if row["split"] == wanted)
    elif dataset in _PARTS:
        part = _PARTS[dataset]
        yield from (row for row in _table("narrativeqa") if (row["part"], row["split"]) == (part, wanted))


@cache
def _table(name: str) -> tuple[Mapping[str, str], ...]:
    with (_FOLDER / f"{name}.csv").open(encoding="utf-8", newline="") as file:
        return tuple(csv.DictReader(file))
