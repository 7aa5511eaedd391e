"""When making a request fit fails, the server's own error comes back; when a client goes away, the work stops."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Callable, Iterator
from typing import Any

import httpx2
import pytest

from doors.proxying import CHAT, WINDOW, RunningProxy, answers, is_own, own_calls, prose, said, talk, until
from readagent.testing.loopback import LoopbackServer
from readagent.testing.loopback.requests import ErrorResponse

pytestmark = pytest.mark.slow

Start = Callable[..., RunningProxy]
LONG = [said("user", f"Who painted the door?\n\n{prose(12_000)}")]


@pytest.fixture
def model() -> Iterator[LoopbackServer]:
    with LoopbackServer(window=WINDOW, retry_after=11).in_thread() as server:
        yield server


@pytest.mark.parametrize("fault", ["500", "html", "malformed", "cut"])
def test_a_server_that_fails_while_pages_are_read(model: LoopbackServer, start: Start, fault: Any) -> None:
    model.faults.rate, model.faults.kinds = 1.0, (fault,)
    direct = httpx2.post(f"{model.base_url}/chat/completions", json={"model": "skimmer", "messages": LONG})
    reply = start().chat(LONG)
    assert own_calls(model)
    assert (reply.status_code, reply.content) == (direct.status_code, direct.content) == (400, direct.content)
    assert reply.headers["x-readagent-compressed"] == "no"


@pytest.mark.parametrize(("fault", "status"), [("wrong key", 401), ("429", 429)])
def test_what_the_server_says_about_the_account_reaches_the_client(
    model: LoopbackServer, start: Start, fault: Any, status: int
) -> None:
    proxy = start()
    model.faults.rate, model.faults.kinds = 1.0, (fault,)
    short = {"model": "skimmer", "messages": [said("user", "Hello")]}
    direct = httpx2.post(f"{model.base_url}/chat/completions", json=short)
    reply = proxy.chat(LONG)
    assert len(own_calls(model)) <= 16
    assert (reply.status_code, reply.content) == (status, direct.content)
    assert reply.headers.get("retry-after") == direct.headers.get("retry-after")
    assert reply.headers["x-readagent-compressed"] == "no"
    assert answers(model)[1:] == []  # the request itself was not sent, only the short one


def test_a_refused_key_on_one_page_is_told_as_that(model: LoopbackServer, start: Start) -> None:
    model.faults.plan(None, None, "wrong key", *[None] * 40)  # type: ignore[list-item]
    assert start().chat(LONG).status_code == 401


def test_all_waits_for_one_request_together_have_an_end(own_home: Any) -> None:
    with LoopbackServer(window=WINDOW, retry_after=1).in_thread() as model:
        proxy = RunningProxy(own_home, model.base_url, settings={"patience": 2.5, "parallel": 1})
        try:
            model.faults.plan(*[fault for _ in range(40) for fault in ("429", None)])  # type: ignore[list-item]
            reply = proxy.chat(LONG)
            until(lambda: proxy.proxy.last)
        finally:
            proxy.stop()
    assert (reply.status_code, reply.headers["retry-after"]) == (429, "1")
    assert len([one for one in own_calls(model) if one.finished]) < 4  # one after each wait
    assert "in all" in proxy.proxy.last[0].reason


def test_each_request_has_its_own_time_to_wait(own_home: Any) -> None:
    with LoopbackServer(window=WINDOW, retry_after=1).in_thread() as model:
        proxy = RunningProxy(own_home, model.base_url, settings={"patience": 2.5})
        try:
            model.faults.rate, model.faults.kinds = 1.0, ("429",)
            statuses = [proxy.chat(LONG, key="sk-one").status_code for _ in range(2)]
            until(lambda: len(proxy.proxy.last) == 2)
        finally:
            proxy.stop()
    assert statuses == [429, 429]
    assert all(re.search("waited [12] s in all", one.reason) for one in proxy.proxy.last)


def test_a_server_that_begins_to_fail_is_given_up_soon(own_home: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("readagent.proxy.proxy._FAULTS", 0.3)
    with LoopbackServer(window=WINDOW).in_thread() as model:
        proxy = RunningProxy(own_home, model.base_url, settings={"patience": 1200.0})
        try:
            model.faults.plan(*[None] * 3, *["500"] * 400)  # type: ignore[list-item]
            reply = proxy.chat([said("user", "Hello")])
            assert reply.status_code == 200
            reply = proxy.chat(LONG)
            until(lambda: len(proxy.proxy.last) == 2)
        finally:
            proxy.stop()
    assert (reply.status_code, reply.headers["x-readagent-compressed"]) == (400, "no")
    assert 2 < len(own_calls(model)) < 20
    assert re.search(r"failed \(500\).*tried again for [0-5] s", proxy.proxy.last[0].reason)


def test_a_caller_does_not_wait_for_the_account_of_another(own_home: Any) -> None:
    with LoopbackServer(window=WINDOW, retry_after=3600).in_thread() as model:
        proxy = RunningProxy(own_home, model.base_url, settings={"patience": 60.0})
        try:
            model.faults.plan(*["429"] * 8)
            first, again = (proxy.chat(LONG, key="sk-one") for _ in range(2))
            while model.faults.next("") is not None:
                pass
            other = proxy.chat(LONG, key="sk-two")
        finally:
            proxy.stop()
    assert first.content == again.content
    assert (first.status_code, first.headers["retry-after"]) == (again.status_code, again.headers["retry-after"])
    assert (first.status_code, first.headers["retry-after"]) == (429, "3600")
    assert other.status_code == 200


def test_a_wrong_key_is_told_by_the_server(own_home: Any) -> None:
    with LoopbackServer(window=WINDOW, key="sk-right").in_thread() as model:
        proxy = RunningProxy(own_home, model.base_url, settings={"window": WINDOW})
        try:
            reply = proxy.chat(LONG, key="sk-wrong")
            right = proxy.chat(LONG, key="sk-right")
        finally:
            proxy.stop()
    assert (reply.status_code, reply.json()["error"]["code"]) == (401, "invalid_api_key")
    assert right.status_code == 200


def test_a_key_that_cannot_be_sent_is_a_wrong_key(start: Start) -> None:
    """The SDKs tell people about their key on a 401, and ask again on a 500."""
    refused = start().chat([said("user", "Hello")], headers={"authorization": "Bearer schlüssel".encode()})
    assert (refused.status_code, refused.json()["error"]["type"]) == (401, "authentication_error")
    assert "copy the key again" in refused.json()["error"]["message"]


def test_a_server_that_works_again_goes_on_where_it_was(model: LoopbackServer, start: Start) -> None:
    proxy = start()
    model.faults.plan(None, None, None, *["wrong key"] * 40)  # type: ignore[list-item]
    assert proxy.chat(LONG).status_code in (400, 401)
    kept = len([one for one in own_calls(model) if one.finished])
    assert kept >= 3
    while model.faults.next("") is not None:
        pass
    before = len(own_calls(model))
    reply = proxy.chat(LONG)
    assert reply.status_code == 200
    assert len(own_calls(model)) - before == int(reply.headers["x-readagent-calls"])
    assert not {one.prompt for one in own_calls(model)[before:]} & {
        one.prompt for one in own_calls(model)[:before] if one.finished
    }


def test_useless_gists_are_replaced_by_the_openings_of_pages(model: LoopbackServer, start: Start) -> None:
    answer = model.answer
    model.answer = lambda prompt, constraint: (
        "I cannot help with that." if prompt.startswith("Shorten the passage") else answer(prompt, constraint)
    )
    reply = start().chat(LONG)
    assert (reply.status_code, reply.headers["x-readagent-compressed"]) == (200, "yes")


def test_a_look_up_that_fails_leaves_it_to_the_search(model: LoopbackServer, start: Start) -> None:
    fact = "The heliotrope was planted by Odile."
    messages = [said("user", f"Who planted the heliotrope?\n\n{prose(6000)}\n\n{fact}\n\n{prose(6000, 1)}")]
    answer = model.answer
    model.answer = lambda prompt, constraint: "no idea" if prompt.startswith("Below") else answer(prompt, constraint)
    reply = start().chat(messages)
    assert int(reply.headers["x-readagent-pages-opened"]) > 0
    assert fact in answers(model)[-1].prompt


def test_tools_that_fill_the_window_give_the_servers_error(model: LoopbackServer, start: Start) -> None:
    tools = [{"type": "function", "function": {"name": f"tool_{n}", "description": prose(300, n)}} for n in range(40)]
    reply = start().chat([*talk(200), said("user", "Which tool?")], tools=tools)
    assert reply.status_code == 400
    assert reply.json()["error"]["code"] == "context_length_exceeded"
    assert reply.headers["x-readagent-compressed"] == "no"
    assert own_calls(model) == []


@pytest.mark.parametrize("messages", [LONG, [said("user", "Hello")]])
def test_a_field_that_is_nested_deeply_is_passed_on(model: LoopbackServer, start: Start, messages: Any) -> None:
    body = b'{"model": "skimmer", "x": %s, "messages": %s}' % (b"[" * 600 + b"]" * 600, json.dumps(messages).encode())
    direct = httpx2.post(f"{model.base_url}/chat/completions", content=body)
    reply = start().http.post(CHAT, content=body)
    assert (reply.status_code, reply.content) == (direct.status_code, direct.content)
    assert own_calls(model) == []


def test_the_error_of_the_answer_itself_is_passed_on(model: LoopbackServer, start: Start) -> None:
    proxy = start()
    proxy.chat(LONG)
    model.faults.plan("429")  # the gists and the look-up are known
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


def test_a_client_that_goes_away_before_the_answer_ends_the_work(model: LoopbackServer, start: Start) -> None:
    proxy = start()
    model.faults.plan("stall")
    with pytest.raises(httpx2.TimeoutException):
        httpx2.post(f"{proxy.address}{CHAT}", json={"model": "skimmer", "messages": [said("user", "Go")]}, timeout=0.5)
    until(lambda: not busy(model))
    assert len(model.requests) == 1


def busy(model: LoopbackServer) -> bool:
    """Whether the model has a connection besides the one on which it has told its window."""
    return len(model._connections) > 1


def test_nothing_is_asked_for_a_request_that_fits(model: LoopbackServer, start: Start) -> None:
    start().chat([*talk(20), said("user", "And then?")])
    assert len(model.requests) == 1
    assert not is_own(model.requests[0])


def refusing(model: LoopbackServer, status: int, message: str, word: str = "") -> None:
    """Let a server refuse what has a word in it, by default the proxy's own calls for gists."""
    answer = model.answer

    def refuse(prompt: str, constraint: Any) -> str:
        if word in prompt if word else prompt.startswith("Shorten"):
            raise ErrorResponse(status, message)
        return answer(prompt, constraint)

    model.answer = refuse


