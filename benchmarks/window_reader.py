"""A scripted reader for small windows, which sees nothing but its prompt.

Its gists are the most telling sentences of a page: those with the rarest names and words of the text, as a model names
who and what a page is about. It chooses entries by the rare words that they share with the question, and trusts a
search as much: the ranks of both are added, and it chooses as many as it may. It answers only with a sentence that has
most of the question's words, and says otherwise that the text does not hold the answer.
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

_ENTRY = re.compile(r"^<(?:Page|Part) (\d+)>[ \t]*$", re.M)
_HINTS = re.compile(r"the likeliest first: ([^.]*)\.")
_SEEN = re.compile(r"the answer was not there: ([^.]*)\.")
_OFFERED = re.compile(r"of the parts ([^:]*):")
_LENGTH = re.compile(r"(?:at most|about) (\d+) words")
_TAGGED = "<{0}>\n(.*?)\n</{0}>"
_MOST = re.compile(r"at most (\d+) of the")
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
                assert ask.choice is not None
                return self._choice(ask.prompt, ask.choice.label)
            case "respond":
                return self._answer(ask.prompt)
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

    def _choice(self, prompt: str, label: str) -> str:
        memory, question = _inside(prompt, "memory"), understood(_inside(prompt, "question"))
        frame = prompt.replace(memory, "")
        parts = _ENTRY.split(memory)
        entries = {int(number): set(terms(text)) for number, text in zip(parts[1::2], parts[2::2], strict=True)}
        having = Counter(term for some in entries.values() for term in some)
        asked = set(terms(question))
        shared = {n: fsum(log(1 + len(entries) / having[t]) for t in some & asked) for n, some in entries.items()}
        by_words = [n for n in sorted(shared, key=lambda n: (-shared[n], n)) if shared[n] > 0]
        found, seen = _listed(_HINTS, frame), set(_listed(_SEEN, frame))
        scores = Counter[int]()
        for ranking in (found, by_words[:20]):
            for rank, number in enumerate(ranking):
                scores[number] += 1 / (2 + rank)  # type: ignore[assignment]
        legal = _offered(frame) or set(entries) - seen
        best = [number for number, _ in scores.most_common() if number in legal] or sorted(legal)[:1]
        most = _MOST.search(frame)
        chosen = best[: int(most[1]) if most else 1]
        return f"{label}: {', '.join(map(str, chosen))}"

    def _answer(self, prompt: str) -> str:
        memory, asked = _inside(prompt, "memory"), set(terms(understood(_inside(prompt, "question"))))
        entries = _ENTRY.split(memory)
        best, most = "", 0.0
        for number, text in zip(entries[1::2], entries[2::2], strict=True):
            for piece in sentences(text):
                share = len(asked & set(terms(piece))) / max(1, len(asked))
                if share > most:
                    best, most = f'Answer: {piece}\nPage {number}: "{piece}"', share
        return best if most >= _ENOUGH else "NOT IN THE TEXT"


def rarity_of(texts: Sequence[str]) -> dict[str, float]:
    """Return the weight of each term of a text, given as passages: the rarer, the higher; of one passage, half."""
    having = Counter(term for text in texts for term in set(terms(text)))
    return {term: log(len(texts) / count) * (1 if count > 1 else 0.5) for term, count in having.items()}


def _inside(prompt: str, tag: str) -> str:
    found = re.findall(_TAGGED.format(tag), prompt, re.S)
    return found[-1] if found else ""


def _offered(frame: str) -> set[int]:
    """Return the numbers of the parts that may be chosen."""
    found = _OFFERED.search(frame)
    ranges = re.findall(r"(\d+)(?: to (\d+))?", found[1]) if found else ()
    return {number for first, last in ranges for number in range(int(first), int(last or first) + 1)}


def _listed(pattern: re.Pattern[str], text: str) -> list[int]:
    found = pattern.search(text)
    return [int(number) for number in re.findall(r"\d+", found[1])] if found else []
