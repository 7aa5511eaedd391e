"""The methods with hints, and adaptive look-up as a method."""

from __future__ import annotations

import pytest

from bench.studies import WHO, Bench
from readagent.core.model import Ask
from readagent.core.question import Question
from sessions import prose, sensible

pytestmark = pytest.mark.anyio

DOCUMENT = prose(40)
FAR = Question("What of w400, w401, w402 and of w20?")


async def test_hints_alone_show_the_pages_they_find() -> None:
    bench = Bench()
    outcome = await bench.answer("hints:2", DOCUMENT, FAR)
    memory = (await bench.context.memories(DOCUMENT)).fitted
    assert outcome.pages is not None
    assert any("w401" in memory.page_text(number) for number in outcome.pages)
    assert not bench.asked("look_up")
    assert outcome.preparation is not None
    assert {call.step for call in outcome.preparation.trace.calls} == {"paginate", "gist"}  # gists count as evidence


async def test_hints_go_into_the_look_up_prompt_of_one_method_and_not_of_the_other() -> None:
    bench = Bench()
    plain = await bench.answer("readagent-p:2", DOCUMENT, FAR)
    hinted = await bench.answer("readagent-p+hints:2", DOCUMENT, FAR)
    first, second = bench.asked("look_up")
    assert "Take it as a hint" not in first
    assert "Take it as a hint" in second
    assert plain.preparation is not None
    assert hinted.preparation is not None
    assert plain.preparation.memory is hinted.preparation.memory


async def test_found_pages_are_open_when_the_model_is_asked_first() -> None:
    def answering(ask: Ask) -> str:
        return "Answer: It is w402." if ask.step == "direct" else sensible(ask)

    bench = Bench(answering)
    outcome = await bench.answer("readagent-found:2", DOCUMENT, FAR)
    memory = (await bench.context.memories(DOCUMENT)).fitted
    (prompt,) = bench.asked("direct")
    assert outcome.text == "It is w402."
    assert outcome.pages is not None
    assert len(outcome.pages) == 2
    assert all(memory.page_text(page).strip() in prompt for page in outcome.pages)
    assert any("w401" in memory.page_text(page) for page in outcome.pages)
    assert outcome.context_words == memory.words(outcome.pages)


async def test_adaptive_look_up_counts_every_page_it_opened() -> None:
    def missing_once(ask: Ask) -> str:
        if ask.step == "respond":
            return "MISSING: What of w401?" if len(ask.material.opened) < 3 else 'It is so.\nPage 0: "W0 w1 w2 w3"'
        if ask.choice is not None and "STOP" in ask.choice.values:
            return f"Page {ask.choice.values[-2]}"
        return sensible(ask)

    bench = Bench(missing_once)
    outcome = await bench.answer("readagent-auto:4", DOCUMENT, WHO)
    memory = (await bench.context.memories(DOCUMENT)).fitted
    assert outcome.text == "It is so."
    assert outcome.pages == (1, 0, len(memory.pages) - 1)
    assert outcome.context_words == memory.words(outcome.pages)
