"""The texts in a message, wherever they stand: in its content, beside it, or in the arguments of its tool calls."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from readagent.proxy.chat import Message

Change = Callable[[str], str]

_TEXTS = ("refusal", "reasoning_content", "reasoning")  # fields of a message that are plain texts
_OF_A_PART = ("text", "refusal", "content")
_CALLED = (("function", "arguments"), ("custom", "input"))  # where a call of a tool has what it is called with


def changed(message: Message, change: Change) -> Message:
    """Return a message with every text in it changed; the message itself if no text was.

    Arguments of tools stay valid JSON: the texts in them are changed. Ids, names and roles stay as they are.
    """
    new = dict(message)
    if (content := message.get("content")) is not None:
        new["content"] = _content(content, change)
    for name in _TEXTS:
        if isinstance(message.get(name), str):
            new[name] = change(message[name])
    calls = message.get("tool_calls")
    if isinstance(calls, list):
        new["tool_calls"] = [_call(one, change) for one in calls]
    if isinstance(message.get("function_call"), Mapping):
        new["function_call"] = _with_arguments(message["function_call"], "arguments", change)
    return new if new != message else message


def texts_of(message: Message) -> list[str]:
    """Return the texts of a message that ``changed`` can change."""
    found = list[str]()

    def noted(text: str) -> str:
        found.append(text)
        return text

    changed(message, noted)
    return found


def _content(content: Any, change: Change) -> Any:
    if isinstance(content, str):
        return change(content)
    if isinstance(content, list):
        return [_part(part, change) for part in content]
    return content


def _part(part: Any, change: Change) -> Any:
    if isinstance(part, str):
        return change(part)
    if not isinstance(part, Mapping):
        return part
    return {**part, **{name: change(part[name]) for name in _OF_A_PART if isinstance(part.get(name), str)}}


def _call(call: Any, change: Change) -> Any:
    for name, field in _CALLED:
        if isinstance(call, Mapping) and isinstance(call.get(name), Mapping):
            return {**call, name: _with_arguments(call[name], field, change)}
    return call


def _with_arguments(function: Mapping[str, Any], field: str, change: Change) -> Mapping[str, Any]:
    given = function.get(field)
    if not isinstance(given, str):
        return function
    if field == "input":
        return {**function, field: change(given)}
    return {**function, field: _arguments(given, change)}


def _arguments(given: str, change: Change) -> str:
    try:
        value = json.loads(given)
    except ValueError:
        value = None
    if not isinstance(value, dict):
        new = change(given)
        return given if new == given else json.dumps({"arguments": new}, ensure_ascii=False)
    inside = _inside(value, change)
    return given if inside == value else json.dumps(inside, ensure_ascii=False)


def _inside(value: Any, change: Change) -> Any:
    """Return a JSON value with the texts in it changed."""
    if isinstance(value, str):
        return change(value)
    if isinstance(value, list):
        return [_inside(one, change) for one in value]
    if isinstance(value, dict):
        return {name: _inside(one, change) for name, one in value.items()}
    return value
