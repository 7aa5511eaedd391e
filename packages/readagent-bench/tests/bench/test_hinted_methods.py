"""The methods with hints, and adaptive look-up as a method."""

from __future__ import annotations

import pytest

from bench.studies import Bench
from readagent.core.question import Question
from sessions import prose

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
    assert "A search by words finds" not in first
    assert "A search by words finds" in second
    assert plain.preparation is not None
    assert hinted.preparation is not None
    assert plain.preparation.memory is hinted.preparation.memory
