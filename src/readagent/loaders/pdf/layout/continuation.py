"""Join paragraphs that continue in the next column or on the next page, past tables and captions in between."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from readagent.loaders.pdf.layout.paragraphs import CAPTION, Kind, Passage
from readagent.loaders.pdf.layout.typography import Typography, is_short

_QUOTES = "\"“„«‘'—–"
_MAX_LINES = 3000  # of one paragraph
_MAX_BETWEEN = 4  # passages between the two halves of one


def join_continued(columns: Sequence[Sequence[Passage]], typography: Typography) -> list[Passage]:
    """Return the passages of all columns in order, with those that continue in the next column joined."""
    found: list[Passage] = []
    for passages in columns:
        rest = list(passages)
        index = _continuation(found, rest, typography)
        if index is not None:
            last = _last_text(found)
            found[last] = _joined(found[last], rest.pop(index))
        found += rest
    return found


def _last_text(passages: Sequence[Passage]) -> int:
    """Return the index of the last passage that is not a table, caption or similar."""
    for index in range(len(passages) - 1, max(-1, len(passages) - 1 - _MAX_BETWEEN), -1):
        if not _is_inserted(passages[index], passages[index]):
            return index
    return len(passages) - 1


def _is_inserted(passage: Passage, running: Passage) -> bool:
    other = abs(passage.size - running.size) > 0.06 * running.size
    return passage.kind in (Kind.TABLE, Kind.LISTING) or other or bool(CAPTION.match(passage.text))


def _continuation(found: Sequence[Passage], following: Sequence[Passage], typography: Typography) -> int | None:
    """Return the index of the following passage that continues the last one, or None."""
    if not found or not following:
        return None
    passage = found[_last_text(found)]
    for index, candidate in enumerate(following[: _MAX_BETWEEN + 1]):
        if _continues(passage, candidate, typography, certain=index > 0 or passage is not found[-1]):
            return index
        if not _is_inserted(candidate, passage):
            return None
    return None


def _continues(passage: Passage, following: Passage, typography: Typography, *, certain: bool) -> bool:
    """Whether a passage continues in another; ``certain`` requires an unfinished sentence."""
    if {passage.kind, following.kind} - {Kind.TEXT, Kind.ITEM} or following.kind is Kind.ITEM:
        return False
    if len(passage.lines) > _MAX_LINES:
        return False
    if CAPTION.match(following.text) or CAPTION.match(passage.text):
        return False
    if abs(passage.size - following.size) > 0.06 * passage.size or passage.bold != following.bold:
        return False
    last, first = passage.lines[-1], following.lines[0]
    if last.text.endswith(("-", "‐", "\u00ad")) and first.text[:1].islower():
        return True
    lower_case = first.text[:1].islower()
    short = is_short(last, first, passage.right)
    if certain or short:
        return lower_case and not last.ends_sentence and not (certain and short)
    indented = first.left > following.left + 0.6 * first.size and passage.kind is Kind.TEXT
    if lower_case or not last.ends_sentence:
        return lower_case or not (typography.indent and indented)
    if indented or passage.size > 1.1 * typography.body:
        return False
    return typography.indent > 0 or (len(passage.lines) > 1 and first.text[0] not in _QUOTES)


def _joined(passage: Passage, more: Passage) -> Passage:
    return replace(passage, lines=(*passage.lines, *more.lines), right=more.right)
