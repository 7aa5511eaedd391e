"""Overviews are paid once, whatever the model replied; what was not usable is recorded, and asked again on request."""

from __future__ import annotations

from pathlib import Path

import pytest

from planted import perfect, perfectly, story
from readagent import Answer, AsyncReadAgent, Library
from readagent.core.model import Ask
from readagent.core.overviews.entries import Entry, words_of
from readagent.core.overviews.write import take_notes
from readagent.core.plan import Plan
from readagent.errors import NoAnswerError
from readagent.testing import LoopbackServer, ScriptedModel
from sessions import make_session, run

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


REFUSED = "I'm sorry, but I can't help with that."
USELESS = {
    REFUSED: "it names no pages",
    "": "it was empty",
    "Please provide the text that you want me to take notes on.": "it names no pages",
}
SAID = [f"Anna visits the island number {at} and tells her brother Tom about it at length." for at in range(6)]


def noted(reply: str, about: str = "") -> tuple[list[str], list[str]]:
    """Return what remains of some entries if this is the reply to the request for notes, and why fallbacks were used."""
    session = make_session(lambda ask: reply)
    entries = [Entry((at,), text) for at, text in enumerate(SAID)]
    most = words_of(entries) // 2
    found = run(take_notes(entries, session, lambda some: words_of(some) <= most, about))
    return [one.text for one in found], [one.reason for one in session.trace.fallbacks]


@pytest.mark.parametrize("reply", USELESS)
def test_useless_notes_are_replaced_by_the_beginnings_of_the_gists(reply: str) -> None:
    texts, reasons = noted(reply)
    assert reasons
    assert set(reasons) == {USELESS[reply]}
    assert len(texts) == len(SAID)
    assert all(said.startswith(text.rstrip("… ")) for text, said in zip(texts, SAID, strict=True))
