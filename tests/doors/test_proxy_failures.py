"""When making a request fit fails, the server's own error comes back; when a client goes away, the work stops."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from typing import Any

import httpx2
import pytest

from doors.proxying import CHAT, WINDOW, RunningProxy, own_calls, prose, proxied, said, until
from readagent.testing.loopback import LoopbackServer
from readagent.testing.loopback.requests import ErrorResponse

pytestmark = pytest.mark.slow

Start = Callable[..., RunningProxy]
LONG = [said("user", f"Who painted the door?\n\n{prose(12_000)}")]


@pytest.fixture
def model() -> Iterator[LoopbackServer]:
    with LoopbackServer(window=WINDOW, retry_after=11).in_thread() as server:
        yield server


def test_a_wrong_key_is_told_by_the_server(own_home: Any) -> None:
    with proxied(own_home, {"window": WINDOW}, key="sk-right") as (_, proxy):
        reply = proxy.chat(LONG, key="sk-wrong")
        right = proxy.chat(LONG, key="sk-right")
    assert (reply.status_code, reply.json()["error"]["code"]) == (401, "invalid_api_key")
    assert right.status_code == 200


def test_a_server_that_works_again_goes_on_where_it_was(model: LoopbackServer, start: Start) -> None:
    proxy = start()
    model.faults.plan(None, None, None, None, *["wrong key"] * 40)  # type: ignore[list-item]
    assert proxy.chat(LONG).status_code == 200
    proxy.settle()
    kept = len([one for one in own_calls(model) if one.finished])
    assert kept >= 3
    while model.faults.next("") is not None:
        pass
    before = len(own_calls(model))
    assert proxy.chat(LONG).status_code == 200
    proxy.settle()
    assert len(own_calls(model)) > before
    assert not {one.prompt for one in own_calls(model)[before:]} & {
        one.prompt for one in own_calls(model)[:before] if one.finished
    }


def test_useless_gists_are_replaced_by_the_openings_of_pages(model: LoopbackServer, start: Start) -> None:
    answer = model.answer
    model.answer = lambda prompt, constraint: (
        "I cannot help with that." if prompt.startswith("Shorten the passage") else answer(prompt, constraint)
    )
    proxy = start()
    for _ in range(2):
        reply = proxy.chat(LONG)
        proxy.settle()
    told = [reply.headers[f"x-readagent-{name}"] for name in ("compressed", "calls", "pages-without-gist")]
    assert (reply.status_code, *told[:2]) == (200, "yes", "0")
    assert len(own_calls(model)) < int(told[2])


def test_the_error_of_the_answer_itself_is_passed_on(model: LoopbackServer, start: Start) -> None:
    proxy = start()
    model.faults.plan("429")
    reply = proxy.chat(LONG)
    assert (reply.status_code, reply.headers["retry-after"]) == (429, "11")
    assert reply.json()["error"]["code"] == "rate_limit_exceeded"


def test_a_client_that_goes_away_ends_the_answer(model: LoopbackServer, start: Start) -> None:
    proxy = start()
    model.faults.plan("silence")  # begins to stream, and never ends
    with proxy.http.stream(
        "POST", CHAT, json={"model": "skimmer", "messages": [said("user", "Go")], "stream": True}
    ) as reply:
        assert next(reply.iter_bytes())
        assert busy(model)
    until(lambda: not busy(model))
    assert proxy.chat([said("user", "Hello")]).status_code == 200


def busy(model: LoopbackServer) -> bool:
    """Whether the model has a connection besides the one on which it has told its window."""
    return len(model._connections) > 1


def test_where_the_model_cannot_be_asked_the_search_decides(model: LoopbackServer, start: Start) -> None:
    proxy, answer = start(), model.answer
    proxy.chat(LONG)
    proxy.settle()

    def refuse(prompt: str, constraint: Any) -> str:
        if "you may reread pages" in prompt:
            raise ErrorResponse(400, "A message must have the field `trace`.")
        return answer(prompt, constraint)

    model.answer = refuse
    reply = proxy.chat([said("user", f"Who mended the net?\n\n{LONG[0]['content']}")])
    assert "A message must have the field" in reply.headers["x-readagent-reason"]
    assert (reply.status_code, reply.headers["x-readagent-compressed"]) == (200, "yes")


def test_a_stream_shows_signs_of_life_while_the_text_is_looked_through(
    model: LoopbackServer, start: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    proxy = start()
    proxy.chat(LONG)
    proxy.settle()
    monkeypatch.setattr("readagent.proxy.exchange._SILENCE", 0.02)
    model._latency = 0.1
    asked = [said("user", f"Who mended the net?\n\n{LONG[0]['content']}")]
    reply = proxy.chat(asked, stream=True)
    assert reply.text.startswith(": ")
    assert reply.text.endswith("data: [DONE]\n\n")
    proxy.settle()
    model.faults.plan(None, "wrong key")  # the answer's
    asked = [said("user", f"Who sold the bell?\n\n{LONG[0]['content']}")]
    *_, last = proxy.chat(asked, stream=True).text.strip().split("\n\n")
    assert "Incorrect API key" in last
    assert last.startswith('data: {"error":')


def test_a_request_that_is_not_answered_when_the_proxy_stops(
    model: LoopbackServer, start: Start, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr("readagent.web.serving._GRACE", 0)
    proxy, replies = start(), list[httpx2.Response]()
    model.faults.rate, model.faults.kinds = 1.0, ("stall",)
    asking = threading.Thread(target=lambda: replies.append(post(proxy, LONG)))
    asking.start()
    until(lambda: model.requests)
    proxy.stop()
    asking.join()
    assert (replies[0].status_code, replies[0].json()["error"]["type"]) == (503, "api_error")
    assert "the server is stopping" in replies[0].json()["error"]["message"]
    line = proxy.proxy.last[0].line()
    assert line.startswith("503 ")
    assert "failed (the server is stopping)" in line
    assert "went away" not in line
    assert [one for one in caplog.records if one.exc_info] == []


def post(proxy: RunningProxy, messages: Any) -> httpx2.Response:
    return httpx2.post(f"{proxy.address}{CHAT}", json={"model": "skimmer", "messages": messages}, timeout=60)
