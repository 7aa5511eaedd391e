"""Requests to ``/v1/responses``: their items as messages of a chat, and messages as items again.

An item that has not changed is sent as it came. Calls of tools that follow each other are one message, and reasoning
belongs to the message after it: servers refuse one without the other.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from readagent.proxy.chat import ChatRequest, Message, decoded_body, reply_limit, role_of

_INSTRUCTIONS = "instructions"  # the type of the message that has them
_ITEM = "item"  # the type of a message that is an item of another kind, and where others have the rest of theirs
_BEFORE = "before"  # the reasoning that belongs to a message
_CALLS: Mapping[str, tuple[str, str]] = {  # of tools: where a chat has them, and their field for what a tool gets
    "function_call": ("function", "arguments"),
    "custom_tool_call": ("custom", "input"),
}
_RESULTS = ("function_call_output", "custom_tool_call_output")
_ELSEWHERE = ("previous_response_id", "conversation")  # the server has what was said before


@dataclass(frozen=True, slots=True)
class ResponsesRequest(ChatRequest):
    """A request for a response, with its items as messages."""

    as_messages: ClassVar[tuple[str, ...]] = ("input", "instructions")
    beside_them: ClassVar[tuple[str, ...]] = ("tools", "text", "prompt")

    @property
    def longest_reply(self) -> int | None:
        """The tokens that the caller allows for the reply; None if nothing is said."""
        return reply_limit(self.body.get("max_output_tokens"))

    @property
    def wants_usage(self) -> bool:
        """Whether the last event of a stream has the usage: always."""
        return True

    @property
    def kept_elsewhere(self) -> str:
        """The field that refers to a conversation which the server keeps; "" if there is none."""
        named = next((name for name in _ELSEWHERE if self.body.get(name)), "")
        given = self.body.get("input")
        refers = isinstance(given, list) and any(one.get("type") == "item_reference" for one in given)
        return named or ("item_reference" if refers else "")

    def with_messages(self, messages: Sequence[Message]) -> dict[str, Any]:
        """Return the body with other messages, as items."""
        body, items = dict(self.body), list[Any]()
        for message in messages:
            if message.get("type") == _INSTRUCTIONS:
                body["instructions"] = message["content"]
            else:
                items += _items(message)
        return {**body, "input": items}


def read_responses(data: bytes) -> ResponsesRequest | None:
    """Return the request; None if it is none that we understand, so that the server says what is wrong with it."""
    body = decoded_body(data)
    given = body.get("input") if isinstance(body, dict) else None
    items = [{"role": "user", "content": given}] if isinstance(given, str) else given
    if not isinstance(items, list) or not items or not all(isinstance(one, dict) for one in items):
        return None
    if not isinstance(body.get("instructions") or "", str):
        return None
    messages = list(_messages(items))
    if isinstance(body.get("instructions"), str):
        messages.insert(0, {"role": "system", "type": _INSTRUCTIONS, "content": body["instructions"]})
    return ResponsesRequest(body, tuple(messages))


def _messages(items: Sequence[Mapping[str, Any]]) -> Iterator[Message]:
    reasoning, calls = list[Any](), list[Any]()
    for item in items:
        kind = str(item.get("type") or "message")
        if calls and kind not in _CALLS:
            yield _with_reasoning({"role": "assistant", "content": None, "tool_calls": calls}, reasoning)
            reasoning, calls = [], []
        if kind == "reasoning" and not calls:
            reasoning.append(item)
        elif kind in _CALLS:
            calls.append(_call(item, kind))
        else:
            yield _with_reasoning(_message(item, kind), reasoning)
            reasoning = []
    if calls:
        yield _with_reasoning({"role": "assistant", "content": None, "tool_calls": calls}, reasoning)
    elif reasoning:
        yield from ({"role": "assistant", "type": _ITEM, "content": one} for one in reasoning)


def _with_reasoning(message: Message, reasoning: Sequence[Any]) -> Message:
    return {**message, _BEFORE: list(reasoning)} if reasoning else message


def _call(item: Mapping[str, Any], kind: str) -> dict[str, Any]:
    where, field = _CALLS[kind]
    rest = {name: value for name, value in item.items() if name not in ("call_id", "name", field)}
    given = {"name": item.get("name"), field: item.get(field)}
    return {"id": item.get("call_id"), "type": where, where: given, _ITEM: rest}


def _message(item: Mapping[str, Any], kind: str) -> Message:
    if kind in _RESULTS:
        rest = {name: value for name, value in item.items() if name not in ("call_id", "output")}
        return {"role": "tool", "tool_call_id": item.get("call_id"), "content": item.get("output"), _ITEM: rest}
    return item if kind == "message" else {"role": "assistant", "type": _ITEM, "content": item}


def _items(message: Message) -> Iterator[Any]:
    """Yield the items of a message."""
    yield from message.get(_BEFORE) or ()
    content, rest = message.get("content"), message.get(_ITEM)
    if message.get("tool_calls") and content is None:
        for call in message["tool_calls"]:
            where = call["type"]
            yield {**call[_ITEM], "call_id": call["id"], **call[where]}
    elif role_of(message) == "tool" and isinstance(rest, Mapping):
        yield {**rest, "call_id": message["tool_call_id"], "output": _parts(content, "input_text")}
    elif message.get("type") == _ITEM:
        yield content if isinstance(content, Mapping) else {"role": "assistant", "content": content}
    else:
        kind = "output_text" if role_of(message) == "assistant" else "input_text"
        plain = {name: value for name, value in message.items() if name != _BEFORE}
        yield {**plain, "content": _parts(content, kind)} if isinstance(content, list) else plain


def _parts(content: Any, kind: str) -> Any:
    """Return a content in which the texts that we have put in have the type that items have."""
    if not isinstance(content, list):
        return content
    return [
        {**part, "type": kind} if isinstance(part, Mapping) and part.get("type") == "text" else part for part in content
    ]
