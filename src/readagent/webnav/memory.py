"""PageMemory: the snippets of a page and a gist record of each."""

from __future__ import annotations

import json
from collections.abc import Collection
from dataclasses import dataclass
from typing import Literal

from readagent.webnav.dom import Element
from readagent.webnav.snippets import Snippet
from readagent.webnav.templates import page_head, templates


@dataclass(frozen=True, slots=True)
class Record:
    """The gist of a snippet.

    ``ids`` are the elements that can be named from it; ``lost_ids`` is how many of them the model left out.
    """

    index: int
    content: str
    words: int
    ids: tuple[str, ...] = ()
    lost_ids: int = 0
    origin: Literal["model", "verbatim", "lead"] = "model"

    def render(self) -> str:
        """Return the record as prompts contain it."""
        return json.dumps({"index": self.index, "content": self.content}, ensure_ascii=False)


@dataclass(frozen=True, slots=True)
class PageMemory:
    """The memory of a page: its snippets, and a record of each, or of the first ones if not all fit."""

    title: str
    snippets: tuple[Snippet, ...]
    records: tuple[Record, ...]
    url: str = ""

    def render(self, opened: Collection[int] = ()) -> str:
        """Return the record of every snippet; opened snippets appear in full in place of their record."""
        return "\n".join(
            f"<part {record.index}>\n{self.snippets[record.index].html}\n</part>"
            if record.index in opened
            else record.render()
            for record in self.records
        )

    @property
    def head(self) -> str:
        """The lines with the title and the address of the page."""
        return page_head(self.title, self.url)

    def prompt(self, opened: Collection[int] = ()) -> str:
        """Return the rendered memory as the beginning of a prompt."""
        return templates().fill("memory", head=self.head, page=self.render(opened))

    def words(self, opened: Collection[int] = ()) -> int:
        """Count the words of the gists and of the opened snippets."""
        return sum(self.snippets[r.index].words if r.index in opened else r.words for r in self.records)

    @property
    def full_words(self) -> int:
        """The number of words of the whole page."""
        return sum(snippet.words for snippet in self.snippets)

    @property
    def lost_ids(self) -> int:
        """How many ids the model's gists left out."""
        return sum(record.lost_ids for record in self.records)

    def elements(self, opened: Collection[int] = ()) -> tuple[Element, ...]:
        """Return the elements that can be named from the rendered memory."""
        return tuple(
            element
            for record in self.records
            for element in self.snippets[record.index].elements
            if record.index in opened or element.id in record.ids
        )
