"""Join passages that were taken apart in the middle of a hyphenated word."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import pairwise

from readagent.loaders.pdf.layout.hyphenation import Vocabulary, divides_word
from readagent.loaders.pdf.layout.paragraphs import Kind, Passage


def join_divided(passages: Iterable[Passage], known: Vocabulary) -> list[Passage]:
    """Return the passages with those joined that a hyphenated word of the document's vocabulary connects.

    Lines that end in the middle of such a word are no verse.
    """
    found: list[Passage] = []
    for given in passages:
        passage = replace(given, kind=Kind.TEXT) if _is_prose(given, known) else given
        if found and _goes_on(found[-1], passage, known):
            found[-1] = replace(found[-1], lines=(*found[-1].lines, *passage.lines), right=passage.right)
        else:
            found.append(passage)
    return found


def _is_prose(passage: Passage, known: Vocabulary) -> bool:
    return passage.kind is Kind.VERSE and any(
        divides_word(above.text, below.text, known) for above, below in pairwise(passage.lines)
    )


def _goes_on(above: Passage, passage: Passage, known: Vocabulary) -> bool:
    kinds: Sequence[Kind] = (Kind.TEXT, Kind.ITEM)
    return (
        above.kind in kinds
        and passage.kind is Kind.TEXT
        and abs(above.size - passage.size) < 0.06 * above.size
        and divides_word(above.lines[-1].text, passage.lines[0].text, known)
    )
