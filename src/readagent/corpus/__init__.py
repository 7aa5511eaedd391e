"""Corpora: many documents, read by many workers on one machine or on a Ray cluster, and asked together."""

from readagent.corpus.corpus import Corpus
from readagent.library.corpus_rows import Entry, Progress, SourceRow, Spending

__all__ = ["Corpus", "Entry", "Progress", "SourceRow", "Spending"]
