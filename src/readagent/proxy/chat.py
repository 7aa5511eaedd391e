"""Chat requests: what the proxy has to know of one, and how many tokens it has."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from readagent.errors import BadReplyError
from readagent.models.wire import decode
from readagent.proxy.refusals import RefusedRequestError

Message = Mapping[str, Any]
Count = Callable[[str], int]

INSTRUCTIONS = ("system", "developer")
TOOL_RESULTS = ("tool", "function")
_ROLES = (*INSTRUCTIONS, *TOOL_RESULTS, "user", "assistant")
_REPLY_LIMITS = ("max_completion_tokens", "max_tokens")
_BESIDES = ("tools", "functions", "response_format")  # what a prompt also has
_PICTURE = 1100  # tokens of a picture, a sound or a file; servers differ widely
_MESSAGE = 8  # tokens that a chat template puts around a message
_REQUEST = 16


@dataclass(frozen=True, slots=True)
class ChatRequest:
    """A request for a chat completion, decoded."""

    body: Mapping[str, Any]
    messages: tuple[Message, ...]

    @property
    def model(self) -> str:
        """The model that the caller names."""
        return str(self.body.get("model") or "")

    @property
    def longest_reply(self) -> int | None:
        """The tokens that the caller allows for the reply; None if nothing is said."""
        given = (self.body.get(name) for name in _REPLY_LIMITS)
        return next((limit for limit in given if type(limit) is int and limit > 0), None)

    @property
    def wants_usage(self) -> bool:
        """Whether the last chunk of a stream shall have the usage."""
        options = self.body.get("stream_options")
        return isinstance(options, Mapping) and bool(options.get("include_usage"))

    def with_messages(self, messages: Sequence[Message]) -> dict[str, Any]:
        """Return the body with other messages."""
        return {**self.body, "messages": list(messages)}

    def besides(self) -> str:
        """Return what the prompt has besides messages, such as the tools."""
        given = [self.body[name] for name in _BESIDES if self.body.get(name)]
        return json.dumps(given, ensure_ascii=False) if given else ""


def read_chat(data: bytes) -> ChatRequest | None:
    """Return the request; None if it is none that we understand, so that the server says what is wrong with it."""
    try:
        body = decode(data)
    except BadReplyError:
        raise RefusedRequestError(400, "the body of the request is not JSON") from None
    messages = body.get("messages") if isinstance(body, dict) else None
    if not isinstance(messages, list) or not messages or not all(map(_is_message, messages)):
        return None
    return ChatRequest(body, tuple(messages))


def _is_message(message: object) -> bool:
    if not isinstance(message, dict) or message.get("role") not in _ROLES:
        return False
    content, calls = message.get("content"), message.get("tool_calls")
    parts = content if isinstance(content, list) else []
    return (
        (content is None or isinstance(content, str | list))
        and all(isinstance(part, dict) for part in parts)
        and (calls is None or (isinstance(calls, list) and all(isinstance(call, dict) for call in calls)))
    )


def text_of(message: Message) -> str:
    """Return the text that a message has, without its calls of tools."""
    content = message.get("content")
    if isinstance(content, str):
        return content
    return "\n\n".join(part["text"] for part in content or () if isinstance(part.get("text"), str))


def message_tokens(message: Message, count: Count) -> int:
    """Return the tokens of a message."""
    return _MESSAGE + sum(count(text) for text in _texts(message)) + _PICTURE * _pictures(message)


def _texts(message: Message) -> Iterator[str]:
    content = message.get("content")
    for part in content if isinstance(content, list) else (content,):
        text = part.get("text") or part.get("refusal") if isinstance(part, dict) else part
        if isinstance(text, str) and text:
            yield text
    rest = {name: value for name, value in message.items() if name not in ("role", "content") and value}
    if rest:
        yield json.dumps(rest, ensure_ascii=False)


def _pictures(message: Message) -> int:
    content = message.get("content")
    parts = content if isinstance(content, list) else ()
    return sum(not isinstance(part.get("text") or part.get("refusal"), str) for part in parts)


def request_tokens(chat: ChatRequest, count: Count, messages: Sequence[Message] | None = None) -> int:
    """Return the tokens of the whole prompt; with other ``messages``, if these are given."""
    sent = chat.messages if messages is None else messages
    besides = chat.besides()
    return _REQUEST + sum(message_tokens(one, count) for one in sent) + (count(besides) if besides else 0)
