"""Documents with questions (Case, Example, Asked), and what methods make of them (Outcome, Preparation)."""

from __future__ import annotations

from dataclasses import dataclass

from readagent.core.document import Document
from readagent.core.memory import GistMemory
from readagent.core.question import Question
from readagent.core.trace import Trace

SEARCH_FAILED = "search failed"  # the note of an outcome without an answer, where the method's search found no place


@dataclass(frozen=True, slots=True)
class Example:
    """A question and what is known about its answer.

    ``references`` are answers in words; ``gold`` is the letter of the right option, or ``true`` or ``false``. Examples
    with the same ``pair`` count only together. ``spans`` are the parts of the document that matter for the question, as
    character offsets, where the data set has them. Results are broken down by ``group``.
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
    """A document and the questions about it. ``id`` is the document's name in the data set."""

    id: str
    document: Document
    examples: tuple[Example, ...]


@dataclass(frozen=True, slots=True)
class Asked:
    """What a method is given: a document and a question, without the key."""

    document: Document
    question: Question


@dataclass(frozen=True, slots=True)
class Preparation:
    """Work that a method did for a document before any question, and its result.

    ``memory`` has the pages that the method uses, if it uses pages, and ``gists`` is whether it uses its gists.
    ``for_question`` is whether it was done for one question alone, and ``failed`` whether it has no result; it has its
    cost nevertheless.
    """

    trace: Trace
    memory: GistMemory | None = None
    gists: bool = False
    for_question: bool = False
    failed: bool = False


@dataclass(frozen=True, slots=True)
class Outcome:
    """The answer of a method.

    ``pages`` are those it looked up, numbered as in ``preparation.memory``; None if the method never looks up pages.
    ``context_words`` counts the words of text, gists and raw pages, in the prompt of the answer; 0 without an answer.
    """

    text: str
    choice: str | None
    pages: tuple[int, ...] | None
    context_words: int
    preparation: Preparation | None = None
    notes: tuple[str, ...] = ()
