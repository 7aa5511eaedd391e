"""Retries: what is repeated, how often and for how long, and what is said when it ends."""

from __future__ import annotations

import asyncio
import logging
import re
from dataclasses import replace

import pytest

from models.gate import Gate, let_others_run
from readagent.core.concurrency import together
from readagent.core.model import Ask, Reply
from readagent.core.trace import Waiting
from readagent.errors import (
    BadReplyError,
    BudgetExceededError,
    ConnectionFailedError,
    ContextOverflowError,
    RateLimitedError,
    ReadAgentError,
    ServerFaultError,
    SlowReplyError,
    UnauthorizedError,
)
from readagent.models.limits import Slots
from readagent.models.refusal import UnreachableError
from readagent.models.retry import Retries, Retrying, waiting_together
from readagent.models.wire import OversizedReplyError
from readagent.testing.faults import FakeClock
from readagent.testing.scripted import ScriptedModel

pytestmark = pytest.mark.anyio
ASK = Ask("gist", "one two three")

RETRYABLE = [ConnectionFailedError("x"), RateLimitedError("x"), BadReplyError("x"),]  # fmt: skip
PERMANENT = [UnauthorizedError("x"), ContextOverflowError("x"), BudgetExceededError("x"),]  # fmt: skip
STORMS = [RateLimitedError("slow down"), UnreachableError("refused"), ServerFaultError("maintenance", retry_after=30)]
FAULTS = [(ServerFaultError("fault"), 4), (BadReplyError("no JSON"), 4), (SlowReplyError("slow"), 2),
          (OversizedReplyError("endless"), 2)]  # fmt: skip


def kind(error: object) -> str:
    return type(error).__name__


def retrying(model: ScriptedModel, patience: float = 1200.0) -> Retrying:
    return Retrying(model, Retries(Slots(8), patience=patience))


@pytest.mark.parametrize("error", RETRYABLE, ids=kind)
async def test_a_retryable_error_is_retried(error: ReadAgentError) -> None:
    model = ScriptedModel([error, error, "at last"])
    assert (await retrying(model).complete(ASK)).text == "at last"
    assert len(model.asks) == 3


@pytest.mark.parametrize("error", PERMANENT, ids=kind)
async def test_a_permanent_error_is_raised_at_once(error: ReadAgentError) -> None:
    model = ScriptedModel([error, "never"])
    with pytest.raises(type(error)):
        await retrying(model).complete(ASK)
    assert len(model.asks) == 1


@pytest.mark.parametrize("error", STORMS, ids=kind)
async def test_patience_ends_with_a_message_that_says_how_to_continue(error: ReadAgentError, clock: FakeClock) -> None:
    model = ScriptedModel(lambda ask: "hello" if len(model.asks) == 1 else error)
    patient = retrying(model)
    await patient.complete(ASK)
    with pytest.raises(type(error), match=r"tried again for 2[01] min") as caught:
        await patient.complete(ASK)
    assert "nothing is lost: run the same again later to continue" in caught.value.hint
    assert clock.now() == pytest.approx(1200), "the last wait is cut to what is left"


@pytest.mark.parametrize("error", STORMS, ids=kind)
async def test_a_call_that_fails_while_others_are_answered_fails_alone(error: ReadAgentError, clock: FakeClock) -> None:
    """The bad call comes first; the others are answered although it fails again and again."""
    model = ScriptedModel(lambda ask: error if ask.prompt == "0" else "fine")
    calls = Retrying(model, Retries(Slots(8), patience=60))
    await calls.complete(Ask("gist", "hello"))
    bad, *good = await asyncio.gather(*(calls.complete(Ask("gist", str(i))) for i in range(30)), return_exceptions=True)
    assert isinstance(bad, ServerFaultError)
    assert re.search(r"tried \d+ times in \d+ s, while other calls were answered\)", str(bad))
    assert len([ask for ask in model.asks if ask.prompt == "0"]) <= 10
    assert not bad.busy
    assert bad.retry_after is None
    assert all(isinstance(reply, Reply) for reply in good)


async def test_calls_that_share_their_patience_wait_for_so_long_in_all(clock: FakeClock) -> None:
    patience = 3.0
    model = ScriptedModel(lambda ask: RateLimitedError("slow down", retry_after=1) if len(model.asks) % 2 else "fine")
    calls = Retrying(model, Retries(Slots(4, clock=clock), patience=patience))
    with waiting_together(patience), pytest.raises(RateLimitedError) as raised:
        await together(one_after_the_other(calls, 100) for _ in range(4))
    assert clock.now() <= patience
    assert re.search(rf"waited ({patience - 1:.0f}|{patience:.0f}) s in all", str(raised.value))
    assert (await calls.complete(ASK)).text == "fine"  # others still have all their patience


