"""Whatever is asked, what is sent fits the window, keeps what must stay, and begins as it did before."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from doors.proxying import COUNT, PICTURE, compressed, prose, said
from readagent.proxy.chat import ChatRequest, message_tokens, request_tokens
from readagent.proxy.compress import TooLongError
from readagent.proxy.layout import Layout, lay_out
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


def test_room_is_left_for_all_of_a_long_reply() -> None:
    made = compressed([said("user", f"{prose(3000)} Why?")], 4096, max_tokens=2800)
    assert made.tokens + 2800 <= 4096


def test_a_reply_that_leaves_no_room_is_the_servers_to_refuse() -> None:
    with pytest.raises(TooLongError):
        compressed([said("user", f"{prose(3000)} Why?")], 4096, max_tokens=3900)
