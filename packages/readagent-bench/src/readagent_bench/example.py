"""Documents with questions (Case, Example, Asked), and what methods make of them (Outcome, Preparation)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from readagent.core.document import Document
from readagent.core.memory import GistMemory
from readagent.core.question import Question
from readagent.core.trace import Trace

Scored = Literal["", "f1", "f1-parts", "f1-verdict", "absent"]
SEARCH_FAILED = "search failed"  # the note of an outcome without an answer, where the method's search found no place


@dataclass(frozen=True, slots=True)
class Example:
    """A question and what is known about its answer.

    ``references`` are answers in words; ``gold`` is the letter of the right option, or ``true`` or ``false``. Examples
    with the same ``pair`` count only together. ``spans`` are the parts of the document that matter for the question, as
    character offsets, where the data set has them. Results are broken down by ``group`` and by each of ``tags``.
    ``scored`` is how the authors of the data set score the answer: ``f1`` over its words, ``f1-parts`` over parts that
    commas separate, ``f1-verdict`` against the part of the key before a semicolon, ``absent`` if it must say that the
    text does not tell; empty if they have no measure of their own.
    """

    id: str
    question: Question
    references: tuple[str, ...] = ()
    gold: str = ""
    pair: str = ""
    spans: tuple[tuple[int, int], ...] = ()
    group: str = ""
    tags: Mapping[str, str] = field(default_factory=dict)
    scored: Scored = ""


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

    ``memory`` has the pages that the method uses, if it uses pages. ``whole`` has the gists before any were merged, if
    it uses gists. ``for_question`` is whether it was done for one question alone, and ``failed`` whether it has no
    result; it has its cost nevertheless.
    """

    trace: Trace
    memory: GistMemory | None = None
    whole: GistMemory | None = None
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
