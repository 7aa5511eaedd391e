"""Example, Case and Outcome: a question with its key, a document with its questions, and what a method made of one."""

from __future__ import annotations

from dataclasses import dataclass

from readagent.core.document import Document
from readagent.core.question import Question
from readagent.core.trace import Trace


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
class Outcome:
    """What a method answered, and what it took.

    ``pages`` are those it looked up, by the numbers of the shared pages; None where a method has no such pages.
    ``context_words`` are the words of text, gists and raw pages, that the answer was given from. ``trace`` holds the
    calls made for this question; what the document's reading took is counted apart, in ``reading``, once a document.
    """

    text: str
    choice: str | None
    pages: tuple[int, ...] | None
    context_words: int
    trace: Trace
    reading: Trace | None = None
    notes: tuple[str, ...] = ()
