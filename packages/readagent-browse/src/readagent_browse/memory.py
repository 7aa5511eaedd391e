"""PageMemory: the snippets of a page and a gist record of each; those of a very long page are grouped into sections."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Literal

from readagent_browse.dom import Element
from readagent_browse.snippets import Snippet
from readagent_browse.templates import page_head, templates


@dataclass(frozen=True, slots=True)
class Record:
    """The gist of a snippet, or the entry of a section, which has ``parts`` and the index of the first of them.

    ``ids`` are the elements that can be named from it; ``lost_ids`` is how many of them the model left out. An
    ``extract`` is made of the snippet's own words, without a model.
    """

    index: int
    content: str
    words: int
    ids: tuple[str, ...] = ()
    lost_ids: int = 0
    origin: Literal["model", "verbatim", "lead", "extract"] = "model"
    parts: tuple[Record, ...] = ()

    def render(self, section: int = 0) -> str:
        """Return the record as prompts contain it; ``section`` is the number of a section."""
        name, number = ("section", section) if self.parts else ("index", self.index)
        return json.dumps({name: number, "content": self.content}, ensure_ascii=False)

    @property
    def indexes(self) -> range:
        """The snippets that the record stands for."""
        return range(self.index, self.parts[-1].indexes.stop if self.parts else self.index + 1)

    def leaves(self) -> Iterator[Record]:
        """Yield the records of single snippets: the record itself, or those in the section."""
        if not self.parts:
            yield self
        for part in self.parts:
            yield from part.leaves()


@dataclass(frozen=True, slots=True)
class PageMemory:
    """The memory of a page: its snippets, and a record of each, or of sections of them if not all fit."""

    title: str
    snippets: tuple[Snippet, ...]
    records: tuple[Record, ...]
    url: str = ""

    def render(self, opened: Collection[int] = ()) -> str:
        """Return the record of every snippet; opened snippets appear in full in place of their record."""
        lines, sections = list[str](), 0
        for record in self.records:
            if not record.parts and record.index in opened:
                lines.append(f"<part {record.index}>\n{self.snippets[record.index].html}\n</part>")
            else:
                lines.append(record.render(sections))
            sections += bool(record.parts)
        return "\n".join(lines)

    @property
    def sections(self) -> list[Record]:
        """The sections that are shown; prompts number them in this order."""
        return [record for record in self.records if record.parts]

    @property
    def shown(self) -> list[Record]:
        """The records of single snippets that are shown; these snippets can be opened."""
        return [record for record in self.records if not record.parts]

    def gists(self) -> dict[int, str]:
        """Return the gist of each snippet by its index, also of those in sections."""
        return {leaf.index: leaf.content for record in self.records for leaf in record.leaves()}

    @property
    def head(self) -> str:
        """The lines with the title and the address of the page."""
        return page_head(self.title, self.url)

    def prompt(self, opened: Collection[int] = ()) -> str:
        """Return the rendered memory as the beginning of a prompt."""
        template = "sections" if self.sections else "memory"
        return templates().fill(template, head=self.head, page=self.render(opened))

    def words(self, opened: Collection[int] = ()) -> int:
        """Count the words of the gists and of the opened snippets."""
        return sum(
            self.snippets[one.index].words if one.index in opened and not one.parts else one.words
            for one in self.records
        )

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
        found: dict[str, Element] = {}
        for record in self.records:
            ids, is_open = frozenset(record.ids), not record.parts and record.index in opened
            for index in record.indexes:
                found |= {one.id: one for one in self.snippets[index].elements if is_open or one.id in ids}
        return tuple(found.values())
