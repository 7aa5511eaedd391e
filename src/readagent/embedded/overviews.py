"""Overviews without a language model: the most telling sentences, evenly over the text, and sentences with a year."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from readagent.core.memory import GistMemory
from readagent.core.model import Ask
from readagent.core.overviews.entries import divide
from readagent.core.quotes.check_quotes import sentences_on
from readagent.core.words import count_words, sentences
from readagent.embedded.local import needs_model
from readagent.embedded.shorten import PartsEmbedder, Sentences, is_sentence, most_telling
from readagent.errors import UsageError
from readagent.retrieval.bm25 import content_words
from readagent.retrieval.vectors import vectors_of

_SENTENCE = 30  # words of a sentence of a summary, about
_LEAST, _MOST = 8, 60  # words of a sentence that can stand in a summary
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
            return " ".join(
                f"{text} [Page {page}]" for page, text in await central(memory, pages, ask.material.words, embedder)
            )
        case "timeline":
            return "\n".join(_events(memory, pages)) or "NONE"
        case kind:
            raise needs_model(f"extracting {kind}")


async def central(
    memory: GistMemory, pages: Sequence[int], words: int, embedder: PartsEmbedder, span: tuple[int, int] | None = None
) -> list[tuple[int, str]]:
    """Return sentences of these pages, each with its page, in order: the most telling ones of many equal parts.

    They are chosen among those of the gists, whose vectors are known, and shown as they stand in the text. Of a page
    that is only partly within a ``span``, they are chosen among the sentences that are.
    """
    shown = [(page, text) for page in pages for text in _sentences_within(memory, page, span)]
    shown = [one for one in shown if is_sentence(one[1]) and _LEAST <= count_words(one[1]) <= _MOST] or shown
    if not shown:
        return []
    count = min(max(1, words // _SENTENCE), len(shown))
    vectors = await vectors_of([text for _, text in shown], embedder)
    chosen = list[tuple[int, str]]()
    for at in range(count):
        part = slice(at * len(shown) // count, (at + 1) * len(shown) // count)
        texts = [text for _, text in shown[part]]
        told = most_telling(Sentences(texts, [count_words(text) for text in texts], vectors[part]), words // count)
        chosen += ((page, _whole(text, memory, page)) for page, text in (shown[part][one] for one in told))
    return list(dict.fromkeys(chosen))


def _sentences_within(memory: GistMemory, page: int, span: tuple[int, int] | None) -> list[str]:
    """Return the sentences of a gist; of a page that a span begins or ends in, those of the text within the span."""
    own = memory.pages[page]
    if span is None or (span[0] <= own.start + 1 and own.end <= span[1]):
        return sentences(memory.gists[page].text)
    text = memory.document.text
    return [text[start:end] for start, end in sentences_on(memory, page) if span[0] <= start and end <= span[1]]


def _whole(text: str, memory: GistMemory, page: int) -> str:
    """Return the sentence of a page that has most words of one of its gist, which another model may have written."""
    words = Counter(text.split())
    best = max(_sentences(memory, page), key=lambda one: (words & Counter(one.split())).total(), default=text)
    return " ".join(best.split())


def _sentences(memory: GistMemory, page: int) -> list[str]:
    return sentences(memory.page_text(page))


async def _outline(ask: Ask, memory: GistMemory, embedder: PartsEmbedder) -> str:
    """Return a line for each chapter, or for each of some equal parts with its most characteristic words as title."""
    lines = []
    if ask.material.statements:  # the offsets of each chapter
        for number, given in enumerate(ask.material.statements, 1):
            start, end = map(int, given.split("-"))
            pages = range(memory.page_at(start), memory.page_at(max(start, end - 1)) + 1)
            told = await central(memory, pages, 40, embedder, (start, end))
            lines += [f"{number} | {_line(text)} | {page}" for page, text in told]
        return "\n".join(lines)
    parts = divide(memory, ask.material.opened, min(_PARTS, max(1, len(ask.material.opened) // 2)))
    counts = [_words_of(memory, part) for part in parts]
    spread = Counter(word for part in counts for word in part)
    for number, (part, words) in enumerate(zip(parts, counts, strict=True), 1):
        best = sorted(words, key=lambda word: (-words[word] / spread[word], word))[:_TITLE]
        title = ", ".join(best).capitalize() or f"Part {number}"
        text = " ".join(text for _, text in await central(memory, part, 40, embedder))
        lines.append(f"{title} | {_line(text)} | {part[0]}-{part[-1]}")
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
