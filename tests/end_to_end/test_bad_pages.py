"""A page that the server refuses for good becomes a lead; the book is read, and such pages can be retried."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from readagent import Library, Plan, ReadAgent, load
from readagent.core.model import Ask, Reply
from readagent.errors import (
    BadReplyError,
    ContentRefusedError,
    ContextOverflowError,
    ModelError,
    RejectedError,
    ServerFaultError,
    UnauthorizedError,
)
from readagent.testing.loopback import LoopbackServer
from readagent.testing.loopback.requests import ErrorResponse
from readagent.testing.scripted import ScriptedModel
from readagent.testing.skim import skim
from sessions import EXAMPLES, sensible

STORY = load(EXAMPLES / "story.txt")
PLAN = Plan(page_words=400, min_page_words=150)
BAD = "Weighers have their habits"  # in the story, once; not in the opening sentences of a page
ONE_PAGE = [
    ContentRefusedError("the content filter refused the text"),
    ServerFaultError("the server failed (500)"),
    BadReplyError("the reply was not a completion"),
]


def failing(error: Exception | str | Reply, *passages: str) -> Callable[[Ask], str | Reply | Exception]:
    """Return a model that fails on prompts with one of these passages."""
    return lambda ask: error if any(one in ask.prompt for one in passages) else sensible(ask)


def tiles(memory: Any) -> bool:
    return "".join(memory.page_text(page.number) for page in memory.pages) == memory.document.text


@pytest.mark.parametrize(("error", "mode"), [(ONE_PAGE[0], "paper"), (ONE_PAGE[1], "fast"), (ONE_PAGE[2], "fast")])
def test_one_bad_page_is_a_lead_with_its_reason(error: ModelError, mode: str) -> None:
    plan = Plan(page_words=400, min_page_words=150, mode=mode)  # type: ignore[arg-type]
    with ReadAgent(ScriptedModel(failing(error, BAD)), plan=plan) as agent:
        memory = agent.read(STORY)
        assert tiles(memory)
        (number,) = memory.leads
        assert BAD in memory.page_text(number)
        assert memory.lead_reasons() == {number: str(error)}
        assert memory.page_text(number).split()[:20] == memory.gists[number].text.split()[:20]
        assert memory.warnings == ()
        assert agent.ask(memory, "Who is Irma Valk?").text


@pytest.mark.parametrize(
    "error",
    [
        UnauthorizedError("wrong key"),
        ServerFaultError("the server is busy (503)", retry_after=5000.0),
        RejectedError("no credit left", hint="check your billing"),
    ],
)
def test_some_errors_are_never_turned_into_leads(error: ModelError) -> None:
    with ReadAgent(ScriptedModel(failing(error, BAD)), plan=PLAN) as agent, pytest.raises(type(error)):
        agent.read(STORY)


def test_retry_asks_only_for_the_pages_without_a_gist(library: Library) -> None:
    bad = (BAD, "since it took him no time")
    with ReadAgent(ScriptedModel(failing(ONE_PAGE[0], *bad)), library=library, plan=PLAN) as agent:
        before = agent.read(STORY)
    whole = before.finer or before
    assert len(whole.leads) == 2
    model = ScriptedModel(failing(ONE_PAGE[0], bad[1]))
    with ReadAgent(model, library=library, plan=PLAN) as agent:
        assert agent.read(STORY).leads == before.leads
        assert model.asks == []
        after = agent.retry(before)
        better = after.finer or after
        first, second = whole.leads
        assert [ask.step for ask in model.asks][:2] == ["gist", "gist"]
        assert all(any(one in ask.prompt for one in bad) for ask in model.asks)
        assert better.leads == (second,)
        assert better.gists[:first] + better.gists[first + 1 :] == whole.gists[:first] + whole.gists[first + 1 :]
        assert list(better.lead_reasons()) == [second]
        assert after.trace.steps()["gist"] >= 1
    kept = library.memory(STORY.id, key=better.key)
    assert kept is not None
    assert kept.gists == better.gists
    assert kept.lead_reasons() == better.lead_reasons()
    (row,) = library.documents()
    assert row.leads == 1


def test_a_useless_reply_is_not_paid_for_twice_in_one_run() -> None:
    """After an overflow everything is asked again: what was useless comes from the cache, as what was good does."""
    replies: list[str] = []
    overflow = iter([ContextOverflowError("too long", window=100_000)])

    def reply(ask: Ask) -> str | Exception:
        if "It was the ninth of" in ask.prompt or len(replies) > 40:
            for error in overflow:
                return error
        replies.append(ask.prompt)
        return "Internal Server Error" if ask.step == "gist" and BAD in ask.prompt else sensible(ask)

    with ReadAgent(ScriptedModel(reply), plan=PLAN) as agent:
        memory = agent.read(STORY)
        assert agent.window() == 100_000
    assert len(memory.leads) == 1
    assert sum(BAD in prompt and "Shorten" in prompt for prompt in replies) == 2
    assert len(replies) == len(set(replies))


@pytest.mark.parametrize(("status", "message"), [(413, "Request Entity Too Large"), (403, "Forbidden")])
def test_a_page_that_a_gateway_refuses_is_a_lead_and_no_window_or_key(
    library: Library, status: int, message: str
) -> None:
    """The refusal names no reason; pages of the same size are answered."""

    def answer(prompt: str, constraint: dict[str, Any] | None) -> str:
        if BAD in prompt:
            raise ErrorResponse(status, message)
        return skim(prompt, constraint)

    with LoopbackServer(answer).in_thread() as server:
        with ReadAgent("skimmer", base_url=server.base_url, library=library, plan=PLAN) as agent:
            memory = agent.read(STORY)
            assert agent.window() is None
            (number,) = memory.leads
            assert memory.lead_reasons() == {number: f"the server rejected the request ({status}): {message}"}
        with ReadAgent("skimmer", base_url=server.base_url, library=library, plan=PLAN) as agent:
            assert agent.retry(memory).leads == (number,), "the page is refused for the same reason in another run"
            assert agent.window() is None