@pytest.mark.parametrize("before", [0, 1])
async def test_a_server_that_fails_on_everything_is_given_up_soon_if_somebody_waits(
    before: int, clock: FakeClock
) -> None:
    model = ScriptedModel(lambda ask: "fine" if len(model.asks) <= before else ServerFaultError("out of order"))
    calls = retrying(model)
    for _ in range(before):
        await calls.complete(ASK)
    with waiting_together(30.0, 6.0), pytest.raises(ServerFaultError, match="out of order"):
        await together(calls.complete(replace(ASK, prompt=f"one two {number}")) for number in range(8))
    assert clock.now() <= 7
    assert len(model.asks) <= before + 8 * (2 if before else 4)


async def test_a_text_on_which_the_server_fails_is_given_up_soon_if_somebody_waits(clock: FakeClock) -> None:
    model = ScriptedModel(lambda ask: ServerFaultError("no") if ask.prompt == "bad" else "ready")
    calls = retrying(model)
    await calls.complete(ASK)
    with waiting_together(30.0, 6.0), pytest.raises(ServerFaultError) as caught:
        await calls.complete(Ask("paginate", "bad"))
    assert not caught.value.busy, "it is about this text"
    assert clock.now() <= 8


async def one_after_the_other(calls: Retrying, count: int) -> None:
    for number in range(count):
        await calls.complete(replace(ASK, prompt=f"one two {number}"))


@pytest.mark.parametrize(("error", "attempts"), FAULTS)
async def test_a_fault_of_one_call_gets_a_few_attempts(error: ReadAgentError, attempts: int, clock: FakeClock) -> None:
    model = ScriptedModel(lambda ask: error)
    with pytest.raises(type(error)) as caught:
        await retrying(model).complete(ASK)
    assert caught.value.hint.startswith("nothing is lost: run the same again to continue")
    assert len(model.asks) == attempts
    assert clock.now() < 15


@pytest.mark.parametrize("error", STORMS, ids=kind)
async def test_a_call_that_fails_alone_is_told_from_a_storm_by_a_small_call(
    error: ReadAgentError, clock: FakeClock
) -> None:
    """Pages are found one after another, so there may be no other call from which one could tell."""
    model = ScriptedModel(lambda ask: error if ask.prompt == "bad" else "ready")
    calls = retrying(model)
    await calls.complete(ASK)
    with pytest.raises(ServerFaultError, match="while other calls were answered"):
        await calls.complete(Ask("paginate", "bad"))
    assert clock.now() < 300
    assert len(model.asks) < 20


async def test_retry_after_is_honoured(clock: FakeClock) -> None:
    model = ScriptedModel([RateLimitedError("x", retry_after=20), ServerFaultError("x", retry_after=300), "ok"])
    await retrying(model).complete(ASK)
    assert 20 <= clock.waits[0] <= 22
    assert 300 <= clock.waits[1] <= 330


async def test_waits_grow_with_jitter_up_to_a_maximum(clock: FakeClock) -> None:
    model = ScriptedModel(lambda ask: RateLimitedError("x") if len(model.asks) < 10 else "ok")
    await retrying(model).complete(ASK)
    assert all(2**i <= wait <= 2 ** (i + 1) for i, wait in enumerate(clock.waits[:5]))
    assert all(30 <= wait <= 60 for wait in clock.waits[5:])


async def test_a_retry_after_beyond_the_patience_is_not_waited_for(clock: FakeClock) -> None:
    model = ScriptedModel([RateLimitedError("come back tomorrow", retry_after=86400), "ok"])
    with pytest.raises(RateLimitedError, match="asks to wait 24 h, which is longer than the patience allows") as caught:
        await retrying(model).complete(ASK)
    assert "`patience`" in caught.value.hint
    assert not clock.waits


async def test_a_server_that_was_never_reached_is_given_up_early(clock: FakeClock) -> None:
    model = ScriptedModel(lambda ask: UnreachableError("refused"))
    with pytest.raises(UnreachableError):
        await retrying(model).complete(ASK)
    assert len(model.asks) == 2
    assert clock.now() < 5


async def test_waits_are_announced_as_events_and_in_the_log(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "readagent")
    heard: list[Waiting] = []
    model = ScriptedModel([RateLimitedError("x", retry_after=40), ServerFaultError("x"), "ok"])
    await retrying(model).complete(Ask("gist", "p", notify=heard.append))
    assert [one.reason for one in heard] == ["the server asks to slow down", "the server failed"]
    assert 40 <= heard[0].seconds <= 44
    assert [record.getMessage().split(": ")[1] for record in caplog.records] == [one.reason for one in heard]


async def test_a_cancelled_call_is_not_retried() -> None:
    gate = Gate()
    task = asyncio.create_task(Retrying(gate, Retries(Slots(1))).complete(ASK))
    await let_others_run()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert len(gate.begun) == 1
