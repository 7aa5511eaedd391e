"""The figures of the paper by data set, split and method. They are for PaLM 2-L unless a title names another model."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path

from readagent_bench.datasets.files import names_of

_FILE = Path(__file__).parent.parent / "paper" / "figures.csv"
_WORDS = "words"  # read by the model, the documents included

Published = dict[str, dict[str, str]]


def published(dataset: str, split: str, page_words: int = 600) -> Published:
    """Return the measures of the paper by method for a data set, split and page size; empty if it has none.

    Figures are as printed, with the deviation if there is one; ROUGE is given as a share.
    """
    found: Published = {}
    for row in _rows(dataset, split, page_words):
        if row["measure"] != _WORDS:
            found.setdefault(row["method"], {})[row["measure"]] = row["value"]
    return found


def words_read(dataset: str, split: str) -> dict[str, float]:
    """Return the words read by the model, by method; the paper has them for the dev set of QuALITY."""
    return {row["method"]: float(row["value"]) for row in _rows(dataset, split, 600) if row["measure"] == _WORDS}


def _rows(dataset: str, split: str, page_words: int) -> Iterator[Mapping[str, str]]:
    sizes = ("", str(page_words))  # only QuALITY has figures for several
    for row in _table():
        if row["dataset"] == dataset and row["split"] in names_of(split) and row["page_words"] in sizes:
            yield row


@cache
def _table() -> tuple[Mapping[str, str], ...]:
    with _FILE.open(encoding="utf-8", newline="") as file:
        return tuple(csv.DictReader(file))
