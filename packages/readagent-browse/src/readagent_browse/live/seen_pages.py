"""SeenPages: the texts of the pages of a visit, as one document that quotes can be checked against."""

from __future__ import annotations

import re

from readagent.core.document import Document
from readagent.core.memory import Gist, GistMemory, Page
from readagent.core.paragraphs import Paragraph
from readagent.core.words import count_words
from readagent_browse.dom import Snapshot
from readagent_browse.material import original
from readagent_browse.render import render
from readagent_browse.step import WEB

_TAG = re.compile(r"<[^<>]*>")
_GAP = "\n\n"


def page_text(snapshot: Snapshot) -> str:
    """Return the text of a page, one line per block."""
    lines = (" ".join(_TAG.sub(" ", line).split()) for line in render(snapshot.root).splitlines())
    return "\n".join(original(line) for line in lines if line)


class SeenPages:
    """The distinct pages that were seen, in order; the place of each passage is the address of its page."""

    def __init__(self) -> None:
        self._pages: dict[tuple[str, str], None] = {}

    def add(self, url: str, snapshot: Snapshot) -> None:
        """Add a page, unless it was seen before with the same text."""
        if text := page_text(snapshot):
            self._pages[url, text] = None

    def memory(self) -> GistMemory:
        """Return the pages as a memory without gists, for the functions that check quotes."""
        parts: list[str] = []
        pages: list[Page] = []
        paragraphs: list[Paragraph] = []
        at = 0
        for url, text in self._pages:
            start = at
            for line in text.splitlines():
                shown = f"{line}{_GAP}"
                paragraphs.append(Paragraph(len(paragraphs), at, at + len(shown), place=url))
                parts.append(shown)
                at += len(shown)
            pages.append(Page(len(pages), start, at, count_words(text)))
        document = Document("".join(parts), tuple(paragraphs))
        return GistMemory(document, tuple(pages), tuple(Gist("", 0) for _ in pages), WEB)
