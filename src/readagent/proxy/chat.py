"""Chat requests: what the proxy has to know of one, and how many tokens it has."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any, ClassVar

from readagent.errors import BadReplyError
from readagent.models.wire import decode
from readagent.proxy.endpoint_guard import RefusedRequestError

_RUN_BY_THE_CALLER = ("function", "custom")  # types of tools
_ADDING = ("prompt", "documents", "data_sources", "plugins", "web_search_options")  # fields for what a server adds
_NOT_IN_PROMPTS = ("model", "metadata", "user", "safety_identifier", "prompt_cache_key", "include", "stop",
                   "logit_bias", "stream_options", "prediction")  # fmt: skip
_SHORT = 300  # characters of all fields that we do not know: no more than a few settings have


def uncounted_in(body: Mapping[str, Any], counted: Collection[str]) -> str:
    """Return what a request has that may add tokens which we cannot count; "" if there is nothing.

    ``counted`` are the fields whose texts are the prompt.
    """
    tools = body.get("tools")
    if isinstance(tools, list) and any(map(_is_hosted, tools)):
        return "tools that the server runs"
    named = next((name for name in _ADDING if body.get(name)), "")
    if named:
        return f"the field `{named}`"
    return "fields that are not known" if others_in(body, counted) else ""


def others_in(body: Mapping[str, Any], counted: Collection[str]) -> dict[str, list[str]]:
    """Return the texts in all other fields that may be in the prompt; nothing if they are short, as settings are."""
    names = [name for name in body if name not in counted and name not in _NOT_IN_PROMPTS]
    found = {name: texts for name in names if (texts := [text for text, is_text in strings_in(body[name]) if is_text])}
    return found if sum(len(text) for texts in found.values() for text in texts) > _SHORT else {}


def _is_hosted(tool: object) -> bool:
    """Whether a server runs a tool itself, and adds what it finds to the prompt."""
    if not isinstance(tool, Mapping):
        return False
    if tool.get("type") is None:
        return "function" not in tool and "name" not in tool
    return tool["type"] not in _RUN_BY_THE_CALLER


def strings_in(value: object) -> Iterator[tuple[str, bool]]:
    """Yield everything in a JSON value as a string, names of fields too, and whether it is a text and no number."""
    waiting = [iter([value])]  # no calls inside each other: a value may be nested deeply
    while waiting:
        for one in waiting[-1]:
            if isinstance(one, Mapping):
                waiting.append(chain.from_iterable(one.items()))
            elif isinstance(one, list):
                waiting.append(iter(one))
            else:
                yield str(one), isinstance(one, str)
                continue
            break
        else:
            waiting.pop()


Message = Mapping[str, Any]
Count = Callable[[str], int]

INSTRUCTIONS = ("system", "developer")
TOOL_RESULTS = ("tool", "function")
REPLY_LIMITS = ("max_completion_tokens", "max_tokens")
_OF_A_PART = ("type", "text", "refusal", "annotations", "logprobs")  # the last two are not in the prompt
_NOT_TEXT = ("image", "audio", "video", "file", "document")  # in the types of parts
_PICTURE = 1100  # tokens of a picture, a sound or a file; servers differ widely
_LONGEST_REPLY = 1_000_000_000  # tokens
_MESSAGE = 8  # tokens that a chat template puts around a message
_REQUEST = 16


@dataclass(frozen=True, slots=True)
class ChatRequest:
    """A request for a chat completion, decoded."""

    body: Mapping[str, Any]
    messages: tuple[Message, ...]

    as_messages: ClassVar[tuple[str, ...]] = ("messages",)
    beside_them: ClassVar[tuple[str, ...]] = ("tools", "functions", "response_format")  # what a prompt also has

    @property
    def model(self) -> str:
        """The model that the caller names."""
        return str(self.body.get("model") or "")

    @property
    def longest_reply(self) -> int | None:
        """The tokens that the caller allows for the reply; None if nothing is said."""
        given = (self.body.get(name) for name in REPLY_LIMITS)
        return next((limit for limit in map(reply_limit, given) if limit is not None), None)

    @property
    def kept_elsewhere(self) -> str:
        """The field that refers to a conversation which the server keeps; "" if there is none."""
        return ""

    @property
    def streams(self) -> bool:
        """Whether the response is to be a stream."""
        return bool(self.body.get("stream"))

    @property
    def wants_usage(self) -> bool:
        """Whether the last chunk of a stream shall have the usage."""
        options = self.body.get("stream_options")
        return isinstance(options, Mapping) and bool(options.get("include_usage"))

    @property
    def uncounted(self) -> str:
        """What the request has whose tokens cannot be counted, such as files and tools of the server; "" if nothing."""
        if any(map(pictures, self.messages)):
            return "pictures, sounds or files"
        return uncounted_in(self.body, (*self.as_messages, *self.beside_them))

    def strings(self) -> str:
        """Return all that the caller wrote, names and numbers too: a server may repeat it in an error."""
        return " ".join(text for text, _ in strings_in(self.body))

    def with_messages(self, messages: Sequence[Message]) -> dict[str, Any]:
        """Return the body with other messages."""
        return {**self.body, "messages": list(messages)}

    def besides(self) -> str:
        """Return what the prompt may have besides messages, such as the tools, and long fields that are not known."""
        known = [self.body[name] for name in self.beside_them if self.body.get(name)]
        given = [*known, *others_in(self.body, (*self.as_messages, *self.beside_them)).values()]
        return json.dumps(given, ensure_ascii=False) if given else ""


def reply_limit(given: object) -> int | None:
    """Return the tokens that a field allows for the reply; None if it has no such number.

    A number that no window has room for is as good as one that can still be calculated with.
    """
    return min(given, _LONGEST_REPLY) if type(given) is int and given > 0 else None


def decoded_body(data: bytes) -> Any:
    """Return the JSON in the body of a request."""
    try:
        return decode(data)
    except BadReplyError:
        raise RefusedRequestError(400, "the body of the request is not JSON") from None


def read_chat(data: bytes) -> ChatRequest | None:
    """Return the request; None if it is none that we understand, so that the server says what is wrong with it."""
    body = decoded_body(data)
    messages = body.get("messages") if isinstance(body, dict) else None
    if not isinstance(messages, list) or not messages or not all(isinstance(one, dict) for one in messages):
        return None
    return ChatRequest(body, tuple(messages))


def role_of(message: Message) -> str:
    """Return the role of a message; "" if it has none."""
    role = message.get("role")
    return role if isinstance(role, str) else ""


def text_of(message: Message) -> str:
    """Return the text that a message has, without its calls of tools."""
    content = message.get("content")
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else ()
    texts = (part.get("text") if isinstance(part, Mapping) else part for part in parts)
    return "\n\n".join(text for text in texts if isinstance(text, str))


def message_tokens(message: Message, count: Count) -> int:
    """Return the tokens of a message."""
    return _MESSAGE + sum(map(count, _texts(message))) + _PICTURE * pictures(message)


def _texts(message: Message) -> Iterator[str]:
    content = message.get("content")
    for part in content if isinstance(content, list) else (content,):
        text = part.get("text") or part.get("refusal") if isinstance(part, Mapping) else part
        if isinstance(text, str):
            yield text
            if isinstance(part, Mapping) and (others := others_in(part, _OF_A_PART)):
                yield json.dumps(others, ensure_ascii=False)
        elif part is not None and not is_picture(part):
            yield json.dumps(part, ensure_ascii=False)
    rest = {name: value for name, value in message.items() if name not in ("role", "content") and value}
    if rest:
        yield json.dumps(rest, ensure_ascii=False)


def is_picture(part: object) -> bool:
    """Whether a part of a message is a picture, a sound or a file, whose tokens cannot be counted."""
    return isinstance(part, Mapping) and any(kind in str(part.get("type")) for kind in _NOT_TEXT)


def pictures(message: Message) -> int:
    """Return how many pictures, sounds and files a message has."""
    content = message.get("content")
    return sum(map(is_picture, content)) if isinstance(content, list) else 0


def texts_of(chat: ChatRequest) -> Iterator[str]:
    """Yield all texts in the prompt of a request."""
    for message in chat.messages:
        yield from _texts(message)
    if besides := chat.besides():
        yield besides


def request_tokens(chat: ChatRequest, count: Count, messages: Sequence[Message] | None = None) -> int:
    """Return the tokens of the whole prompt; with other ``messages``, if these are given."""
    sent = chat.messages if messages is None else messages
    besides = chat.besides()
    return _REQUEST + sum(message_tokens(one, count) for one in sent) + (count(besides) if besides else 0)
