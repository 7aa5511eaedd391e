"""Retrieval: find the pages that are relevant to a question, by words and by meaning."""
