"""Join paragraphs that continue in the next column or on the next page, past tables, captions and small notes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
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
        for last in _possible_ends(found, typography):
            index = _continuation(found[last], rest, typography, certain=last < len(found) - 1)
            if index is not None:
                found[last] = _joined(found[last], rest.pop(index))
                break
        found += rest
    return found


def _possible_ends(passages: Sequence[Passage], typography: Typography) -> Iterator[int]:
    """Yield the indexes of the passages that may go on: the last before tables and captions, and before small notes."""
    near = range(len(passages) - 1, max(-1, len(passages) - 1 - _MAX_BETWEEN), -1)
    last = next((index for index in near if not _is_inserted(passages[index], passages[index].size)), len(passages) - 1)
    if passages:
        yield last
    small = passages and passages[last].size < 0.94 * typography.body
    normal = next((index for index in near if not _is_inserted(passages[index], typography.body)), last)
    if small and normal != last:
        yield normal


def _is_inserted(passage: Passage, size: float) -> bool:
    other = abs(passage.size - size) > 0.06 * size
    return passage.kind in (Kind.TABLE, Kind.LISTING) or other or bool(CAPTION.match(passage.text))


def _continuation(
    passage: Passage, following: Sequence[Passage], typography: Typography, *, certain: bool
) -> int | None:
    """Return the index of the following passage that continues another, or None."""
    for index, candidate in enumerate(following[: _MAX_BETWEEN + 1]):
        if _continues(passage, candidate, typography, certain=index > 0 or certain):
            return index
        if not _is_inserted(candidate, passage.size):
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
