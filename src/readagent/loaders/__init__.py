"""Loaders: from a file or standard input to a Document. For now plain text is read."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from readagent.core.document import Document
from readagent.loaders.plain import decode, title_of
from readagent.loaders.sniff import refuse_empty, refuse_foreign
from readagent.loaders.source import fetch

__all__ = ["load"]


def load(source: str | Path, *, title: str = "") -> Document:
    """The document in a file, or on standard input where ``source`` is ``-``. Its text is kept as it stands."""
    fetched = fetch(source)
    refuse_empty(fetched.data, fetched.name)
    refuse_foreign(fetched.data, fetched.name)
    text, encoding = decode(fetched.data, fetched.name)
    refuse_empty(text, fetched.name)
    document = Document.from_text(text, title=title or title_of(text) or fetched.stem, source=fetched.path)
    return document if encoding == "utf-8" else replace(document, metadata={"encoding": encoding})
