"""The reading algorithm: documents, pages, gists, look-up, answers. It needs the standard library only."""
