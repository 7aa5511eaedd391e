"""Flow: passages that run on over the end of a column or a sheet are made one, past tables and captions between."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from readagent.loaders.pdf.layout.paragraphs import CAPTION, Kind, Passage
from readagent.loaders.pdf.layout.typography import Setting, is_short

_QUOTES = "\"“„«‘'—–"
_MOST_LINES = 3000  # of one paragraph
_MOST_BETWEEN = 4  # passages that may stand between the two halves of one


def flowing(columns: Sequence[Sequence[Passage]], setting: Setting) -> list[Passage]:
    """The passages of all columns in order, those that go on in the next column joined to their beginning."""
    found: list[Passage] = []
    for passages in columns:
        rest = list(passages)
        index = _goes_on_with(found, rest, setting)
        if index is not None:
            last = _last_running(found)
            found[last] = _joined(found[last], rest.pop(index))
        found += rest
    return found


def _last_running(passages: Sequence[Passage]) -> int:
    """The last passage that is no table, caption or the like set between others."""
    for index in range(len(passages) - 1, max(-1, len(passages) - 1 - _MOST_BETWEEN), -1):
        if not _is_between(passages[index], passages[index]):
            return index
    return len(passages) - 1


def _is_between(passage: Passage, running: Passage) -> bool:
    other = abs(passage.size - running.size) > 0.06 * running.size
    return passage.kind in (Kind.TABLE, Kind.LISTING) or other or bool(CAPTION.match(passage.text))


def _goes_on_with(found: Sequence[Passage], following: Sequence[Passage], setting: Setting) -> int | None:
    """Which of the following passages is the second half of the last one found."""
    if not found or not following:
        return None
    passage = found[_last_running(found)]
    for index, candidate in enumerate(following[: _MOST_BETWEEN + 1]):
        if _continues(passage, candidate, setting, certain=index > 0 or passage is not found[-1]):
            return index
        if not _is_between(candidate, passage):
            return None
    return None


def _continues(passage: Passage, following: Passage, setting: Setting, *, certain: bool) -> bool:
    """Whether a passage goes on in another; ``certain`` asks for a sentence that is broken off."""
    if {passage.kind, following.kind} - {Kind.TEXT, Kind.ITEM} or following.kind is Kind.ITEM:
        return False
    if len(passage.lines) > _MOST_LINES:
        return False
    if CAPTION.match(following.text) or CAPTION.match(passage.text):
        return False
    if abs(passage.size - following.size) > 0.06 * passage.size or passage.bold != following.bold:
        return False
    last, first = passage.lines[-1], following.lines[0]
    if last.text.endswith(("-", "‐", "\u00ad")) and first.text[:1].islower():
        return True
    small_start = first.text[:1].islower()
    short = is_short(last, first, passage.right)
    if certain or short:
        return small_start and not last.closed and not (certain and short)
    drawn_in = first.left > following.left + 0.6 * first.size and passage.kind is Kind.TEXT
    if small_start or not last.closed:
        return small_start or not (setting.indent and drawn_in)
    if drawn_in or passage.size > 1.1 * setting.body:
        return False
    return setting.indent > 0 or (len(passage.lines) > 1 and first.text[0] not in _QUOTES)


def _joined(passage: Passage, more: Passage) -> Passage:
    return replace(passage, lines=(*passage.lines, *more.lines), right=more.right)
