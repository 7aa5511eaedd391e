"""Keywords: the names and numbers of a page that its gist lost, found without a model and put behind the gist."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace

from readagent.core.memory import Gist, GistMemory
from readagent.core.words import count_words, sentences

_NAME = re.compile(r"[^\W\d_][\w’'-]*[^\W_]")
_NUMBER = re.compile(r"\d(?:[\d.,:/]*\d)?%?")
_TOKEN = re.compile(rf"{_NUMBER.pattern}|{_NAME.pattern}")
_ENDS = re.compile(r"(?:['’]s|['’])$")


def with_keywords(memory: GistMemory, words: int) -> GistMemory:
    """The memory with up to so many words behind each gist, as in ``[also: Brenza, 1,994]``; rare ones come first."""
    if words <= 0:
        return memory
    found = _found(memory)
    spread = Counter(word for page in found for word in page)
    gists = tuple(
        _extended(gist, sorted(page, key=lambda word: spread[word]), words)
        for gist, page in zip(memory.gists, found, strict=True)
    )
    return replace(memory, gists=gists)


def _extended(gist: Gist, ranked: list[str], words: int) -> Gist:
    """A gist with the first of these words that it lacks, in so many words of its own, the label among them."""
    if gist.origin == "verbatim":
        return gist
    held = set(map(str.casefold, _TOKEN.findall(gist.text)))
    lost = [word for word in ranked if word.casefold() not in held][: words - 1]
    if not lost:
        return gist
    text = f"{gist.text} [also: {', '.join(lost)}]"
    return Gist(text, count_words(text), gist.origin)


def _found(memory: GistMemory) -> list[dict[str, None]]:
    """The names and numbers of each page, each once, in the order of the text."""
    inside, small = _names(memory.document.text)
    names = inside - small
    return [
        dict.fromkeys(
            word
            for token in _TOKEN.findall(memory.page_text(page.number))
            if (word := _ENDS.sub("", token))[0].isdigit() or word in names
        )
        for page in memory.pages
    ]


def _names(text: str) -> tuple[set[str], set[str]]:
    """The words written with a capital inside a sentence, and those words in that form that are written small too."""
    inside: set[str] = set()
    small: set[str] = set()
    for sentence in sentences(text):
        for number, token in enumerate(_NAME.findall(sentence)):
            word = _ENDS.sub("", token)
            if word[:1].islower():
                small.add(word[:1].upper() + word[1:])
            elif number and word[:1].isupper() and word[:2] not in ("I'", "I’"):
                inside.add(word)
    return inside, small
