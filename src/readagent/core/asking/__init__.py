"""Answering a question: which pages to open, the answer, its quotes, and how much of the text may be known."""
