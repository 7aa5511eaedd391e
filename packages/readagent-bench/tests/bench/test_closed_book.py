"""Questions without the text, and the first words of a text that does not fit the window."""

from __future__ import annotations

import pytest

from bench.studies import WHO, Bench
from readagent.errors import ContextOverflowError
from sessions import prose

pytestmark = pytest.mark.anyio

DOCUMENT = prose(40)  # 600 words


async def test_the_question_is_asked_without_the_text() -> None:
    replies = {"free": "Answer: Because.", "choice": "Answer: (B) under w32", "claim": "Answer: true"}
    bench = Bench(lambda ask: replies[WHO.kind])
    outcome = await bench.answer("closed-book", DOCUMENT, WHO)
    (prompt,) = bench.asked("respond")
    assert (outcome.text, outcome.choice, outcome.context_words) == ("Because.", None, 0)
    assert WHO.text in prompt
    assert "w100" not in prompt
    assert all(option in prompt for option in WHO.options)
    assert [ask.step for ask in bench.model.asks] == ["respond"], "nothing is read"


async def test_as_many_words_are_shown_as_fit_the_window() -> None:
    bench = Bench(window=660)
    outcome = await bench.answer("first:500", DOCUMENT, WHO)
    assert 50 < outcome.context_words < 500
    assert outcome.notes == (f"cut to {outcome.context_words} words to fit the window",)
    with pytest.raises(ContextOverflowError):
        await bench.answer("full", DOCUMENT, WHO)
