"""For Inspect (inspect_ai): the methods of the benchmark as solvers, and its data sets as samples.

They need inspect-ai, which the extra ``inspect`` installs.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any
from weakref import WeakKeyDictionary

from readagent.advice import missing_extra
from readagent.agent import AsyncReadAgent
from readagent.core.document import Document
from readagent.core.model import Ask, Embedder, Finish, Reply
from readagent.core.plan import Plan
from readagent.core.question import Question
from readagent.core.trace import Usage
from readagent.errors import UsageError
from readagent_bench.example import Asked, Case, Example, Outcome
from readagent_bench.methods import method as method_of
from readagent_bench.methods.entry import require_embedder
from readagent_bench.methods.registry import METHODS, uses_gists
from readagent_bench.reading import ReadingContext
from readagent_bench.records import spent

try:
    from inspect_ai.dataset import Sample
    from inspect_ai.model import ChatMessageAssistant, GenerateConfig, ModelOutput, get_model
    from inspect_ai.solver import Generate, Solver, TaskState, solver
except ImportError as error:
    raise missing_extra("readagent_bench.inspect", "inspect-ai", "inspect", "readagent-bench") from error

__all__ = ["readagent_method", "samples"]

DOCUMENT, TITLE = "document", "title"  # in the metadata of a sample
_FINISHES: dict[str, Finish] = {"max_tokens": "length", "model_length": "length", "content_filter": "filtered"}


@solver
def readagent_method(
    method: str = "readagent-p:5",
    *,
    plan: Plan | None = None,
    window: int | None = None,
    embedder: Embedder | None = None,
) -> Solver:
    """Answer the question of a sample with a method of the benchmark, through the model that Inspect evaluates.

    The text is in the metadata of the sample, as ``document``; samples with the same text share one reading, whose
    calls are in the transcript of the first of them. ``window`` is the model's, in tokens. The metadata gets what the
    method did, as ``readagent``.
    """
    known = method_of(method)
    require_embedder([known], METHODS, embedder)
    contexts: WeakKeyDictionary[Any, ReadingContext] = WeakKeyDictionary()  # one for each event loop

    def context() -> ReadingContext:
        loop = asyncio.get_running_loop()
        if loop not in contexts:
            agent = AsyncReadAgent(_InspectModel(), plan=plan or Plan(aim=False), window=window)
            contexts[loop] = ReadingContext(agent, embedder, gists=uses_gists(known))
        return contexts[loop].with_own_trace()

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        text = state.metadata.get(DOCUMENT)
        if not isinstance(text, str) or not text.strip():
            raise UsageError(f"sample {state.sample_id} has no text", hint="put it into its metadata, as `document`")
        document = Document.from_text(text, title=str(state.metadata.get(TITLE, "")))
        mine = context()
        outcome = await known.answer(Asked(document, _question(state)), mine)
        _record(state, outcome)
        state.metadata["readagent"] = {
            "method": known.name,
            "pages": None if outcome.pages is None else list(outcome.pages),
            "context_words": outcome.context_words,
            "notes": list(outcome.notes),
            "spent": spent(mine.trace),
        }
        return state

    return solve


def samples(cases: Sequence[Case]) -> list[Sample]:
    """Return the questions of a data set as samples, with the text of each in its metadata.

    The target is the letter of an option, ``true`` or ``false``, or the references of a free answer.
    """
    return [_sample(case, example) for case in cases for example in case.examples]


def _sample(case: Case, example: Example) -> Sample:
    question = example.question
    about = {DOCUMENT: case.document.text, TITLE: case.document.title, "case": case.id, "group": example.group}
    return Sample(
        id=example.id,
        input=question.text,
        choices=list(question.options) or None,
        target=example.gold or list(example.references),
        metadata={name: value for name, value in about.items() if value},
    )


def _question(state: TaskState) -> Question:
    options = [choice.value for choice in state.choices]
    return Question.choice(state.input_text, options) if options else Question(state.input_text)


def _record(state: TaskState, outcome: Outcome) -> None:
    """Put the answer where the scorers of Inspect look for it."""
    said = f"ANSWER: {outcome.choice}" if outcome.choice and state.choices else outcome.text
    for number in range(len(state.choices)):
        state.choices.mark_choice(number, chr(ord("A") + number) == outcome.choice)
    state.messages.append(ChatMessageAssistant(content=said))
    state.output = ModelOutput.from_content(str(state.model), said)


class _InspectModel:
    """The model that Inspect evaluates, as a model of ours."""

    @property
    def name(self) -> str:
        return str(get_model())

    async def complete(self, ask: Ask) -> Reply:
        output = await get_model().generate(ask.prompt, config=GenerateConfig(max_tokens=ask.max_reply))
        usage = output.usage
        used = Usage(usage.input_tokens, usage.output_tokens) if usage is not None else Usage()
        return Reply(output.completion, _FINISHES.get(output.stop_reason, "stop"), used)
