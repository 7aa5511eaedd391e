"""The pages of a text as the prompts of one answer showed them: gists, and the pages that were opened."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

_MEMORY = re.compile(r"<memory>\n(.*?)\n</memory>", re.S)
_PAGE = re.compile(r"^<(?:Page|Part) (\d+)>\n", re.M)


@dataclass(frozen=True, slots=True)
class ShownPage:
    """A page as the model saw it: its gist, and its text if it was opened. ``evidence``: it matters to the question."""

    number: int
    gist: str
    text: str | None
    opened: bool
    evidence: bool


def shown_pages(prompts: Sequence[str], opened: Sequence[int], relevant: set[int]) -> list[ShownPage]:
    """Return the pages as the first prompt has them, with the text of those that the last prompt has in full.

    A method that shows the model some pages and nothing else numbers them from 0 in its prompt: they are the opened
    ones, in the order of the text.
    """
    memories = [_tagged(found[1]) for prompt in prompts if (found := _MEMORY.search(prompt))]
    if not memories:
        return []
    first, last = memories[0], memories[-1]
    if len(first) == len(opened) and all(one == first for one in memories):
        own = zip(sorted(opened), first.values(), strict=True)
        return [ShownPage(number, "", text, True, number in relevant) for number, text in own]
    return [
        ShownPage(number, gist, last.get(number) if number in opened else None, number in opened, number in relevant)
        for number, gist in first.items()
    ]


def _tagged(memory: str) -> dict[int, str]:
    """Return the pages of a memory by their number."""
    _, *pieces = _PAGE.split(memory)
    return {int(number): text.strip() for number, text in zip(pieces[::2], pieces[1::2], strict=True)}