@pytest.mark.parametrize(
    ("status", "message"), [(413, "Payload Too Large"), (400, "Input is too long for the context window.")]
)
def test_gists_that_are_always_refused_as_too_long_take_few_calls(
    model: LoopbackServer, start: Start, status: int, message: str
) -> None:
    refusing(model, status, message)
    reply = start().chat(LONG)
    assert len(own_calls(model)) <= 8
    assert (reply.status_code, reply.headers["x-readagent-compressed"]) == (400, "no")
    assert reply.json()["error"]["code"] == "context_length_exceeded"


def test_a_server_that_refuses_all_own_calls_gets_two_of_them(model: LoopbackServer, start: Start) -> None:
    refusing(model, 400, "A message must have the field `trace`.")
    proxy = start()
    reply = proxy.chat(LONG)
    assert len(own_calls(model)) == 2
    assert reply.headers["x-readagent-calls"] == "2"
    assert "A message must have the field" in reply.headers["x-readagent-reason"]
    assert (reply.status_code, reply.headers["x-readagent-compressed"]) == (400, "no")
    assert reply.json()["error"]["code"] == "context_length_exceeded"
    until(lambda: proxy.proxy.last)
    assert ", calls 2," in proxy.proxy.last[0].line()


def test_a_server_that_only_repeats_the_prompt_gets_few_calls(model: LoopbackServer, start: Start) -> None:
    model.answer = lambda prompt, constraint: prompt
    reply = start().chat(LONG)
    assert (reply.status_code, reply.headers["x-readagent-compressed"]) == (200, "yes")
    assert reply.headers["x-readagent-calls"] == str(len(own_calls(model)))
    assert len(own_calls(model)) <= 12  # two for each of five pages, and two to look up
    assert reply.headers["x-readagent-pages-without-gist"] == reply.headers["x-readagent-pages"]
    assert "no usable gist" in reply.headers["x-readagent-reason"]
    assert reply.json()["readagent"]["pages_without_gist"] == int(reply.headers["x-readagent-pages"])


