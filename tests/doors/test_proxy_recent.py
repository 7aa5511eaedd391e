"""What was said last stays as far as the window goes: results of tools, pictures, calls of tools, odd messages."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import pytest

from doors.proxying import COUNT, compressed, prose, said
from readagent.proxy.chat import message_tokens, read_chat
from readagent.proxy.paging import as_text
from readagent.proxy.sizes import reply_room

pytestmark = pytest.mark.slow


def called(*numbers: int, arguments: str = "{}") -> dict[str, Any]:
    calls = [
        {"id": f"c{number}", "type": "function", "function": {"name": "write", "arguments": arguments}}
        for number in numbers
    ]
    return said("assistant", None, tool_calls=calls)


def result(number: int, words: int) -> dict[str, Any]:
    return said("tool", f"Result {number}: {prose(words, number)}", tool_call_id=f"c{number}")


def talked(turns: int) -> list[dict[str, Any]]:
    return [said(role, prose(70, turn)) for turn in range(turns) for role in ("user", "assistant")]


def pairs(messages: Sequence[Any]) -> bool:
    """Whether each result follows the call that it belongs to."""
    calls = [one["id"] for message in messages for one in message.get("tool_calls") or ()]
    return calls == [message["tool_call_id"] for message in messages if message["role"] == "tool"]


def test_the_newest_results_of_tools_stay_shortened_if_need_be() -> None:
    window = 4096
    at_once = 3
    messages = [said("user", "Go.")]
    for first in range(0, 5 * at_once, at_once):
        numbers = range(first, first + at_once)
        messages += [called(*numbers), *(result(number, 300) for number in numbers)]
    made = compressed([*messages, said("user", "So?")], window)
    sent = made.body["messages"]
    shown = [one["content"][:12] for one in sent if one["role"] == "tool"]
    assert [one["content"][:12] for one in messages[-at_once:]] == shown[-at_once:]
    assert pairs(sent)
    assert window // 2 < made.tokens <= window - reply_room(window, None)


def test_a_large_call_of_a_tool_at_the_end_is_shortened_inside_its_arguments() -> None:
    arguments = {"path": "notes/a.txt", "text": f"First line.\n\n{prose(4000)}\n\nLast line.", "mode": [1, None]}
    messages = [said("user", "Write it."), called(7, arguments=json.dumps(arguments)), result(7, 3)]
    made = compressed(messages, 4096)
    call = made.body["messages"][-2]["tool_calls"][0]
    shortened = json.loads(call["function"]["arguments"])
    assert (call["id"], call["function"]["name"]) == ("c7", "write")
    assert {**shortened, "text": ""} == {**arguments, "text": ""}
    assert shortened["text"].startswith("First line.\n\n")
    assert shortened["text"].endswith("Last line.")
    assert "is in the record, on pages 0 to" in shortened["text"]
    assert pairs(made.body["messages"])


@pytest.mark.parametrize(
    "message",
    [
        {"role": "assistant", "content": None, "refusal": "{}"},
        {"content": "{}"},
        {"role": "assistant", "function_call": {"name": "f", "arguments": '["{}"]'}},
    ],
)
def test_messages_of_any_shape_are_counted_and_put_away(message: dict[str, Any]) -> None:
    said_once = "heliotrope " + prose(300).replace("\n", " ")
    odd = json.loads(json.dumps(message).replace("{}", said_once))
    assert message_tokens(odd, COUNT) > COUNT(said_once)
    assert read_chat(json.dumps({"messages": [odd]}).encode()) is not None
    assert "heliotrope" in as_text(odd)
    made = compressed([said("user", "Go."), odd, *talked(40), said("user", "What was the heliotrope?")], 4096)
    assert "heliotrope" in json.dumps(made.body["messages"][-1]).removesuffix('heliotrope?"}')
    recent = compressed([*talked(40), said("user", "Go."), odd, said("user", "So?")], 4096)
    assert odd in recent.body["messages"]
