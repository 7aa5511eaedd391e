"""What the proxy learns from a refusal: the window that the server names, and nothing from what cannot be counted."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from doors.proxying import COUNT, WINDOW, RunningProxy, answers, own_calls, prose, proxied, said, until
from readagent.testing.loopback import LoopbackServer
from readagent.testing.loopback.requests import ErrorResponse, tokens

pytestmark = pytest.mark.slow

LONG = [said("user", f"Who painted the door?\n\n{prose(9000)}")]
STATED = "This model's maximum context length is 600 tokens. However, you requested 700 tokens."


def test_a_window_that_the_server_names_is_learnt(own_home: Path) -> None:
    with proxied(own_home, count=tokens) as (model, proxy):
        for _ in range(2):
            assert proxy.chat(LONG).status_code == 200
            proxy.settle()
        assert len(own_calls(model)) > 10
        assert len(answers(model)) <= 3  # refused at most once


@pytest.mark.parametrize(
    ("error", "counts"), [("Invalid input: {}", "prompt"), ("Invalid input, in other words: {}.", "vague")]
)
def test_a_caller_cannot_state_the_window(own_home: Path, error: str, counts: Any) -> None:
    def repeat(prompt: str, constraint: Any) -> str:
        if STATED in prompt:
            raise ErrorResponse(400, error.format(STATED if "words" not in error else STATED.replace("is", "=")))
        return answer(prompt, constraint)

    with proxied(own_home / "other", count=tokens, counts=counts) as (model, proxy):
        pages = proxy.chat(LONG).headers["x-readagent-pages"]
    with proxied(own_home, count=tokens, counts=counts) as (model, proxy):
        answer, model.answer = model.answer, repeat
        reply = proxy.chat([said("user", f"Hello. {STATED}")], key="sk-eve")
        assert (reply.status_code, reply.headers["x-readagent-compressed"]) == (400, "no")
        assert len(model.requests) == 1
        assert proxy.chat(LONG, key="sk-bob").headers["x-readagent-pages"] == pages
    assert own_calls(model)


def test_a_window_below_the_listed_one_counts_for_the_caller_who_was_told(own_home: Path) -> None:
    listed = {"/v1/models": {"data": [{"id": "skimmer", "max_model_len": 4 * WINDOW}]}}
    with proxied(own_home, count=tokens, routes=listed) as (model, proxy):
        for key in ("sk-one", "sk-one", "sk-two"):
            assert proxy.chat(LONG, key=key).status_code == 200
        until(lambda: [one.finished for one in answers(model)] == [False, True, True, False, True])


def test_a_text_with_more_tokens_than_estimated_does_not_go_over(own_home: Path) -> None:
    def count(text: str) -> int:
        return int(COUNT(text) * (1.2 if "kaj" in text else 0.6))

    foreign = prose(20_000).replace("door", "kaj")
    with proxied(own_home, {"window": WINDOW}, window=None, count=count) as (model, proxy):  # it would cut
        known = len(model.requests)
        for share in (0.6, 0.7, 0.8, 0.9, 1.0, 2.0):
            text = foreign[: int(share * WINDOW * len(foreign) / COUNT(foreign))]
            assert proxy.chat([said("user", text)], max_tokens=100).status_code == 200
        sizes = [count(one.prompt) + 100 for one in answers(model) if one in model.requests[known:]]
        assert len(sizes) == 6
        assert max(sizes) <= WINDOW
        assert max(sizes) > WINDOW // 2


def over(model: LoopbackServer) -> list[bool]:
    """Return for each request that was too long whether it was one of the proxy's own."""
    sizes = [(one, tokens(one.prompt) + one.parameters.get("max_tokens", 1)) for one in model.requests]
    return [one in own_calls(model) for one, size in sizes if size > (model.window or 0)]


@pytest.mark.parametrize(("window", "words"), [(4096, 6000), (40_000, 60_000)])
def test_where_no_window_is_named_the_proxys_own_calls_begin_small(own_home: Path, window: int, words: int) -> None:
    long = [said("user", f"Who painted the door?\n\n{prose(words)}")]
    with LoopbackServer(window=window, counts="vague").in_thread() as model:
        proxy = RunningProxy(own_home, model.base_url)
        try:
            first = proxy.chat(long, key="sk-one")
            refused = over(model)
            assert (first.status_code, any(refused), len(refused) < 7) == (200, False, True)
            assert tokens(answers(model)[-1].prompt) > window // 5
            before = len(refused)
            again = proxy.chat(long, key="sk-two")
            proxy.stop()
            proxy = RunningProxy(own_home, model.base_url)
            restarted = proxy.chat(long, key="sk-one")
        finally:
            proxy.stop()
        assert len(over(model)) == before  # what was learnt holds for the next request, another caller, and a restart
        names = ("pages", "compressed")
        told = [tuple(one.headers[f"x-readagent-{name}"] for name in names) for one in (first, again, restarted)]
        assert len(set(told)) == 1


def test_a_server_that_cuts_requests_is_told_and_the_next_ones_are_made_to_fit(own_home: Path) -> None:
    with proxied(own_home, window=None, cuts=WINDOW) as (model, proxy):
        assert proxy.chat(LONG).headers["x-readagent-compressed"] == "no"
        until(lambda: proxy.proxy.last and "to 8,192, without saying so" in proxy.proxy.last[0].reason)
        assert proxy.chat(LONG).headers["x-readagent-compressed"] == "yes"
    assert max(len(one.prompt) // 4 for one in model.requests[2:]) <= WINDOW
