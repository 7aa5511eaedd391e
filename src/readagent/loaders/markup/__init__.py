"""Markup: HTML of any kind to blocks. ``tree`` is the one door to selectolax; the rest walks over what it gives."""

from readagent.loaders.markup.reading import Marked, blocks_of, notes_in, read, with_notes

__all__ = ["Marked", "blocks_of", "notes_in", "read", "with_notes"]