def test_a_model_that_writes_only_the_first_gist_does_not_get_two_calls_for_each_page(
    model: LoopbackServer, start: Start
) -> None:
    answer, first = model.answer, list[str]()

    def once(prompt: str, constraint: Any) -> str:
        if prompt.startswith("Shorten"):
            first.append(prompt)
        return answer(prompt, constraint) if len(first) == 1 or not prompt.startswith("Shorten") else "No."

    model.answer = once
    reply = start().chat([said("user", f"Who painted the door?\n\n{prose(40_000)}")])
    pages = int(reply.headers["x-readagent-pages"])
    assert reply.headers["x-readagent-compressed"] == "yes"
    assert pages > 40
    assert len(own_calls(model)) <= 1.3 * pages + 40
    assert "no more are made" in reply.headers["x-readagent-reason"]


def test_the_log_counts_the_calls_for_a_client_that_gave_up(model: LoopbackServer, start: Start) -> None:
    proxy = start()
    model.faults.plan(None, None, None, *["stall"] * 40)  # type: ignore[list-item]
    with pytest.raises(httpx2.TimeoutException):
        httpx2.post(f"{proxy.address}{CHAT}", json={"model": "skimmer", "messages": LONG}, timeout=5)
    until(lambda: proxy.proxy.last)
    given_up = proxy.proxy.last[0]
    assert given_up.calls == len(own_calls(model)) > 3
    assert "not answered, the client went away" in given_up.line()
    assert f"calls {given_up.calls}," in given_up.line()


