"""The benchmarks of ReadAgent. What is exported here is for methods, data sets and measures of your own."""

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
