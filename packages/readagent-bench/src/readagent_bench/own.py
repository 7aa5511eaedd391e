"""What a method, a data set or a measure of your own needs (docs/own-benchmark.md)."""

from __future__ import annotations

from readagent_bench.datasets.dataset import Dataset
from readagent_bench.reading import ReadingContext
from readagent_bench.records import Asked, Case, Example, Outcome, Prediction, Preparation

__all__ = [
    "Asked",
    "Case",
    "Dataset",
    "Example",
    "Outcome",
    "Prediction",
    "Preparation",
    "ReadingContext",
]
