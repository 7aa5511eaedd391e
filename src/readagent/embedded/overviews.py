"""Overviews without a language model: central sentences, evenly over the text, and sentences with a year."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from math import log, sqrt

import numpy as np

from readagent.core.memory import GistMemory
from readagent.core.model import Ask
from readagent.core.overviews.entries import divide
from readagent.core.quotes.check_quotes import sentences_on
from readagent.core.words import count_words, sentences
from readagent.embedded.local import needs_model
from readagent.embedded.shorten import PartsEmbedder, is_wordy
from readagent.errors import UsageError
from readagent.retrieval.bm25 import content_words, terms
from readagent.retrieval.vectors import unit, vectors_of

_SENTENCE = 30  # words of a sentence of a summary, about
_OVER = 1.2  # of the words of a summary that it may have once each part has a sentence
_USUAL, _TELLING_MORE = 0.3, 1.5  # weight of usual words, and the power of how much a sentence tells
_LEAST, _MOST = 8, 60  # words of a sentence that can stand in a summary
_SPOKEN = 0.05  # less for a sentence that begins with a pronoun or a quotation mark, which needs the one before it
_NO_SENTENCE = 5.0  # less for code and rows of tables
_OPENS_BADLY = re.compile(r"[\"“‘'«(\[]|(?:he|she|it|they|this|that|these|those|but|and|so|then|his|her|their)\b", re.I)
_MARKUP = re.compile(r"\{\w+\}")  # what a transcript notes about sounds
_EVENT = 5  # words of a sentence besides its year: fewer are the date of a letter
_YEAR = re.compile(r"\b(?:1\d{3}|20\d{2})\b(?![.,]\d)")
_PARTS = 6  # of an outline without chapters
_TITLE, _LONG = 3, 4  # words of the title of such a part, and letters of a word in it


async def overview_reply(ask: Ask, embedder: PartsEmbedder) -> str:
    """Return the reply to an ask of an overview; raise UsageError for what needs a language model."""
    memory, pages = ask.material.memory, ask.material.opened
    if ask.step == "join":
        return "NONE"
    if memory is None:
        raise UsageError(f"the offline reader needs a memory for the step {ask.step}")
    match ask.material.kind:
        case "outline":
            return await _outline(ask, memory, embedder)
        case "summary":
            return " ".join(await central(memory, pages, ask.material.words, embedder))
        case "timeline":
            return "\n".join(_events(memory, pages)) or "NONE"
        case kind:
            raise needs_model(f"extracting {kind}")


async def central(
    memory: GistMemory, pages: Sequence[int], words: int, embedder: PartsEmbedder, span: tuple[int, int] | None = None
) -> list[str]:
    """Return sentences of these pages with their page, in order: the most central ones of many equal parts.

    Central are those near to the meaning of their part, in words that these pages use often, and in many of them.
    Each part has one, and more are taken until there are as many words as asked for. They are chosen among those of
    the gists, whose vectors are known, and shown as they stand in the text. Of a page that is only partly within a
    ``span``, they are chosen among the sentences that are.
    """
    shown = [(page, text) for page in pages for text in _sentences_within(memory, page, span)]
    if not shown:
        return []
    count = max(1, min(words // _SENTENCE, len(shown)))
    vectors = await vectors_of([text for _, text in shown], embedder)
    often = _often(memory, pages)
    ranked: list[tuple[int, float, int]] = []  # the best of all parts first, then the second best
    for at in range(count):
        first, last = at * len(shown) // count, (at + 1) * len(shown) // count
        part = vectors[first:last]
        centre = unit(part.mean(axis=0))
        scores = [
            (float(row @ centre) + _USUAL * _usual(text, often)) * _content(text) - _penalty(text)
            for row, (_, text) in zip(part, shown[first:last], strict=True)
        ]
        order = np.argsort(scores, kind="stable")[::-1]
        ranked += [(rank, -scores[place], first + int(place)) for rank, place in enumerate(order)]
    any_words = any(is_wordy(text) for _, text in shown)
    chosen: dict[int, str] = {}
    for rank, _, place in sorted(ranked):
        page, text = shown[place]
        sentence = _whole(text, memory, page)
        whole = f"{sentence} [Page {page}]"
        told = sum(map(count_words, chosen.values())) - 2 * len(chosen)
        if rank and told >= words:
            break
        fits = _LEAST <= count_words(text) <= _OVER * words - told
        tells = is_wordy(sentence) or not any_words
        if tells and whole not in chosen.values() and (not rank or fits):
            chosen[place] = whole
    return [chosen[place] for place in sorted(chosen)]


def _sentences_within(memory: GistMemory, page: int, span: tuple[int, int] | None) -> list[str]:
    """Return the sentences of a gist; of a page that a span begins or ends in, those of the text within the span."""
    own = memory.pages[page]
    if span is None or (span[0] <= own.start + 1 and own.end <= span[1]):
        return sentences(memory.gists[page].text)
    text = memory.document.text
    inside = [text[start:end] for start, end in sentences_on(memory, page) if span[0] <= start and end <= span[1]]
    return [one for one in inside if count_words(one) >= _LEAST] or inside


def _whole(text: str, memory: GistMemory, page: int) -> str:
    """Return the sentence of a page that a sentence of its gist was taken from."""
    words = Counter(text.split())
    best = max(_sentences(memory, page), key=lambda one: (words & Counter(one.split())).total(), default=text)
    return " ".join(best.split())


def _sentences(memory: GistMemory, page: int) -> list[str]:
    return sentences(memory.page_text(page))


def _content(text: str) -> float:
    """Return how much a sentence can tell: a little more for each different word that is not a mere link."""
    return float(log(1 + len(_terms(text))) ** _TELLING_MORE)


def _terms(text: str) -> set[str]:
    return set(terms(_MARKUP.sub(" ", text)))


def _often(memory: GistMemory, pages: Sequence[int]) -> dict[str, float]:
    """Return how many of a hundred words of these pages a word is, for all but mere links."""
    counts = Counter(word for page in pages for word in _page_terms(memory.page_text(page)))
    return {word: 100 * count / counts.total() for word, count in counts.items()}


@lru_cache(maxsize=4096)
def _page_terms(text: str) -> tuple[str, ...]:
    return tuple(terms(_MARKUP.sub(" ", text)))


def _usual(text: str, often: Mapping[str, float]) -> float:
    """Return how often the pages use the words of a sentence; a long one has not more of it than a short one."""
    words = _terms(text)
    return sum(often.get(word, 0.0) for word in words) / sqrt(len(words)) if words else 0.0


def _penalty(text: str) -> float:
    """Return how much less a sentence is worth because it cannot stand alone."""
    words = count_words(text)
    wrong_length = max(0, _LEAST - words) + max(0, words - _MOST)
    apart = _NO_SENTENCE * (not is_wordy(text)) + 0.3 * text.rstrip().endswith("?")
    return apart + _SPOKEN * bool(_OPENS_BADLY.match(text.lstrip())) + 0.05 * wrong_length


async def _outline(ask: Ask, memory: GistMemory, embedder: PartsEmbedder) -> str:
    """Return a line for each chapter, or for each of some equal parts with its most characteristic words as title."""
    if ask.material.statements:  # the offsets of each chapter
        lines = []
        for number, given in enumerate(ask.material.statements, 1):
            start, end = map(int, given.split("-"))
            pages = range(memory.page_at(start), memory.page_at(max(start, end - 1)) + 1)
            for said in await central(memory, pages, 40, embedder, (start, end)):
                text, _, page = said.rpartition(" [Page ")
                lines.append(f"{number} | {text.replace('|', '/')} | {page.rstrip(']')}")
        return "\n".join(lines)
    parts = divide(memory, ask.material.opened, min(_PARTS, max(1, len(ask.material.opened) // 2)))
    counts = [_words_of(memory, part) for part in parts]
    spread = Counter(word for part in counts for word in part)
    lines = []
    for number, (part, words) in enumerate(zip(parts, counts, strict=True), 1):
        best = sorted(words, key=lambda word: (-words[word] / spread[word], word))[:_TITLE]
        title = ", ".join(best).capitalize() or f"Part {number}"
        told = [one.rpartition(" [Page ")[0].replace("|", "/") for one in await central(memory, part, 40, embedder)]
        lines.append(f"{title} | {' '.join(told)} | {part[0]}-{part[-1]}")
    return "\n".join(lines)


def _words_of(memory: GistMemory, pages: Sequence[int]) -> Counter[str]:
    """Return in how many sentences of these pages each longer word is."""
    said = (word for page in pages for one in _sentences(memory, page) for word in content_words(one))
    return Counter(word for word in said if len(word) >= _LONG and word.isalpha())


def _line(text: str) -> str:
    return " ".join(text.split()).replace("|", "/")


def _events(memory: GistMemory, pages: Sequence[int]) -> Iterator[str]:
    """Yield a line for each sentence with a year; a year alone, such as that of a letter, is none."""
    for page in pages:
        for sentence in _sentences(memory, page):
            year = _YEAR.search(sentence)
            if year and count_words(sentence) > _EVENT:
                yield f"{year[0]} | {year[0]} | {_line(sentence)} | {page}"
