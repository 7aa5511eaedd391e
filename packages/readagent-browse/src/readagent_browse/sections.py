"""Group the parts of a page whose gists do not fit the window into sections, and these into larger ones: a memory tree.

The entry of a section is an extract of its parts. Neighbours are grouped from the beginning of the page to its end.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from readagent.core.session import Session
from readagent.core.words import count_words
from readagent_browse.extract import PageWords, extract
from readagent_browse.memory import PageMemory, Record
from readagent_browse.sizes import view_room

BRANCH = 0.35  # of the room that the records in one section take, so that two sections can be shown at once
_ENTRIES = 12  # sections in a larger one
_LEAST_ENTRY = 64  # tokens
_MOST_ENTRY = 320  # tokens
_LEAST_PARTS = 3  # in a section
_FEW = 6  # sections; if there are fewer, they become smaller
RECORD_TOKENS = 14  # what a record adds to its content


def with_sections(memory: PageMemory, words: PageWords, session: Session) -> PageMemory:
    """Return the memory with its records in sections, of which one prompt shows the largest."""
    room = view_room(memory.head, session)
    assert room is not None, "without a limit, everything fits"
    records = memory.records
    least = min(_LEAST_ENTRY, room // 8)
    while len(groups := _grouped(records, room, session)) * least > room and len(groups) < len(records):
        tokens = max(least, int(BRANCH * room) // _ENTRIES)
        records = tuple(_section(memory, group, words, tokens, session) for group in groups)
    tokens = min(_MOST_ENTRY, room // len(groups))
    return replace(memory, records=tuple(_section(memory, group, words, tokens, session) for group in groups))


def _grouped(records: Sequence[Record], room: int, session: Session) -> list[Sequence[Record]]:
    """Return neighbouring records in groups that fill a share of the room, or less of it if these are few."""
    sizes = [session.window.count(record.render()) for record in records]
    branch = BRANCH * room
    while len(groups := _filled(records, sizes, branch)) < min(_FEW, len(records) // _LEAST_PARTS):
        branch /= 2
    return groups


def _filled(records: Sequence[Record], sizes: Sequence[int], branch: float) -> list[Sequence[Record]]:
    groups, first, filled = list[Sequence[Record]](), 0, 0
    for place, size in enumerate(sizes):
        if filled + size > branch and place - first >= _LEAST_PARTS:
            groups.append(records[first:place])
            first, filled = place, 0
        filled += size
    return [*groups, records[first:]]


def _section(memory: PageMemory, records: Sequence[Record], words: PageWords, tokens: int, session: Session) -> Record:
    if len(records) == 1:
        return records[0]
    indexes = [index for record in records for index in record.indexes]
    snippets = [memory.snippets[index] for index in indexes]
    content, ids = extract(snippets, words, tokens - RECORD_TOKENS, session.window.count)
    content = f"parts {indexes[0]} to {indexes[-1]}: {content}"
    return Record(indexes[0], content, count_words(content), ids, origin="extract", parts=tuple(records))
