"""What a benchmark will take, before anything is sent: its methods run with a stand-in that costs nothing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from zlib import crc32

import numpy as np

from readagent.agent import AsyncReadAgent
from readagent.bench.answering import QuestionAnswering, QuestionTrial
from readagent.bench.datasets import sample
from readagent.bench.example import Case
from readagent.bench.folder import RunFolder
from readagent.bench.records import Reading, Spent
from readagent.core.gists.sizes import kept_share
from readagent.core.model import Ask, Model, Reply, Vectors
from readagent.core.plan import Plan
from readagent.core.tokens import TokenEstimate
from readagent.core.words import count_words
from readagent.errors import ReadAgentError
from readagent.retrieval.terms import terms
from readagent.testing.scripted import Skimmer
from readagent.testing.skim import Habits

DOCUMENTS, QUESTIONS = 12, 2  # that are tried at most; the rest is taken to be like them
_PAGES_TO_OPEN = 2.3  # the mean in the paper, of at most 5
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


@dataclass(frozen=True, slots=True)
class StudyEstimate:
    """The work of one run: of each method alone, by its title, and of all together, which share their readings.

    ``failing`` are the questions, of those that were ``tried``, that a method could not answer, with the reason.
    """

    methods: dict[str, Work]
    total: Work
    documents: int
    tried: int
    failing: dict[str, str] = field(default_factory=dict)


async def estimate_study(
    task: QuestionAnswering,
    plan: Plan,
    *,
    window: int | None,
    counter: TokenEstimate,
    prompts: str,
    seed: int = 0,
    known: set[int] | None = None,
) -> StudyEstimate:
    """Return what one run of a task takes, from a few of its documents and of their questions.

    Nothing is sent, and no text is embedded. Prompts that are ``known`` from the estimates of earlier variants cost
    nothing in the total, and this study's are added to them.
    """
    counts = {case.id: len(case.examples) for case in task.loaded}
    cases = sample(task.loaded, documents=DOCUMENTS, questions=QUESTIONS, seed=seed)
    skimmer = Skimmer(
        Habits(gist_share=kept_share(plan.page_words), pages_to_open=_PAGES_TO_OPEN, own_words=True), counter.count
    )
    sent = _Counted(skimmer, set() if known is None else known)
    asked = {method.title: Work() for method in task.methods}  # for questions
    read = dict(asked)  # for documents
    all_asked, all_read = Work(), Work()
    failing: dict[str, str] = {}
    async with AsyncReadAgent(sent, plan=plan, window=window, prompts=prompts) as agent:
        few = replace(task, loaded=cases)
        context = few.context(agent, _Vectors(), RunFolder(Path()))
        try:
            for case in cases:
                more = counts[case.id] / len(case.examples)
                for trial in few.trials(0, case, context):
                    title = trial.method.title
                    if error := await _attempted(trial):
                        failing.setdefault(title, error)
                    own, document = _work_of(trial)
                    asked[title] += own.times(more)
                    read[title] += document
                    own, document = sent.since(trial)
                    all_asked += own.times(more)
                    all_read += document
                few.finish(case, context)
        finally:
            await context.aclose()
    by_words = _words(task.loaded) / max(1, _words(cases))
    by_questions = task.questions / max(1, sum(counts[case.id] for case in cases))
    scaled = {title: asked[title].times(by_questions) + read[title].times(by_words) for title in asked}
    total = all_asked.times(by_questions) + all_read.times(by_words)
    return StudyEstimate(scaled, total, len(cases), sum(len(case.examples) for case in cases), failing)


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
    """A model that counts what it is sent; the cache of the agent keeps from it what was sent before."""

    def __init__(self, model: Model, known: set[int]) -> None:
        self._model = model
        self._known = known
        self._new: list[tuple[str, Work]] = []

    @property
    def name(self) -> str:
        return self._model.name

    async def complete(self, ask: Ask) -> Reply:
        reply = await self._model.complete(ask)
        usage = reply.usage
        if (key := hash(ask.prompt)) in self._known:
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

    async def embed(self, texts: Sequence[str]) -> Vectors:
        rows = np.full((len(texts), _WIDTH), 1e-3, np.float32)
        for row, text in zip(rows, texts, strict=True):
            for term in terms(text):
                row[crc32(term.encode("utf-8", "replace")) % _WIDTH] += 1
        rows /= np.linalg.norm(rows, axis=1, keepdims=True)
        return Vectors(_WIDTH, rows.tobytes())
