"""A scripted reader for small windows, which sees nothing but its prompt.

Its gists are the most telling sentences of a page: those with the rarest names and words of the text, as a model names
who and what a page is about. It asks for the pages and parts whose snippets, gists and entries share the rarest words
with the question. It answers only with a sentence of an opened page that has most of the question's words, and says
otherwise that the text does not hold the answer.
"""

from __future__ import annotations

import asyncio
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from math import fsum, log

from window_questions import understood

from readagent.core.model import Ask, Reply
from readagent.core.words import count_words, sentences
from readagent.errors import ContextOverflowError
from readagent.retrieval.bm25 import terms
from readagent.testing.scripted import reply_to

_ENTRY = re.compile(r"^<(Page|Part) (\d+)[^<>\n]*>[ \t]*$", re.M)
_LENGTH = re.compile(r"(?:at most|about) (\d+) words")
_TAGGED = "<{0}>\n(.*?)\n</{0}>"
_PAGES, _PARTS = 6, 2  # that it asks for at a time
_ENOUGH = 0.6  # of the question's words that a sentence must have to be the answer


class WindowReader:
    """A model that refuses prompts longer than its window. ``rarity`` has the weight of every term of the text."""

    def __init__(self, rarity: Mapping[str, float], window: int | None) -> None:
        self.name = "window reader"
        self.window = window
        self._rarity = rarity

    async def complete(self, ask: Ask) -> Reply:
        """Return the reply to a prompt."""
        await asyncio.sleep(0)
        reply = reply_to(ask, self._reply(ask))
        if self.window is not None and reply.usage.prompt_tokens + reply.usage.reply_tokens > self.window:
            raise ContextOverflowError(f"a {ask.step} prompt is longer than the window")
        return reply

    def _reply(self, ask: Ask) -> str:
        match ask.step:
            case "paginate":
                assert ask.choice is not None
                return f"Break point: {ask.choice.values[len(ask.choice.values) * 3 // 4]}"
            case "gist" | "merge":
                return f"Gist: {self._gist(ask.prompt)}"
            case "look_up":
                return self._wanted(ask.prompt)
            case "respond":
                return self._answer(ask.prompt, "memory")
            case "direct":
                return self._answer(ask.prompt, "opened") or self._wanted(ask.prompt) or "NOT IN THE TEXT"
            case _:
                return "1: yes [1]"

    def _gist(self, prompt: str) -> str:
        passage = _inside(prompt, "passage")
        asked = _LENGTH.search(prompt.replace(passage, ""))
        room = int(asked[1]) if asked else count_words(passage) // 7
        pieces = list(dict.fromkeys(sentences(passage)))
        told = [fsum(self._rarity.get(term, 0) for term in set(terms(piece))) for piece in pieces]
        order = sorted(range(len(pieces)), key=lambda i: -told[i] / (5 + count_words(pieces[i])))
        kept = set[int]()
        for i in order:
            if (size := count_words(pieces[i])) <= room:
                kept.add(i)
                room -= size
        told_in = " ".join(pieces[i] for i in sorted(kept)) or " ".join(passage.split()[: max(1, room)])
        return f"Gist: {told_in}"

    def _wanted(self, prompt: str) -> str:
        """Return a request for the pages and parts that are not open; "" if none shares a word with the question."""
        asked, opened = set(terms(understood(_inside(prompt, "question")))), _inside_all(prompt, "opened")
        entries = {
            (kind, number): set(terms(text)) for kind, number, text in _entries(_inside(prompt, "memory"), *opened)
        }
        having = Counter(term for some in entries.values() for term in some)
        shared = {one: fsum(log(1 + len(entries) / having[t]) for t in some & asked) for one, some in entries.items()}
        read = {(kind, number) for text in opened for kind, number, _ in _entries(text)}
        best = [one for one in sorted(shared, key=lambda one: -shared[one]) if shared[one] > 0 and one not in read]
        pages = [number for kind, number in best if kind == "Page"][:_PAGES]
        parts = [number for kind, number in best if kind == "Part"][:_PARTS]
        frame = prompt.rpartition("</question>")[2]
        if pages and "Pages: number" in frame:
            return f"Pages: {', '.join(pages)}"
        return f"Parts: {', '.join(parts)}" if parts and "Parts: number" in frame else ""

    def _answer(self, prompt: str, tag: str) -> str:
        asked = set(terms(understood(_inside(prompt, "question"))))
        best, most = "", 0.0
        for _, number, text in _entries(*_inside_all(prompt, tag)):
            for piece in sentences(text):
                share = len(asked & set(terms(piece))) / max(1, len(asked))
                if share > most:
                    best, most = f'Answer: {piece}\nPage {number}: "{piece}"', share
        return best if most >= _ENOUGH else "NOT IN THE TEXT" if tag == "memory" else ""


def rarity_of(texts: Sequence[str]) -> dict[str, float]:
    """Return the weight of each term of a text, given as passages: the rarer, the higher; of one passage, half."""
    having = Counter(term for text in texts for term in set(terms(text)))
    return {term: log(len(texts) / count) * (1 if count > 1 else 0.5) for term, count in having.items()}


def _entries(*texts: str) -> list[tuple[str, str, str]]:
    """Return the kind, the number and the text of each page and part."""
    found = list[tuple[str, str, str]]()
    for text in texts:
        pieces = _ENTRY.split(text)
        found += zip(pieces[1::3], pieces[2::3], pieces[3::3], strict=True)
    return found


def _inside_all(prompt: str, tag: str) -> list[str]:
    return re.findall(_TAGGED.format(tag), prompt, re.S)


def _inside(prompt: str, tag: str) -> str:
    return (_inside_all(prompt, tag) or [""])[-1]
