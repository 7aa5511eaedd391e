"""Small cases, contexts and studies with scripted models that the tests of the benchmark share."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from meanings import WordMeanings
from readagent.agent import AsyncReadAgent
from readagent.core.document import Document
from readagent.core.model import Ask, Model, Reply
from readagent.core.plan import Plan
from readagent.core.question import Question
from readagent.library import Library
from readagent.testing.scripted import ScriptedModel
from readagent_bench.answering import QuestionAnswering
from readagent_bench.folder import RunFolder
from readagent_bench.methods import method
from readagent_bench.reading import ReadingContext
from readagent_bench.records import Asked, Case, Example, Outcome, Prediction
from readagent_bench.study import Study
from sessions import SMALL, prose, sensible

WHO = Question("Where is w3 kept?")
PICK = Question.choice("Where is w31 kept?", ["in a box", "under w32", "nowhere"])


def case(name: str = "one", paragraphs: int = 20, questions: Sequence[Example] = ()) -> Case:
    """A text of numbered words, and a free and a multiple-choice question about it, unless others are given."""
    text = prose(paragraphs)
    usual = (
        Example(f"{name}-free", WHO, references=("Because.",), group="free"),
        Example(f"{name}-pick", PICK, gold="B", group="pick"),
    )
    return Case(name, Document.from_text(f"Text {name} begins here now.\n\n{text.text}"), tuple(questions) or usual)


class Bench:
    """A context with a scripted model, and what the model was asked."""

    def __init__(
        self, script: Callable[[Ask], str | Reply | Exception] = sensible, plan: Plan = SMALL, window: int | None = None
    ) -> None:
        self.model = ScriptedModel(script)
        self.agent = AsyncReadAgent(self.model, plan=plan, window=window)
        self.context = ReadingContext(self.agent, WordMeanings())

    async def answer(self, name: str, document: Document, question: Question) -> Outcome:
        """Return the outcome of a method."""
        return await method(name).answer(Asked(document, question), self.context)

    def asked(self, step: str) -> list[str]:
        """The prompts of a step."""
        return [ask.prompt for ask in self.model.asks if ask.step == step]


async def conduct(
    out: Path,
    model: Model,
    methods: Sequence[str],
    cases: Sequence[Case],
    *,
    runs: int = 1,
    library: Library | None = None,
    on_prediction: Callable[[Prediction], None] = lambda _: None,
    plan: Plan = SMALL,
    parallel: int | None = None,
) -> RunFolder:
    """Run a study with a model."""

    def agent_of(number: int) -> AsyncReadAgent:
        return AsyncReadAgent(model, plan=plan, library=library, run=number, parallel=parallel)

    study = Study(QuestionAnswering("own", "all", [method(name) for name in methods], cases), runs)
    return await study.conduct(out, agent_of, WordMeanings(), on_prediction)


def prediction(run: int = 0, method_name: str = "full", case_id: str = "d", example: str = "q", **fields: object) -> Prediction:  # fmt: skip
    """A record with what the test is about."""
    values: dict[str, object] = {"kind": "free", "context_words": 10, "full_words": 100, **fields}
    return Prediction(run, method_name, str(values.pop("title", method_name)), case_id, example, **values)  # type: ignore[arg-type]
