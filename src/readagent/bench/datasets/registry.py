"""The data sets by name, and how to load their cases."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping
from pathlib import Path

from readagent.bench.datasets import (
    infinitebench,
    locomo,
    longbench2,
    longmemeval,
    narrativeqa,
    nocha,
    own,
    qmsum,
    quality,
)
from readagent.bench.datasets.dataset import Dataset
from readagent.bench.example import Case, Example
from readagent.errors import DatasetError, UsageError

DATASETS: Mapping[str, Dataset] = {
    dataset.name: dataset
    for dataset in (
        quality.DATASET,
        qmsum.DATASET,
        *narrativeqa.DATASETS,
        nocha.DATASET,
        locomo.DATASET,
        longmemeval.DATASET,
        longbench2.DATASET,
        *infinitebench.DATASETS,
        own.DATASET,
    )
}


def dataset(name: str) -> Dataset:
    """Return the data set with this name."""
    found = DATASETS.get(name.lower())
    if found is None:
        near = difflib.get_close_matches(name.lower(), DATASETS, 1)
        hint = f"did you mean {near[0]}?" if near else f"data sets: {', '.join(DATASETS)}"
        raise UsageError(f"unknown data set {name!r}", hint=hint)
    return found


def load_cases(name: str, folder: Path, split: str = "") -> list[Case]:
    """Load the cases of a split, the default one if none is given, and check their ids and spans."""
    known = dataset(name)
    cases = known.load(folder, known.split(split))
    _check_unique(known.name, "document", (case.id for case in cases))
    _check_unique(known.name, "question", (example.id for case in cases for example in case.examples))
    for case in cases:
        for example in case.examples:
            _check_spans(known.name, case, example)
    return cases


def _check_unique(name: str, what: str, ids: Iterable[str]) -> None:
    seen: set[str] = set()
    for one in ids:
        if one in seen:
            raise DatasetError(f"{name} has two {what}s with the id {one!r}")
        seen.add(one)


def _check_spans(name: str, case: Case, example: Example) -> None:
    for start, end in example.spans:
        if not 0 <= start < end <= len(case.document.text):
            raise DatasetError(f"{name}: {example.id} has the span {start} to {end}, outside of {case.id}")
