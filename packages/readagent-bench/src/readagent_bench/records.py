"""Documents with questions, what methods make of them, and the records of a run: a Prediction for each answer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import ClassVar

from readagent.core.document import Document
from readagent.core.memory import GistMemory, Page
from readagent.core.question import Question
from readagent.core.trace import Trace
from readagent_bench.folder import PREDICTIONS, READINGS, Key

Spent = dict[str, float | None]  # calls, words, tokens and dollars; None where the price is unknown
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


@dataclass(frozen=True, slots=True)
class Prediction:
    """The answer of a method, the right answer, and what the question cost.

    ``relevant`` are the pages that matter for the question, if the data set says which parts of the text do; empty if
    it does and there were no pages. ``error`` says why there is no answer; such a prediction counts as wrong.
    ``spent`` is the cost of this question without the reading of its document.
    """

    FILE: ClassVar[str] = PREDICTIONS

    run: int
    method: str
    title: str
    case: str
    example: str
    kind: str
    group: str = ""
    pair: str = ""
    question: str = ""
    options: tuple[str, ...] = ()
    gold: str = ""
    references: tuple[str, ...] = ()
    text: str = ""
    choice: str | None = None
    pages: tuple[int, ...] | None = None
    relevant: tuple[int, ...] | None = None
    context_words: int = 0
    full_words: int = 0
    spent: Spent = field(default_factory=dict)
    fallbacks: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    error: str = ""

    @property
    def key(self) -> Key:
        """Run, method, case and example."""
        return self.run, self.method, self.case, self.example

    @property
    def answered(self) -> bool:
        """Whether there is an answer, right or wrong."""
        return not self.error and bool(self.context_words or self.text)


@dataclass(frozen=True, slots=True)
class Reading:
    """What a method spent on reading a document, and the size of the result.

    ``question`` is the id of the example if the gists were written for that alone. ``gist_words`` counts the words of
    the gists; 0 if the method uses none. A reading that ``failed`` has its cost and nothing else.
    """

    FILE: ClassVar[str] = READINGS

    run: int
    method: str
    case: str
    question: str
    full_words: int
    spent: Spent
    fallbacks: tuple[str, ...] = ()
    pages: int = 0
    gist_words: int = 0
    failed: bool = False

    @property
    def key(self) -> Key:
        """Run, method, case, and the example or an empty string."""
        return self.run, self.method, self.case, self.question


def spent(trace: Trace) -> Spent:
    """Return the cost of a trace, replies from the cache included: what the method costs, not what this run paid."""
    usage = trace.usage
    return {
        "calls": len(trace.calls),
        "words": trace.words_read,
        "shared_words": sum(call.shared_words for call in trace.calls),
        "prompt_tokens": usage.prompt_tokens,
        "reply_tokens": usage.reply_tokens,
        "cached_tokens": usage.cached_tokens,
        "cost": usage.cost,
        "seconds": round(sum(call.seconds for call in trace.calls), 3),
        "paid_calls": sum(call.paid for call in trace.calls),
        "refusals": sum(call.finish in ("refused", "filtered") for call in trace.calls),
    }


def predicted(
    key: Key, title: str, case: Case, example: Example, trace: Trace, outcome: Outcome | None, error: str
) -> Prediction:
    """Return the record of an outcome, or of a failure; ``trace`` has the calls made for it either way."""
    question = example.question
    prediction = Prediction(
        key[0], key[1], title, case.id, example.id, question.kind, example.group, example.pair, question.text,
        question.options, example.gold, example.references, full_words=case.document.words, spent=spent(trace),
        fallbacks=described(trace), error=error,
    )  # fmt: skip
    memory = outcome.preparation.memory if outcome is not None and outcome.preparation is not None else None
    known = relevant(example, memory.pages if memory is not None else ())
    if outcome is None:
        return replace(prediction, relevant=known)
    return replace(
        prediction,
        text=outcome.text,
        choice=outcome.choice,
        pages=outcome.pages,
        relevant=known if memory is not None else None,
        context_words=outcome.context_words,
        notes=outcome.notes,
    )


def reading_of(key: Key, case: Case, done: Preparation) -> Reading:
    """Return the record of a reading."""
    searched = done.memory is not None and not done.gists  # a search needs no pauses of a model: they are not its cost
    cost = spent(Trace() if searched else done.trace)
    reading = Reading(*key, case.document.words, cost, described(done.trace), failed=done.failed)
    if done.memory is not None:
        reading = replace(reading, pages=len(done.memory.pages))
        reading = replace(reading, gist_words=done.memory.words() if done.gists else 0)
    return reading


def described(trace: Trace) -> tuple[str, ...]:
    """Return a line for each fallback of a trace."""
    return tuple(f"{one.step}: {one.reason}; taken instead: {one.taken}" for one in trace.fallbacks)


def relevant(example: Example, pages: Sequence[Page]) -> tuple[int, ...] | None:
    """Return the pages that overlap the parts that matter for the question; None if the data set does not have them."""
    if not example.spans:
        return None
    return tuple(
        page.number for page in pages if any(page.start < end and start < page.end for start, end in example.spans)
    )
