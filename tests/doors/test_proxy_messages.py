"""`/v1/messages`: Anthropic's API in front of a server that has only chat completions."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

import httpx2
import pytest

from doors.proxying import WINDOW, RunningProxy, answers, prose, until
from readagent.proxy.messages import read_messages
from readagent.testing.loopback import Call, LoopbackServer
from readagent.testing.loopback.requests import tokens
from web.fixtures import Serve
from web.running import TOKEN

Start = Callable[..., RunningProxy]
PATH = "/v1/messages"
FACT = "The password of the lighthouse keeper is heliotrope seventeen."
BOOK = f"What is the password?\n\n{prose(5000)}\n\n{FACT}\n\n{prose(5000, 1)}"
SEARCH = {"name": "search", "description": "Search.", "input_schema": {"type": "object", "properties": {}}}
PICTURE = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "AAAA"}}


@pytest.fixture
def model() -> Iterator[LoopbackServer]:
    with LoopbackServer(window=WINDOW, counts="request", key="sk-test").in_thread() as server:
        yield server


def asked(proxy: RunningProxy, content: Any, **more: Any) -> httpx2.Response:
    body = {"model": "skimmer", "max_tokens": 32_000, "messages": [{"role": "user", "content": content}], **more}
    return proxy.http.post(PATH, json=body, headers={"x-api-key": "sk-test", "anthropic-version": "2023-06-01"})


def events(reply: httpx2.Response) -> list[dict[str, Any]]:
    return [json.loads(line[6:]) for line in reply.text.splitlines() if line.startswith("data: ")]


def test_turns_tools_and_pictures_are_a_chat() -> None:
    thought = {"type": "thinking", "thinking": "Hm.", "signature": "x"}
    use = {"type": "tool_use", "id": "t1", "name": "search", "input": {"q": "door"}}
    seen = {"type": "tool_result", "tool_use_id": "t1", "content": [{"type": "text", "text": "Odile."}, PICTURE]}
    body = {
        "model": "m", "max_tokens": 9, "system": [{"type": "text", "text": "Be terse.", "cache_control": {}}],
        "messages": [{"role": "user", "content": "Who?"}, {"role": "assistant", "content": [thought, use]},
                     {"role": "user", "content": [seen, {"type": "text", "text": "And?"}]}],
        "tools": [SEARCH], "tool_choice": {"type": "any", "disable_parallel_tool_use": True}, "stop_sequences": ["END"],
        "metadata": {"user_id": "secret"}, "thinking": {"type": "adaptive"},
        "output_config": {"format": {"type": "json_schema", "schema": {"type": "object"}}},
    }  # fmt: skip
    called = {"id": "t1", "type": "function", "function": {"name": "search", "arguments": '{"q": "door"}'}}
    picture = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}}
    assert read_messages(json.dumps(body).encode())[1] == {
        "model": "m", "max_tokens": 9, "stop": ["END"], "tool_choice": "required", "parallel_tool_calls": False,
        "messages": [
            {"role": "system", "content": "Be terse."},
            {"role": "user", "content": "Who?"},
            {"role": "assistant", "content": None, "tool_calls": [called]},
            {"role": "tool", "tool_call_id": "t1", "content": "Odile."},
            {"role": "user", "content": [picture, {"type": "text", "text": "And?"}]},
        ],
        "tools": [{"type": "function", "function": {"name": "search", "description": "Search.",
                                                    "parameters": SEARCH["input_schema"]}}],
        "response_format": {"type": "json_schema",
                            "json_schema": {"name": "reply", "strict": True, "schema": {"type": "object"}}},
    }  # fmt: skip


def test_a_long_text_is_made_to_fit_with_a_reply_as_long_as_there_is_room(model: LoopbackServer, start: Start) -> None:
    proxy = start()
    reply = asked(proxy, BOOK, system="Be terse.")
    assert (reply.status_code, reply.headers["x-readagent-compressed"]) == (200, "yes")
    said = reply.json()
    assert (said["type"], said["role"], said["stop_reason"]) == ("message", "assistant", "end_turn")
    assert said["content"][0]["type"] == "text"
    assert said["readagent"]["pages"] > 5
    sent = answers(model)[-1]
    assert FACT in sent.prompt
    assert said["usage"]["input_tokens"] == tokens(sent.prompt)
    assert sent.messages[0] == {"role": "system", "content": "Be terse."}
    assert (sent.parameters["max_tokens"], sent.headers["authorization"]) == (WINDOW // 4, "Bearer sk-test")
    assert "x-api-key" not in sent.headers
    assert "anthropic-version" not in sent.headers
    until(lambda: proxy.proxy.last)
    assert "200 /messages skimmer" in proxy.proxy.last[0].line()
    counted = proxy.http.post(f"{PATH}/count_tokens", json={"model": "skimmer", "messages": [{"role": "user", "content": BOOK}]},
                              headers={"x-api-key": "sk-test"})  # fmt: skip
    assert 18_000 < counted.json()["input_tokens"] < int(reply.headers["x-readagent-original-tokens"])


def test_openai_gets_the_limit_under_its_newer_name(model: LoopbackServer, start: Start) -> None:
    proxy = start()
    proxy.proxy.server = "https://api.openai.com/v1"
    assert asked(proxy, "Hello").status_code == 200
    limits = {name: value for name, value in model.requests[-1].parameters.items() if name.startswith("max")}
    assert limits == {"max_completion_tokens": WINDOW // 4}


@pytest.mark.parametrize("stream", [False, True])
def test_a_call_of_a_tool(model: LoopbackServer, start: Start, stream: bool) -> None:
    model.answer = lambda prompt, constraint: Call.of("search", query="who painted the door")
    model._reasoning = "I look it up."
    reply = asked(start(), "Who?", tools=[SEARCH], stream=stream, thinking={"type": "adaptive"})
    if stream:
        first, *found, delta, last = events(reply)
        assert (first["type"], first["message"]["content"], last["type"]) == ("message_start", [], "message_stop")
        kinds = [f"{one['type']} {one['index']}" for one in found if one["type"] != "content_block_delta"]
        assert kinds == [f"content_block_{what} {at}" for at in (0, 1) for what in ("start", "stop")]
        thought, use = (one["content_block"] for one in found if one["type"] == "content_block_start")
        deltas = [one["delta"] for one in found if one["type"] == "content_block_delta"]
        thought["thinking"] += deltas[0]["thinking"]
        use["input"] = json.loads("".join(one["partial_json"] for one in deltas[1:]))
        stop, usage = delta["delta"]["stop_reason"], delta["usage"]
    else:
        (thought, use), stop, usage = (reply.json()[name] for name in ("content", "stop_reason", "usage"))
    assert thought == {"type": "thinking", "thinking": "I look it up.", "signature": ""}
    assert use == {"type": "tool_use", "id": "call_1", "name": "search", "input": {"query": "who painted the door"}}
    assert stop == "tool_use"
    assert usage["output_tokens"] > 0


def test_a_stream_that_breaks_off_ends_with_an_error(model: LoopbackServer, start: Start) -> None:
    proxy = start()
    model.faults.plan("malformed")
    assert events(asked(proxy, "Go", stream=True))[-1]["error"]["type"] == "api_error"
    assert events(asked(proxy, "Go", stream=True))[-1]["type"] == "message_stop"


@pytest.mark.parametrize(
    ("change", "status", "kind", "said"),
    [
        ({"messages": [{"role": "user", "content": prose(9000)}], "model": "other"}, 404, "not_found_error", "other"),
        ({"messages": "Hello"}, 400, "invalid_request_error", "`$.messages`"),
        ({"tools": [{"type": "web_search_20250305", "name": "web_search"}]}, 400, "invalid_request_error", "Anthropic's own"),
        ({"messages": [{"role": "user", "content": [{"type": "tool_result"}]}]}, 400, "invalid_request_error", "tool_use_id"),
        ({}, 400, "invalid_request_error", "prompt is too long: This model's maximum context length"),
    ],
)  # fmt: skip
def test_errors_have_the_form_of_anthropic(
    model: LoopbackServer, start: Start, change: dict[str, Any], status: int, kind: str, said: str
) -> None:
    model.faults.plan(*["overflow"] * (not change))
    reply = asked(start(), "Hello", **change)
    assert (reply.status_code, reply.json()["type"], reply.json()["error"]["type"]) == (status, "error", kind)
    assert said in reply.json()["error"]["message"]


def test_the_page_has_it_behind_its_token(model: LoopbackServer, serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("READAGENT_API_KEY", "sk-test")
    address = serve().client.address.rstrip("/")
    body = {"model": "skimmer", "max_tokens": 100, "messages": [{"role": "user", "content": "Hello"}]}
    for key, status in (("wrong", 401), (TOKEN, 200)):
        reply = httpx2.post(f"{address}{PATH}", json=body, headers={"x-api-key": key}, timeout=60)
        assert (reply.status_code, reply.json()["type"]) == (status, "message" if status == 200 else "error")