def test_a_page_that_is_always_refused_as_too_long_is_known_by_its_opening(model: LoopbackServer, start: Start) -> None:
    refusing(model, 413, "Payload Too Large", "PLUTONIUM")
    text = f"Who painted the door?\n\n{prose(6000)}\n\nPLUTONIUM {prose(6000, 1)}"
    reply = start().chat([said("user", text)])
    assert reply.headers["x-readagent-compressed"] == "yes"
    assert len(own_calls(model)) <= int(reply.headers["x-readagent-pages"]) + 16


def test_a_single_403_is_about_the_text_and_one_for_everything_about_the_key(
    model: LoopbackServer, start: Start
) -> None:
    proxy = start()
    refusing(model, 403, "Forbidden", "PLUTONIUM")
    text = f"Who painted the door?\n\n{prose(6000)}\n\nPLUTONIUM {prose(6000, 1)}"
    assert proxy.chat([said("user", text)], key="sk-one").headers["x-readagent-compressed"] == "yes"
    refusing(model, 403, "Forbidden", " ")
    reply = proxy.chat(LONG, key="sk-two")
    assert (reply.status_code, reply.json()["error"]["message"]) == (403, "Forbidden")


@pytest.mark.parametrize("kind", ["input_audio", "file"])
def test_the_log_says_why_a_sound_or_a_file_was_refused(model: LoopbackServer, start: Start, kind: str) -> None:
    proxy = start()
    refusing(model, 400, "The prompt is too long.", f"[{kind}]")
    content = [{"type": kind, kind: {"data": "AAAA"}}, {"type": "text", "text": "What is it?"}]
    assert proxy.chat([said("user", content)]).status_code == 400
    until(lambda: proxy.proxy.last)
    assert "The prompt is too long" in proxy.proxy.last[0].reason
    assert "cannot be counted" in proxy.proxy.last[0].reason


@pytest.mark.parametrize("messages", [LONG, [said("user", "Hello")]])
def test_a_request_that_is_not_answered_when_the_proxy_stops(
    model: LoopbackServer,
    start: Start,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    messages: Any,
) -> None:
    monkeypatch.setattr("readagent.web.graceful._GRACE", 0)
    proxy, replies = start(), list[httpx2.Response]()
    model.faults.rate, model.faults.kinds = 1.0, ("stall",)
    asking = threading.Thread(target=lambda: replies.append(post(proxy, messages)))
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
