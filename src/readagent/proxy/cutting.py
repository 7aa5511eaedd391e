"""Cut the text of a message into pages, always in the same way, and find what is kept of it where it stands."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from readagent.core.paragraphs import paragraph_starts
from readagent.core.window import parts
from readagent.core.words import sentence_ends
from readagent.proxy.chat import Count

_BLANK = 40  # characters; more white space than this before a text is no part of its first paragraph
_REACH = 8  # characters for each token; more are not needed to find the start and the end of a text


def pages_of(text: str, limit: int, count: Count) -> list[str]:
    """Return the text in pieces of at most ``limit`` tokens that end with a paragraph, or else with a sentence.

    A longer text that begins in the same way has the same first pages.
    """
    pages, size, kept = list[str](), 0, list[str]()
    for piece in _pieces(text, limit, count):
        tokens = count(piece)
        if kept and size + tokens > limit:
            pages.append("".join(kept))
            size, kept = 0, []
        kept.append(piece)
        size += tokens
    pages.append("".join(kept))
    return [page.strip() for page in pages if page.strip()]


def _pieces(text: str, limit: int, count: Count) -> Iterator[str]:
    """Yield the paragraphs of a text, and parts of those that are too long."""
    for start, end in pairwise([*paragraph_starts(text), len(text)]):
        yield from parts(text[start:end], limit, count)


def split_ends(text: str, limit: int, count: Count) -> tuple[str, str, str]:
    """Return the start, the middle and the end of a long text; start and end have at most ``limit`` tokens.

    Both are whole paragraphs, or whole sentences, where one fits: an instruction usually stands there.
    """
    reach = _REACH * limit
    first = _taken(_sentences(text[:reach], limit, count), limit, count)
    rest = text[first:]
    last = _taken(_sentences(rest[-reach:], limit, count)[::-1], limit, count)
    return text[:first].strip(), rest[: len(rest) - last].strip(), rest[len(rest) - last :].strip()


def _sentences(text: str, limit: int, count: Count) -> list[str]:
    """Return the paragraphs of a text, and the sentences of those that are longer than the limit."""
    blank = len(text) - len(text.lstrip())
    found, text = ([text[:blank]], text[blank:]) if blank > _BLANK else ([], text)
    for start, end in pairwise([*paragraph_starts(text), len(text)]):
        paragraph = text[start:end]
        cuts = [] if count(paragraph) <= limit else sentence_ends(paragraph, 0, len(paragraph))
        for begin, stop in pairwise([0, *cuts, len(paragraph)]):
            found += parts(paragraph[begin:stop], limit, count)
    return found


def _taken(pieces: list[str], limit: int, count: Count) -> int:
    """Return how many characters the first pieces have that are at most ``limit`` tokens together; never all pieces."""
    tokens = size = 0
    for piece in pieces[:-1]:
        tokens += count(piece)
        if tokens > limit:
            break
        size += len(piece)
    return size
