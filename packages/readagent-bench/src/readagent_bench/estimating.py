"""What a benchmark will take, before anything is sent: its methods run with a stand-in that costs nothing."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from zlib import crc32

import numpy as np

from readagent.agent import AsyncReadAgent
from readagent.core.gists.sizes import kept_share
from readagent.core.model import Ask, Model, Reply, Vectors
from readagent.core.plan import Plan
from readagent.core.tokens import TokenEstimate
from readagent.core.words import count_words
from readagent.errors import ReadAgentError
from readagent.retrieval.bm25 import terms
from readagent.testing.scripted import Skimmer
from readagent.testing.skim import Habits
from readagent_bench.answering import QuestionAnswering, QuestionTrial
from readagent_bench.datasets import sample
from readagent_bench.example import Case
from readagent_bench.folder import RunFolder
from readagent_bench.records import Reading, Spent

DOCUMENTS, QUESTIONS = 12, 2  # that are tried at most; the rest is taken to be like them
PAGES_TO_OPEN = 2.3  # the mean in the paper, of at most 5
_ALL_PAGES = 1_000_000.0  # the prompt says how many may be opened
_WIDTH = 32  # of the vectors of the stand-in


@dataclass(frozen=True, slots=True)
class Work:
    """Calls, and the words and tokens in them."""

    calls: float = 0
    words: float = 0
    prompt_tokens: float = 0
    reply_tokens: float = 0

    def __add__(self, other: Work) -> Work:
        return Work(
            self.calls + other.calls,
            self.words + other.words,
            self.prompt_tokens + other.prompt_tokens,
            self.reply_tokens + other.reply_tokens,
        )

    def times(self, factor: float) -> Work:
        """Return this work, repeated."""
        return Work(self.calls * factor, self.words * factor, self.prompt_tokens * factor, self.reply_tokens * factor)

    def or_more(self, other: Work) -> Work:
        """Return the larger of each figure."""
        return Work(
            max(self.calls, other.calls),
            max(self.words, other.words),
            max(self.prompt_tokens, other.prompt_tokens),
            max(self.reply_tokens, other.reply_tokens),
        )


@dataclass(frozen=True, slots=True)
class StudyEstimate:
    """The work of a study: of each method alone, by its title, and of all together, which share their readings.

    ``most`` and ``most_total`` are the same if every page that may be opened is. ``embedded`` are the words of the
    texts to embed. ``failing`` are the questions, of those that were ``tried``, that a method could not answer, with
    the reason.
    """

    methods: dict[str, Work]
    total: Work
    most: dict[str, Work]
    most_total: Work
    documents: int
    tried: int
    embedded: float = 0
    failing: dict[str, str] = field(default_factory=dict)


async def estimate_study(
    task: QuestionAnswering,
    plan: Plan,
    runs: int,
    *,
    window: int | None,
    counter: TokenEstimate,
    prompts: str,
    seed: int = 0,
    known: set[int] | None = None,
) -> StudyEstimate:
    """Return what all runs of a study take, from a few of its documents and of their questions.

    Nothing is sent, and no text is embedded. Prompts that are ``known`` from the estimates of earlier variants cost
    nothing in the total, and this study's are added to them.
    """
    cases = sample(task.loaded, documents=DOCUMENTS, questions=QUESTIONS, seed=seed)
    known = set() if known is None else known
    tries: list[_Tried] = []
    for pages in (PAGES_TO_OPEN, _ALL_PAGES):
        habits = Habits(gist_share=kept_share(plan.page_words), pages_to_open=pages, own_words=True)
        model = _Counted(Skimmer(habits, counter.count), known, pages)
        async with AsyncReadAgent(model, plan=plan, window=window, prompts=prompts) as agent:
            tries.append(await _tried(task, cases, agent, model))
    usual, most = tries
    methods, total = usual.scaled(runs, task)
    at_most, most_total = most.scaled(runs, task)
    return StudyEstimate(
        methods,
        total,
        {title: work.or_more(at_most[title]) for title, work in methods.items()},
        total.or_more(most_total),
        len(cases),
        sum(len(case.examples) for case in cases),
        usual.embedded * _words(task.loaded) / max(1, _words(cases)),
        usual.failing,
    )


@dataclass(slots=True)
class _Tried:
    """What the methods did on a few cases: for questions and for documents, alone and where prompts are shared.

    Work for questions is that for all ``questions`` of these cases, whose documents have ``words``.
    """

    titles: dict[str, str]  # by name
    questions: int
    words: int
    embedded: float = 0
    asked: defaultdict[str, Work] = field(default_factory=lambda: defaultdict(Work))
    read: defaultdict[str, Work] = field(default_factory=lambda: defaultdict(Work))
    asked_first: defaultdict[str, Work] = field(default_factory=lambda: defaultdict(Work))
    read_first: defaultdict[str, Work] = field(default_factory=lambda: defaultdict(Work))
    failing: dict[str, str] = field(default_factory=dict)

    def scaled(self, runs: int, task: QuestionAnswering) -> tuple[dict[str, Work], Work]:
        """Return the work of all runs: of each method by its title, and of all together."""
        asked, read = runs * task.questions / max(1, self.questions), runs * _words(task.loaded) / max(1, self.words)
        methods, total = {}, Work()
        for name, title in self.titles.items():
            methods[title] = self.asked[name].times(asked) + self.read[name].times(read)
            total += self.asked_first[name].times(asked) + self.read_first[name].times(read)
        return methods, total


async def _tried(task: QuestionAnswering, cases: Sequence[Case], agent: AsyncReadAgent, model: _Counted) -> _Tried:
    """Try the methods on a few cases."""
    counts = {case.id: len(case.examples) for case in task.loaded}
    few, vectors = replace(task, loaded=cases), _Vectors()
    found = _Tried(
        {method.name: method.title for method in task.methods}, sum(counts[case.id] for case in cases), _words(cases)
    )
    context = few.context(agent, vectors, RunFolder(Path()))
    try:
        for case in cases:
            more = counts[case.id] / len(case.examples)
            for trial in few.trials(0, case, context):
                name = trial.method.name
                if error := await _attempted(trial):
                    found.failing.setdefault(trial.method.title, error)
                own, document = _work_of(trial)
                found.asked[name] += own.times(more)
                found.read[name] += document
                own, document = model.since(trial)
                found.asked_first[name] += own.times(more)
                found.read_first[name] += document
            few.finish(case, context)
    finally:
        await context.aclose()
    found.embedded = vectors.words
    return found


async def _attempted(trial: QuestionTrial) -> str:
    """Try, and return why it failed, if it did."""
    try:
        await trial.attempt()
    except ReadAgentError as error:
        return str(error)
    return ""


def _work_of(trial: QuestionTrial) -> tuple[Work, Work]:
    """Return the work of a trial for its question, and the work for the document, unless that was counted before."""
    own, read = _spent(trial.prediction("").spent), Work()
    for record, _ in trial.shared_work():
        assert isinstance(record, Reading)
        if record.question:
            own += _spent(record.spent)
        else:
            read += _spent(record.spent)
    return own, read


def _spent(spent: Spent) -> Work:
    return Work(*(spent.get(name) or 0 for name in ("calls", "words", "prompt_tokens", "reply_tokens")))


def _words(cases: Sequence[Case]) -> int:
    return sum(case.document.words for case in cases)


class _Counted:
    """A model that counts what it is sent; the cache of the agent keeps from it what was sent before.

    What is ``known`` is known for the same number of ``pages`` to open.
    """

    def __init__(self, model: Model, known: set[int], pages: float) -> None:
        self._model = model
        self._known = known
        self._pages = pages
        self._new: list[tuple[str, Work]] = []

    @property
    def name(self) -> str:
        return self._model.name

    async def complete(self, ask: Ask) -> Reply:
        reply = await self._model.complete(ask)
        usage = reply.usage
        if (key := hash((self._pages, ask.prompt))) in self._known:
            return reply
        self._known.add(key)
        self._new.append((ask.prompt, Work(1, count_words(ask.prompt), usage.prompt_tokens, usage.reply_tokens)))
        return reply

    def since(self, trial: QuestionTrial) -> tuple[Work, Work]:
        """Return what was sent for a trial since the last call: for its question alone, and for the document."""
        done, prompts = trial.preparation, {call.prompt for call in trial.trace.calls}
        if done is not None and done.for_question:
            prompts |= {call.prompt for call in done.trace.calls}
        own = sum((work for prompt, work in self._new if prompt in prompts), Work())
        document = sum((work for prompt, work in self._new if prompt not in prompts), Work())
        self._new.clear()
        return own, document


class _Vectors:
    """An embedder that counts words, so that no text is sent or embedded."""

    name = "stand-in"

    def __init__(self) -> None:
        self.words = 0
        self._known: set[str] = set()

    async def embed(self, texts: Sequence[str]) -> Vectors:
        rows = np.full((len(texts), _WIDTH), 1e-3, np.float32)
        self.words += sum(map(count_words, {*texts} - self._known))
        self._known.update(texts)
        for row, text in zip(rows, texts, strict=True):
            for term in terms(text):
                row[crc32(term.encode("utf-8", "replace")) % _WIDTH] += 1
        rows /= np.linalg.norm(rows, axis=1, keepdims=True)
        return Vectors(_WIDTH, rows.tobytes())
