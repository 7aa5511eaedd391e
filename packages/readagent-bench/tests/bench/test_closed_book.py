"""Questions without the text, and the first words of a text that does not fit the window."""

from __future__ import annotations

from pathlib import Path

import pytest

from bench.studies import WHO, Bench, case, conduct
from readagent.core.question import Question
from readagent.errors import ContextOverflowError
from readagent.testing.scripted import ScriptedModel
from readagent_bench.score import rows
from sessions import prose, sensible

pytestmark = pytest.mark.anyio

DOCUMENT = prose(40)  # 600 words


@pytest.mark.parametrize(
    ("question", "text", "choice"),
    [(WHO, "Because.", None)],
)
async def test_the_question_is_asked_without_the_text(question: Question, text: str, choice: str | None) -> None:
    replies = {"free": "Answer: Because.", "choice": "Answer: (B) under w32", "claim": "Answer: true"}
    bench = Bench(lambda ask: replies[question.kind])
    outcome = await bench.answer("closed-book", DOCUMENT, question)
    (prompt,) = bench.asked("respond")
    assert (outcome.text, outcome.choice, outcome.context_words) == (text, choice, 0)
    assert question.text in prompt
    assert "w100" not in prompt
    assert all(option in prompt for option in question.options)
    assert [ask.step for ask in bench.model.asks] == ["respond"], "nothing is read"


async def test_it_is_scored_like_any_method(tmp_path: Path) -> None:
    folder = await conduct(
        tmp_path,
        ScriptedModel(lambda ask: sensible(ask) if ask.choice else "Answer: Because."),
        ["closed-book"],
        [case()],
    )
    (row,) = rows(folder)
    assert row.measures["accuracy"].mean == 1
    assert row.measures["cr"].mean == 100
    assert row.measures["response_words"].mean == 1


@pytest.mark.parametrize("name", ["first:500"])
async def test_as_many_words_are_shown_as_fit_the_window(name: str) -> None:
    bench = Bench(window=660)
    outcome = await bench.answer(name, DOCUMENT, WHO)
    assert 50 < outcome.context_words < 500
    assert outcome.notes == (f"cut to {outcome.context_words} words to fit the window",)
    with pytest.raises(ContextOverflowError):
        await bench.answer("full", DOCUMENT, WHO)
