"""The data sets with questions about documents, one module each."""

from __future__ import annotations

from readagent_bench.datasets.dataset import Dataset, Measure, dataset_hash, of_group, sample
from readagent_bench.datasets.files import data_folder
from readagent_bench.datasets.registry import DATASETS, dataset, load_cases, name_to_load, source_of

__all__ = [
    "DATASETS",
    "Dataset",
    "Measure",
    "data_folder",
    "dataset",
    "dataset_hash",
    "load_cases",
    "name_to_load",
    "of_group",
    "sample",
    "source_of",
]
