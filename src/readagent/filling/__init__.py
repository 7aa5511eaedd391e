"""Filling a shelf: many documents, read by many workers on one machine or on a Ray cluster."""

from readagent.filling.filling import Filling
from readagent.library.corpus_rows import Entry, FailedKind, Progress, SourceRow, Spending, WorkerRow

__all__ = ["Entry", "FailedKind", "Filling", "Progress", "SourceRow", "Spending", "WorkerRow"]
