"""Parts of a memory, counted from its start, and the gists, searches and messages that a reader has made last."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from math import fsum, log

from readagent.core.memory import Gist
from readagent.core.words import count_words, lead, sentences
from readagent.retrieval.bm25 import terms
from readagent.retrieval.hints import WordHinter

BRANCHES = 8  # pages of a part, and parts of a larger one
MOST_MESSAGES = 64
_MOST_KNOWN = 4096


@dataclass(frozen=True, slots=True)
class Span:
    """The pages from ``start`` to before ``end``: a page, or a part."""

    start: int
    end: int

    @property
    def is_part(self) -> bool:
        """Whether these are several pages."""
        return self.end - self.start > 1

    @property
    def tag(self) -> str:
        """The tag above its gist."""
        return f"<Pages {self.start} to {self.end - 1}>" if self.is_part else f"<Page {self.start}>"


def spans(pages: int, level: int) -> list[Span]:
    """Return the largest parts up to this level that so many pages have, and the pages after them; 0 is all pages."""
    size = BRANCHES**level
    parts = [Span(at, at + size) for at in range(0, pages - size + 1, size)]
    rest = [] if level == 0 else [one for one in spans(pages, level - 1) if one.start >= len(parts) * size]
    return [*parts, *rest]


def below(span: Span) -> list[Span]:
    """Return what a part is divided into."""
    size = (span.end - span.start) // BRANCHES
    return [Span(at, at + size) for at in range(span.start, span.end, size)]


class KnownGists:
    """The gists that a reader has made or found last, and the search in its texts."""

    def __init__(self) -> None:
        self._gists: OrderedDict[tuple[bytes, int], Gist] = OrderedDict()
        self.messages: OrderedDict[tuple[bytes, int], tuple[str, frozenset[int], int]] = OrderedDict()
        self.hinter = WordHinter()  # it remembers the words of the last texts

    def get(self, text: str, tokens: int) -> Gist | None:
        """Return the gist of a text, of at most so many tokens."""
        key = digest(text), tokens
        if key in self._gists:
            self._gists.move_to_end(key)
        return self._gists.get(key)

    def keep(self, text: str, tokens: int, gist: Gist) -> None:
        """Keep the gist of a text; the model may do better than one that it has not written."""
        self._gists[digest(text), tokens] = gist
        if len(self._gists) > _MOST_KNOWN:
            self._gists.popitem(last=False)


def telling(text: str, words: int, spread: Mapping[str, int]) -> str:
    """Return the sentences of a text with the rarest words, at most ``words`` words; its opening if none is so short.

    ``spread`` is on how many pages each term is.
    """
    found, left, kept = sentences(text), words, set[int]()
    pages = max(spread.values(), default=1)

    def rarity(at: int) -> float:
        own = set(terms(found[at]))
        return fsum(log(1 + pages / spread[term]) for term in own) / (len(own) + 1)

    for at in sorted(range(len(found)), key=rarity, reverse=True):
        size = count_words(found[at])
        if size <= left:
            kept.add(at)
            left -= size
    return " ".join(found[at] for at in sorted(kept)) or lead(text, words)


def digest(text: str) -> bytes:
    """Return what a text is known by."""
    return sha256(text.encode("utf-8", "surrogatepass")).digest()
