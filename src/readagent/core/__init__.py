"""The reading algorithm: documents, pages, gists, look-up, answers. Standard library only."""
