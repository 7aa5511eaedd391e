"""The data sets by name, and how to load their cases."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping
from pathlib import Path

from readagent.errors import DatasetError, ReadAgentError, UsageError
from readagent_bench.datasets import (
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
from readagent_bench.datasets.dataset import Dataset
from readagent_bench.example import Case, Example
from readagent_bench.plugins import failed, fingerprint, installed, is_file, load

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
    """Return the data set with this name, of an entry point, or in a file of the user: ``FILE.py:NAME``."""
    found = DATASETS.get(name.lower())
    if found is None and (is_file(name) or name in installed("data set")):
        return _own(name)
    if found is None:
        near = difflib.get_close_matches(name.lower(), DATASETS, 1)
        hint = f"did you mean {near[0]}?" if near else f"data sets: {', '.join(DATASETS)}"
        raise UsageError(f"unknown data set {name!r}", hint=hint)
    return found


def _own(name: str) -> Dataset:
    found = load(name, "data set")
    if not isinstance(found, Dataset):
        raise UsageError(f"{name} is not a data set", hint="give the name of a `Dataset` of `readagent_bench.own`")
    if found.name in DATASETS:
        raise UsageError(f"there is a data set {found.name!r} already", hint='give yours another "name"')
    return found


def name_to_load(name: str, own: str) -> str:
    """Return the name to load a run's data set by: that in a file of the user, ``own``, if it is the one of the run."""
    if own and (found := dataset(own).name) != name:
        raise UsageError(f"{own} is the data set {found!r}, but the run is on {name!r}", hint="give that of the run")
    if not own and name not in DATASETS and name not in installed("data set"):
        raise UsageError(f"the run is on {name!r}, a data set of your own", hint="give it with --dataset FILE.py:NAME")
    return own or name


def source_of(name: str) -> str:
    """Return what a manifest says about the code of the user that loads a data set; empty for one of ours."""
    ours = name.lower() in DATASETS
    return "" if ours else fingerprint(name, "data set")


def load_cases(name: str, folder: Path, split: str = "") -> list[Case]:
    """Load the cases of a split, the default one if none is given, and check their ids and spans."""
    known = dataset(name)
    cases = known.load(folder, known.split(split)) if known.name in DATASETS else _loaded(known, folder, split)
    _check_unique(known.name, "document", (case.id for case in cases))
    _check_unique(known.name, "question", (example.id for case in cases for example in case.examples))
    for case in cases:
        for example in case.examples:
            _check_spans(known.name, case, example)
    return cases


def _loaded(known: Dataset, folder: Path, split: str) -> list[Case]:
    """Load the cases with the code of the user."""
    what = f"cannot load the data set {known.name}"
    try:
        cases = list(known.load(folder, known.split(split)))
    except ReadAgentError:
        raise
    except Exception as error:
        raise failed(error, what) from error
    for case in cases:
        if not isinstance(case, Case) or not all(isinstance(one, Example) for one in case.examples):
            raise UsageError(f"{what}: {type(case).__name__} is not a Case with Examples")
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
