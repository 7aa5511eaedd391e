"""What a run writes down: a Prediction for each question and method, and a Reading for each document read for it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from readagent.bench.example import Case, Example, Outcome, Studied
from readagent.core.memory import GistMemory, Page
from readagent.core.trace import Trace
from readagent.core.words import count_words

Spent = dict[str, float | None]  # calls, words, tokens and money; None where the money is not known
Key = tuple[int, str, str, str]  # run, method, document, question

_OPENING = 70  # characters of a page that a report shows of it


@dataclass(frozen=True, slots=True)
class Prediction:
    """What a method answered, what would have been right, and what it took.

    ``relevant`` are the pages that bear on the question, where the data set says which parts of the text do; empty
    where it does and there were no pages. ``error`` is why there is no answer, where there is none; such a prediction
    counts as wrong. ``spent`` is what this question took, without the reading of its document.
    """

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
        """Which prediction this is; a later one takes the place of an earlier one."""
        return self.run, self.method, self.case, self.example

    @property
    def answered(self) -> bool:
        """Whether there is an answer at all, right or wrong."""
        return not self.error and self.context_words > 0


@dataclass(frozen=True, slots=True)
class Reading:
    """What reading a document took for a method, and what came of it.

    ``question`` is the example's id where the gists were made for that alone. ``gist_words`` are counted before and
    after merging; 0 where a method keeps no gists. ``openings`` are the first words of each page.
    """

    run: int
    method: str
    case: str
    question: str
    full_words: int
    spent: Spent
    fallbacks: tuple[str, ...] = ()
    pages: int = 0
    gist_words: int = 0
    merged_words: int = 0
    openings: tuple[str, ...] = ()

    @property
    def key(self) -> Key:
        """Which reading this is."""
        return self.run, self.method, self.case, self.question


def spent(trace: Trace) -> Spent:
    """What a trace took, replies known before included: what the method costs, not what this repetition did."""
    usage = trace.usage
    return {
        "calls": len(trace.calls),
        "words": trace.words_read,
        "prompt_tokens": usage.prompt_tokens,
        "reply_tokens": usage.reply_tokens,
        "cached_tokens": usage.cached_tokens,
        "cost": usage.cost,
        "seconds": round(sum(call.seconds for call in trace.calls), 3),
        "paid_calls": sum(call.paid for call in trace.calls),
        "refusals": sum(call.finish == "refused" for call in trace.calls),
    }


def shared_words(prompts: Sequence[str]) -> int:
    """The words of these prompts that a perfect prefix cache would not read again."""
    saved, before = 0, ""
    for prompt in sorted(prompts):
        common = _common(before, prompt)
        cut_a_word = 0 < common < len(prompt) and not prompt[common - 1].isspace() and not prompt[common].isspace()
        saved += count_words(prompt[:common]) - cut_a_word
        before = prompt
    return saved


def _common(first: str, second: str) -> int:
    """How many characters both begin with."""
    low, high = 0, min(len(first), len(second))
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if first[:middle] == second[:middle] else (low, middle - 1)
    return low


def predicted(
    run: int, method: str, title: str, case: Case, example: Example, trace: Trace, outcome: Outcome | None, error: str
) -> Prediction:
    """The record of an outcome, or of there being none; ``trace`` is what was asked for it either way."""
    question = example.question
    prediction = Prediction(
        run, method, title, case.id, example.id, question.kind, example.group, example.pair, question.text,
        question.options, example.gold, example.references, full_words=case.document.words, spent=spent(trace),
        fallbacks=_told(trace), error=error,
    )  # fmt: skip
    memory = outcome.reading.memory if outcome is not None and outcome.reading is not None else None
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


def read_for(key: Key, case: Case, studied: Studied) -> Reading:
    """The record of a reading."""
    prompts = [call.prompt for call in studied.trace.calls]
    taken: Spent = {**spent(studied.trace), "shared_words": shared_words(prompts)}
    reading = Reading(*key, case.document.words, taken, _told(studied.trace))
    if studied.memory is not None:
        reading = replace(reading, pages=len(studied.memory.pages), openings=_openings(studied.memory))
    if studied.memory is not None and studied.whole is not None:
        reading = replace(reading, gist_words=studied.whole.words(), merged_words=studied.memory.words())
    return reading


def _told(trace: Trace) -> tuple[str, ...]:
    return tuple(f"{one.step}: {one.reason}; taken instead: {one.taken}" for one in trace.fallbacks)


def _openings(memory: GistMemory) -> tuple[str, ...]:
    starts = (memory.document.text[page.start : page.start + 3 * _OPENING] for page in memory.pages)
    return tuple(" ".join(start.split())[:_OPENING] for start in starts)


def relevant(example: Example, pages: Sequence[Page]) -> tuple[int, ...] | None:
    """The pages that share text with the parts that bear on the question; None where it is not known which do."""
    if not example.spans:
        return None
    return tuple(
        page.number for page in pages if any(page.start < end and start < page.end for start, end in example.spans)
    )
