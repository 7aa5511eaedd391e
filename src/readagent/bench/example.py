"""Example, Case and Outcome: a question with its key, a document with its questions, and what a method made of one."""

from __future__ import annotations

from dataclasses import dataclass

from readagent.core.document import Document
from readagent.core.memory import GistMemory
from readagent.core.question import Question
from readagent.core.trace import Trace

SEARCH_FAILED = "search failed"  # the note of an outcome without an answer, where the search for one came to nothing


@dataclass(frozen=True, slots=True)
class Example:
    """A question and what is known of its answer.

    ``references`` are answers in words; ``gold`` is the letter of the right option, or ``true`` or ``false``. Examples
    with the same ``pair`` count only together. ``spans`` are the parts of the document that bear on it, as character
    offsets, where the data set says so. ``group`` is what results are broken down by.
    """

    id: str
    question: Question
    references: tuple[str, ...] = ()
    gold: str = ""
    pair: str = ""
    spans: tuple[tuple[int, int], ...] = ()
    group: str = ""


@dataclass(frozen=True, slots=True)
class Case:
    """A document and the questions about it. ``id`` is the data set's own name for the document."""

    id: str
    document: Document
    examples: tuple[Example, ...]


@dataclass(frozen=True, slots=True)
class Studied:
    """What studying a document took for a method, apart from any question, and what came of it.

    ``memory`` has the pages that the method works with, where it works with pages, and ``whole`` the gists before any
    were merged, where it uses gists. ``own`` is whether it was made for one question alone.
    """

    trace: Trace
    memory: GistMemory | None = None
    whole: GistMemory | None = None
    own: bool = False


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a method answered.

    ``pages`` are those it looked up, by the numbers of ``reading.memory``; None where a method looks up none by design.
    ``context_words`` are the words of text, gists and raw pages, that the answer was given from; 0 where there was no
    answer to give.
    """

    text: str
    choice: str | None
    pages: tuple[int, ...] | None
    context_words: int
    reading: Studied | None = None
    notes: tuple[str, ...] = ()
