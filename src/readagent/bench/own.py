"""What a method, a data set or a measure of your own needs (docs/own-benchmark.md)."""

from __future__ import annotations

from readagent.bench.datasets.dataset import Dataset
from readagent.bench.example import Asked, Case, Example, Outcome, Preparation
from readagent.bench.reading import ReadingContext
from readagent.bench.records import Prediction

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
