"""Whatever is asked, what is sent fits the window, keeps what must stay, and what was said last."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from doors.proxying import COUNT, PICTURE, compressed, prose, said
from readagent.proxy.chat import ChatRequest, message_tokens, read_chat, request_tokens
from readagent.proxy.compress import TooLongError
from readagent.proxy.layout import Layout, lay_out
from readagent.proxy.paging import as_text
from readagent.proxy.sizes import reply_room

pytestmark = pytest.mark.slow

texts = st.one_of(
    st.builds(prose, st.integers(1, 500), st.integers(0, 9)),
    st.text(max_size=60).filter(str.strip),
    st.integers(1, 4000).map(lambda size: "x" * size),
    st.integers(1, 900).map(lambda size: "漢字。" * size),
)
parts = st.lists(
    st.one_of(texts.map(lambda text: {"type": "text", "text": text}), st.just(PICTURE)), min_size=1, max_size=3
)


@st.composite
def conversations(draw: st.DrawFn) -> list[dict[str, Any]]:
    """A conversation with calls of tools, pictures, instructions, and texts of any length, which ends as requests do."""
    messages = [said("system", text) for text in draw(st.lists(texts, max_size=1))]
    for turn in range(draw(st.integers(0, 8))):
        kind = draw(st.sampled_from(["plain", "plain", "tools", "parts", "instruction"]))
        messages.append(said("user", draw(parts if kind == "parts" else texts)))
        if kind == "instruction":
            messages.append(said("system", draw(st.text(min_size=1, max_size=40))))
        for number in range(draw(st.integers(1, 4)) if kind == "tools" else 0):
            calls = [
                {"id": f"{turn}-{number}-{which}", "type": "function", "function": {"name": "f", "arguments": "{}"}}
                for which in range(draw(st.integers(1, 2)))
            ]
            messages.append(said("assistant", None, tool_calls=calls))
            messages += [said("tool", draw(texts), tool_call_id=one["id"]) for one in calls]
        messages.append(said("assistant", draw(texts)))
    return [*messages, said("user", draw(texts))]


@example([said("system", "0"), said("user", "0")], 1024, 503)
@example([said("user", "x" * 219)], 2048, 1281)
@settings(max_examples=30)
@given(conversations(), st.sampled_from([1024, 2048, 4096]), st.one_of(st.none(), st.integers(1, 3000)))
def test_it_fits_and_keeps_what_must_stay(messages: list[dict[str, Any]], window: int, longest: int | None) -> None:
    body = {} if longest is None else {"max_tokens": longest}
    try:
        made = compressed(messages, window, **body)
    except TooLongError:
        assert smallest(messages) + reply_room(window, longest) > window * 7 // 12  # what must stay fills the window
        return
    sent = made.body["messages"]
    tokens = request_tokens(ChatRequest(made.body, tuple(sent)), COUNT)
    assert made.tokens == tokens <= window - reply_room(window, longest)
    assert {name: value for name, value in made.body.items() if name != "messages"} == {"model": "m", **body}
    calls = [one["id"] for message in sent for one in message.get("tool_calls") or ()]
    assert calls == [message["tool_call_id"] for message in sent if message["role"] == "tool"]
    last = messages[-1]["content"]
    assert sent[-1]["role"] == "user"
    head = messages[:1] if messages[0]["role"] == "system" else []
    room = window - reply_room(window, longest) - smallest([*head, said("user", "")])
    if COUNT(last) <= min(window // 5, room // 4):
        assert sent[-1]["content"].endswith(last)
    if messages[0]["role"] == "system" and COUNT(messages[0]["content"]) <= window // 5:
        assert sent[0] == messages[0]


def smallest(messages: Sequence[Any]) -> int:
    """Return about how many tokens the messages have that must stay: the instructions, and the last turn."""
    last = max(at for at, one in enumerate(messages) if one["role"] == "user")
    kept = [one for at, one in enumerate(messages) if one["role"] == "system" or at >= last]
    return sum(message_tokens(one, COUNT) for one in kept)


def laid_out(messages: Sequence[Any], window: int) -> Layout | None:
    return lay_out(messages, window, window // 4, COUNT)


@settings(max_examples=30)
@given(conversations(), st.sampled_from([1024, 4096]))
def test_nothing_that_was_said_is_lost(messages: list[dict[str, Any]], window: int) -> None:
    layout = laid_out(messages, window)
    if layout is None:
        return
    kept = "".join(page.text for page in layout.pages) + json.dumps([*layout.head, *layout.recent()])
    letters = "".join(kept.split())
    for message in messages:
        words = message["content"].split() if isinstance(message["content"], str) else []
        for word in words:
            if word.isascii() and word.isalpha() and len(word) < 40:
                assert word in letters


def test_room_is_left_for_all_of_a_long_reply_or_the_server_refuses_it() -> None:
    made = compressed([said("user", f"{prose(3000)} Why?")], 4096, max_tokens=2800)
    assert made.tokens + 2800 <= 4096
    with pytest.raises(TooLongError):
        compressed([said("user", f"{prose(3000)} Why?")], 4096, max_tokens=3900)


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
