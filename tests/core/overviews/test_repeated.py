"""A repeated overview costs nothing, whatever the model replied; what was not usable is asked again on request."""

from __future__ import annotations

from pathlib import Path

import pytest

from planted import perfect, perfectly, story
from readagent import Answer, AsyncReadAgent, Library
from readagent.core.model import Ask
from readagent.core.plan import Plan
from readagent.errors import NoAnswerError
from readagent.testing import LoopbackServer, ScriptedModel
from sessions import run

PLAN = Plan(page_words=200, min_page_words=80)
KINDS = ("summary", "timeline")
REFUSAL = "I'm sorry, I can't help with that."
READING = ("paginate", "gist", "merge")


@pytest.mark.parametrize("kind", KINDS)
def test_a_model_that_refuses_is_paid_once_and_asked_again_on_request(tmp_path: Path, kind: str) -> None:
    document, _, _ = story(3000, 20)
    willing = False

    def answer(ask: Ask) -> str:
        return perfect(ask) if willing or ask.step in READING else REFUSAL

    async def told() -> None:
        nonlocal willing
        agent = AsyncReadAgent(ScriptedModel(answer), window=2048, plan=PLAN, library=Library(tmp_path))
        memory = await agent.read(document)
        make = getattr(agent, kind)
        first, again = await make(memory), await make(memory)
        assert any(call.paid for call in first.trace.calls)
        assert not any(call.paid for call in again.trace.calls)
        assert again.trace.fallbacks == first.trace.fallbacks != []
        assert all(fallback.reason for fallback in again.trace.fallbacks)
        willing = True
        assert not any(call.paid for call in (await make(memory)).trace.calls)
        better = await make(memory, retry=True)
        assert any(call.paid for call in better.trace.calls)
        assert "collect" not in better.trace.fallback_counts()
        assert "write" not in better.trace.fallback_counts()
        assert not any(call.paid for call in (await make(memory, retry=True)).trace.calls)

    run(told())


def test_a_question_about_the_whole_text_that_is_refused_is_an_error_and_may_be_asked_again(tmp_path: Path) -> None:
    document, _, _ = story(3000, 20)
    willing = False

    def answer(ask: Ask) -> str:
        if "WHOLE TEXT" in ask.prompt:
            return "WHOLE TEXT"
        return perfect(ask) if willing or ask.step in READING else REFUSAL

    async def asked(**options: bool) -> Answer:
        """Ask as a new process does."""
        async with AsyncReadAgent(ScriptedModel(answer), window=2048, plan=PLAN, library=Library(tmp_path)) as agent:
            memory = await agent.read(document)
            return await agent.ask(memory, "Summarise this story.", **options)  # type: ignore[arg-type]

    async def told() -> None:
        nonlocal willing
        for _ in range(2):
            with pytest.raises(NoAnswerError):
                await asked()
        willing = True
        better = await asked(retry=True)
        assert better.over_all
        assert better.found_in_text

    run(told())


@pytest.mark.parametrize("kind", KINDS)
def test_windows_stay_although_the_rate_of_tokens_is_learnt(tmp_path: Path, kind: str) -> None:
    document, _, _ = story(8000, 40)

    async def told() -> None:
        async with LoopbackServer(perfectly, window=1200, count=lambda text: len(text) // 3) as server:
            paid = []
            for _ in range(3):  # in three processes, as it were
                library = Library(tmp_path)
                agent = AsyncReadAgent(model="skimmer", base_url=server.base_url, plan=PLAN, library=library)
                memory = await agent.read(document)
                before = len(server.requests)
                made = await getattr(agent, kind)(memory)
                paid.append(len(server.requests) - before)
                await agent.aclose()
                assert len(made.trace.calls) > 1
            assert paid[0] > 0
            assert paid[1:] == [0, 0]

    run(told())
