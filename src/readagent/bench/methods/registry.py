"""Which methods there are, and how a name such as ``readagent-p:1-6`` becomes one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import Protocol

from readagent.bench.desk import Desk
from readagent.bench.example import Outcome
from readagent.core.document import Document
from readagent.core.question import Question
from readagent.errors import UsageError


class Method(Protocol):
    """A way of answering a question about a document."""

    @property
    def name(self) -> str:
        """As on the command line, with its number."""
        ...

    @property
    def title(self) -> str:
        """As in the tables of the paper."""
        ...

    async def answer(self, document: Document, question: Question, desk: Desk) -> Outcome: ...


@dataclass(frozen=True, slots=True)
class Entry:
    """A method: the file that holds it (its ``make(number)`` gives the method), and what its number stands for."""

    room: str
    help: str
    number: str = ""  # what the number after the colon counts; empty where there is none
    usual: int = 0
    embeds: bool = False  # whether it needs an embedder


METHODS: Mapping[str, Entry] = {
    "readagent-p": Entry("readagent", "ReadAgent, all pages asked for at once", "pages at most, 1 or 1-6", 6),
    "readagent-s": Entry("readagent", "ReadAgent, one page asked for after the other", "pages at most", 6),
    "readagent-auto": Entry("readagent", "ReadAgent, as many pages as need be, with hints", "pages at most", 6),
    "readagent-p+hints": Entry("readagent", "ReadAgent-P, with hints beside the gists", "pages at most", 6),
    "uniform-p": Entry("readagent", "ReadAgent-P on pages of equal length", "pages at most", 6),
    "conditional-p": Entry("readagent", "ReadAgent-P, gists made for the question", "pages at most", 6),
    "conversation": Entry("readagent", "ReadAgent-P, read part by part, older gists shortened", "pages at most", 6),
    "shelf": Entry("shelf", "ReadAgent-P over all documents of the run on one shelf", "documents at most", 4),
    "gistmem": Entry("gistmem", "the gists alone"),
    "gistmem+neural": Entry("gistmem", "the gists, and the nearest pages in full", "pages", 1, embeds=True),
    "bm25": Entry("bm25", "the best pages by BM25", "pages", 3),
    "neural": Entry("neural", "the nearest pages by vectors of pages", "pages", 3, embeds=True),
    "neural-gist": Entry("neural", "the nearest pages by vectors of gists", "pages", 3, embeds=True),
    "hints": Entry("hints", "the best pages by words, and by vectors with an embedder", "pages", 3),
    "full": Entry("full", "the whole text"),
    "first": Entry("full", "the first words of the text", "words", 6000),
    "last": Entry("full", "the last words of the text", "words", 6000),
    "memwalker": Entry("memwalker", "a tree of summaries, walked from the root"),
    "dos-rag": Entry("dos_rag", "the nearest chunks, in the order of the text", "tokens", 4000, embeds=True),
}


def method(name: str) -> Method:
    """The method of this name."""
    kind, _, number = name.partition(":")
    entry = METHODS.get(kind)
    if entry is None:
        raise UsageError(f"there is no method {kind!r}", hint=f"methods: {', '.join(METHODS)}")
    most = number.rpartition("-")[2] if entry.number else ""
    if (number and not entry.number) or (number and not most.isdigit()) or (most and int(most) < 1):
        raise UsageError(
            f"{name!r} is no method", hint=f"{kind}:{entry.usual}" if entry.number else f"{kind} takes no number"
        )
    made: Method = import_module(f"readagent.bench.methods.{entry.room}").make(kind, int(most or entry.usual))
    return made


def needs_embedder(name: str) -> bool:
    """Whether the method of this name works with vectors."""
    return METHODS[name.partition(":")[0]].embeds
