"""`/v1/responses`: what fits is passed on, what does not is made to fit, and items stay items."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from doors.proxying import WINDOW, RunningProxy, answers, prompt_tokens, prose
from readagent.proxy.responses import read_responses
from readagent.testing.loopback import LoopbackServer

Start = Callable[..., RunningProxy]
PATH = "/v1/responses"
FACT = "The password of the lighthouse keeper is heliotrope seventeen."
QUESTION = "What is the password of the lighthouse keeper?"
BOOK = f"{prose(5000)}\n\n{FACT}\n\n{prose(5000, 1)}"
IMAGE = {"type": "input_image", "image_url": "https://example.org/a.png"}


@pytest.fixture
def model() -> Iterator[LoopbackServer]:
    with LoopbackServer(window=WINDOW).in_thread() as server:
        yield server


def called(number: int, **more: Any) -> dict[str, Any]:
    return {"type": "function_call", "id": f"fc_{number}", "call_id": f"c{number}", "name": "search",
            "arguments": '{"q": "door"}', "status": "completed", **more}  # fmt: skip


def result(number: int, output: Any) -> dict[str, Any]:
    return {"type": "function_call_output", "call_id": f"c{number}", "output": output}


THOUGHT = {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "AAAA"}
ITEMS: list[dict[str, Any]] = [
    {"role": "user", "content": "Who painted the door?"},
    {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "Look."}, IMAGE]},
    THOUGHT,
    called(1),
    called(2),
    result(1, "Odile."),
    result(2, [{"type": "input_text", "text": "In May."}]),
    {"type": "custom_tool_call", "call_id": "c3", "name": "run", "input": "ls"},
    {"type": "custom_tool_call_output", "call_id": "c3", "output": "a.txt"},
    {"type": "web_search_call", "id": "ws_1", "status": "completed", "action": {"type": "search", "query": "door"}},
    THOUGHT,
    {"type": "message", "id": "msg_1", "role": "assistant", "status": "completed",
     "content": [{"type": "output_text", "text": "Odile did.", "annotations": []}]},
    THOUGHT,
]  # fmt: skip


def test_items_that_did_not_change_come_back_as_they_were() -> None:
    body = {
        "model": "m", "input": ITEMS, "instructions": "Be terse.", "tools": [{"type": "function", "name": "search"}],
    }  # fmt: skip
    request = read_responses(json.dumps(body).encode())
    assert request is not None
    assert request.with_messages(request.messages) == body
    calls = next(one for one in request.messages if one.get("tool_calls"))
    assert [one["id"] for one in calls["tool_calls"]] == ["c1", "c2"]


@pytest.mark.slow
def test_a_long_input_becomes_pages_and_the_instructions_stay(model: LoopbackServer, start: Start) -> None:
    body = {"model": "skimmer", "instructions": "Be terse.", "input": f"{QUESTION}\n\n{BOOK}", "max_output_tokens": 500}
    reply = start().http.post(PATH, json=body)
    assert (reply.status_code, reply.headers["x-readagent-compressed"]) == (200, "yes")
    assert reply.json()["readagent"]["pages"] > 5
    sent = answers(model)[-1]
    assert FACT in sent.prompt
    assert json.loads(sent.body)["instructions"] == "Be terse."
    assert prompt_tokens(sent) + 500 <= WINDOW
    assert {one["role"] for one in sent.messages} == {"user", "assistant"}


@pytest.mark.slow
def test_calls_of_tools_stay_with_their_results_and_with_the_reasoning(model: LoopbackServer, start: Start) -> None:
    items = [{"role": "user", "content": QUESTION}]
    for number in range(0, 60, 2):
        thought = {**THOUGHT, "id": f"rs_{number}"}
        outputs = [
            result(number, f"{prose(150, number)} {FACT if number == 4 else ''}"),
            result(number + 1, "Nothing."),
        ]
        items += [thought, called(number), called(number + 1), *outputs]
    reply = start().http.post(PATH, json={"model": "skimmer", "input": items})
    assert (reply.status_code, reply.headers["x-readagent-compressed"]) == (200, "yes")
    sent = answers(model)[-1]
    assert FACT in sent.prompt
    kinds = [one.get("type", "message") for one in sent.messages]
    first = kinds.index("reasoning")
    group = ["reasoning", "function_call", "function_call", "function_call_output", "function_call_output"]
    assert kinds[first:] == group * ((len(kinds) - first) // 5)
    assert sent.messages[-5:] == items[-5:]
