"""The data sets by name, and how to load their cases. Each is described in a module of its own."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping
from pathlib import Path

from readagent.errors import DatasetError, UsageError
from readagent_bench.datasets import narrativeqa, own, qmsum, quality
from readagent_bench.datasets.dataset import Dataset
from readagent_bench.plugins import called, is_file, load
from readagent_bench.records import Case, Example

DATASETS: Mapping[str, Dataset] = {
    dataset.name: dataset for dataset in (quality.DATASET, qmsum.DATASET, *narrativeqa.DATASETS, own.DATASET)
}


def dataset(name: str) -> Dataset:
    """Return the data set with this name, or one in a file of the user: ``FILE.py:NAME``."""
    if is_file(name):
        mine = load(name, "data set")
        if not isinstance(mine, Dataset):
            raise UsageError(f"{name} is not a data set", hint="give the name of a `Dataset` of `readagent_bench`")
        if mine.name in DATASETS:
            raise UsageError(f"there is a data set {mine.name!r} already", hint='give yours another "name"')
        return mine
    found = DATASETS.get(name.lower())
    if found is None:
        near = difflib.get_close_matches(name.lower(), DATASETS, 1)
        hint = f"did you mean {near[0]}?" if near else f"data sets: {', '.join(DATASETS)}, or FILE.py:NAME"
        raise UsageError(f"unknown data set {name!r}", hint=hint)
    return found


def load_cases(name: str, folder: Path, split: str = "") -> list[Case]:
    """Load the cases of a split, the default one if none is given, and check their ids and spans."""
    known = dataset(name)
    cases = called(lambda: list(known.load(folder, known.split(split))), f"cannot load the data set {known.name}")
    for case in cases:
        if not isinstance(case, Case) or not all(isinstance(one, Example) for one in case.examples):
            raise UsageError(f"the data set {known.name} has a {type(case).__name__}, not a Case with Examples")
    _check_unique(known.name, "document", (case.id for case in cases))
    _check_unique(known.name, "question", (example.id for case in cases for example in case.examples))
    for case in cases:
        for example in case.examples:
            if not all(0 <= start < end <= len(case.document.text) for start, end in example.spans):
                raise DatasetError(f"{known.name}: {example.id} has a span outside of {case.id}")
    return list(cases)


def _check_unique(name: str, what: str, ids: Iterable[str]) -> None:
    seen: set[str] = set()
    for one in ids:
        if one in seen:
            raise DatasetError(f"{name} has two {what}s with the id {one!r}")
        seen.add(one)
