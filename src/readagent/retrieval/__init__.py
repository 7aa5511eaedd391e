"""Retrieval: finding the pages that bear on a question, by their words and by their meaning."""
