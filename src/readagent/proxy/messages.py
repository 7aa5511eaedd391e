"""Requests to Anthropic's `/v1/messages` as chat completions, and whole replies as messages.

What only Anthropic's own servers can do is refused: their tools, and blocks that these leave in a conversation. What a
chat completion has no field for is left out: marks for caching, and what a model thought in earlier turns.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from readagent.errors import BadReplyError
from readagent.models.refusal import read_refusal
from readagent.models.wire import decode, decode_as, encode
from readagent.proxy.chat import Message
from readagent.proxy.endpoint_guard import RefusedRequestError

Block = dict[str, Any]
_STOPS = {"stop": "end_turn", "length": "max_tokens", "tool_calls": "tool_use", "content_filter": "refusal"}
_ERRORS = {400: "invalid_request_error", 401: "authentication_error", 402: "billing_error", 403: "permission_error",
           404: "not_found_error", 413: "request_too_large", 429: "rate_limit_error", 503: "overloaded_error",
           504: "timeout_error", 529: "overloaded_error"}  # fmt: skip
_THOUGHTS = ("thinking", "redacted_thinking")
_REASONING = ("reasoning_content", "reasoning")  # where servers have what a model thinks
_TOO_LONG = "prompt is too long"  # the words after which clients shorten a conversation


@dataclass(frozen=True, slots=True)
class _Turn:
    role: str
    content: str | list[Block]


@dataclass(frozen=True, slots=True)
class MessagesRequest:
    """A request for a message, with the fields that a chat completion has, too."""

    model: str
    messages: list[_Turn]
    max_tokens: int | None = None
    system: str | list[Block] = ""
    tools: list[Block] = field(default_factory=list)
    tool_choice: Block | None = None
    stop_sequences: list[str] = field(default_factory=list)
    stream: bool = False
    temperature: float | None = None
    top_p: float | None = None
    top_k: int | None = None
    thinking: Block | None = None
    output_config: Block | None = None

    @property
    def shows_thoughts(self) -> bool:
        """Whether the reply may begin with what the model thought."""
        return bool(self.thinking) and (self.thinking or {}).get("type") != "disabled"

    def as_chat(self) -> dict[str, Any]:
        """Return the body of a request for a chat completion."""
        begun = next((at for at, turn in enumerate(self.messages) if turn.role == "assistant"), len(self.messages))
        first, later = self.messages[:begun], self.messages[begun:]
        early = [turn for turn in first if turn.role == "system"]  # templates take such turns at the start only
        system = _joined([*_parts(self.system), *(part for turn in early for part in _parts(turn.content))])
        messages: list[Message] = [{"role": "system", "content": system}] if system else []
        for turn in (*(turn for turn in first if turn.role != "system"), *later):
            messages += _messages(turn)
        form = (self.output_config or {}).get("format")
        given = {
            "max_tokens": self.max_tokens,
            "temperature": self.temperature,
            "top_p": self.top_p,
            "top_k": self.top_k,
            "stop": self.stop_sequences or None,
            "tools": [_tool(one) for one in self.tools] or None,
            "response_format": None if form is None else _response_format(form),
            "stream": self.stream or None,
            "stream_options": {"include_usage": True} if self.stream else None,
            **_choice(self.tool_choice or {}),
        }
        chosen = {name: value for name, value in given.items() if value is not None}
        return {"model": self.model, "messages": messages, **chosen}


def read_messages(data: bytes) -> tuple[MessagesRequest, dict[str, Any]]:
    """Return a request and its chat completion; raise RefusedRequestError for what cannot be one."""
    try:
        request = decode_as(data, MessagesRequest)
        return request, request.as_chat()
    except BadReplyError as error:
        raise RefusedRequestError(400, str(error)) from None
    except KeyError as error:
        raise RefusedRequestError(400, f"a block or a tool has no field {error}") from None
    except (AttributeError, TypeError):
        raise RefusedRequestError(400, "a block or a tool has a field of the wrong type") from None


def _messages(turn: _Turn) -> Iterator[Message]:
    """Yield the messages of a turn: results of tools are messages of their own, and pictures in them come after."""
    blocks = [{"type": "text", "text": turn.content}] if isinstance(turn.content, str) else turn.content
    if turn.role == "assistant":
        yield _said(blocks)
        return
    parts = list[Block]()
    for block in blocks:
        if block["type"] == "tool_result":
            found = _parts(block.get("content") or "")
            yield {"role": "tool", "tool_call_id": block["tool_use_id"], "content": _joined(found)}
            parts += (part for part in found if part["type"] != "text")
        else:
            parts += _parts([block])
    if parts:
        yield {"role": turn.role, "content": _content(parts)}


def _said(blocks: Sequence[Block]) -> Message:
    calls = [
        {"id": one["id"], "type": "function", "function": {"name": one["name"], "arguments": _written(one["input"])}}
        for one in blocks
        if one["type"] == "tool_use"
    ]
    text = _joined(_parts([one for one in blocks if one["type"] not in ("tool_use", *_THOUGHTS)]))
    message = {"role": "assistant", "content": text or (None if calls else "")}
    return {**message, "tool_calls": calls} if calls else message


def _written(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def _parts(content: str | Sequence[Block]) -> list[Block]:
    """Return blocks as parts of a message."""
    if isinstance(content, str):
        return [{"type": "text", "text": content}] if content else []
    found = list[Block]()
    for block in content:
        match block["type"], (block.get("source") or {}).get("type"):
            case "text", _:
                found.append({"type": "text", "text": block["text"]})
            case "image", "base64" | "url":
                found.append({"type": "image_url", "image_url": {"url": _address(block["source"])}})
            case "document", "text":
                found.append({"type": "text", "text": _titled(block, block["source"]["data"])})
            case "document", "content":
                found += _parts(block["source"]["content"])
            case "document", "base64":
                named = {"filename": block.get("title") or "document.pdf", "file_data": _address(block["source"])}
                found.append({"type": "file", "file": named})
            case "search_result", _:
                found.append({"type": "text", "text": _titled(block, _joined(_parts(block["content"])))})
            case kind, source:
                what = f"{kind} from a {source}" if source else kind
                raise RefusedRequestError(400, f"blocks of this type cannot be sent to this server: {what}")
    return found


def _address(source: Block) -> str:
    return str(source["url"]) if source["type"] == "url" else f"data:{source['media_type']};base64,{source['data']}"


def _titled(block: Block, text: str) -> str:
    return f"{block['title']}\n\n{text}" if block.get("title") else text


def _joined(parts: Iterable[Block]) -> str:
    return "\n\n".join(part["text"] for part in parts if part["type"] == "text")


def _content(parts: Sequence[Block]) -> str | list[Block]:
    """Return parts as a content: one text, unless there are others, since templates of some models take only texts."""
    return _joined(parts) if all(part["type"] == "text" for part in parts) else list(parts)


def _tool(tool: Block) -> dict[str, Any]:
    if "input_schema" not in tool:
        kind = tool.get("type") or tool["name"]
        hint = "only tools with an input schema, which the client runs, can be used with other servers"
        raise RefusedRequestError(400, f"the tool {kind} is one of Anthropic's own", hint=hint)
    about = {"description": tool["description"]} if tool.get("description") else {}
    return {"type": "function", "function": {"name": tool["name"], **about, "parameters": tool["input_schema"]}}


def _choice(choice: Block) -> dict[str, Any]:
    """Return which tools the model may call, and whether several at once."""
    kinds = {"auto": "auto", "any": "required", "none": "none"}
    which = choice.get("type")
    named = {"type": "function", "function": {"name": choice["name"]}} if which == "tool" else kinds.get(str(which))
    return {"tool_choice": named, "parallel_tool_calls": False if choice.get("disable_parallel_tool_use") else None}


def _response_format(form: Block) -> dict[str, Any]:
    return {"type": "json_schema", "json_schema": {"name": "reply", "strict": True, "schema": form["schema"]}}


def message_of(body: bytes, *, thoughts: bool) -> bytes:
    """Return a chat completion as a message; raise BadReplyError if it is none."""
    reply = decode(body)
    try:
        (choice, *_) = reply["choices"]
        said = choice["message"]
        content = list[Block]()
        if thoughts and (thought := thought_in(said)):
            content.append({"type": "thinking", "thinking": thought, "signature": ""})
        if text := said.get("content") or said.get("refusal"):
            content.append({"type": "text", "text": text})
        calls = said.get("tool_calls") or ()
        content += (_use(call, number) for number, call in enumerate(calls))
        stop = stop_reason(choice.get("finish_reason"), calls=bool(calls))
        message = {**empty_message(reply), "content": content, "stop_reason": stop, "usage": usage_of(reply)}
    except (AttributeError, KeyError, TypeError, ValueError):
        raise BadReplyError("the reply of the server was not a chat completion") from None
    return encode({**message, **({"readagent": reply["readagent"]} if "readagent" in reply else {})})


def empty_message(reply: Mapping[str, Any]) -> dict[str, Any]:
    """Return a message without content, as a stream begins with."""
    return {
        "id": f"msg_{reply.get('id') or 0}", "type": "message", "role": "assistant", "model": reply.get("model") or "",
        "content": [], "stop_reason": None, "stop_sequence": None, "usage": {"input_tokens": 0, "output_tokens": 0},
    }  # fmt: skip


def thought_in(said: Mapping[str, Any]) -> str:
    """Return what a model thought, in a reply or a piece of one."""
    return next((found for name in _REASONING if isinstance(found := said.get(name), str)), "")


def call_id(call: Mapping[str, Any], number: int) -> str:
    """Return the id of a call, or one for it if the server gave none."""
    return str(call.get("id") or f"toolu_{number}")


def _use(call: Mapping[str, Any], number: int) -> Block:
    """Return a call of a tool; what the model wrote in its arguments is kept if it is no JSON object."""
    called = call["function"]
    written = called.get("arguments") or "{}"
    try:
        given = json.loads(written)
    except ValueError:
        given = written
    named = {"type": "tool_use", "id": call_id(call, number), "name": called["name"]}
    return {**named, "input": given if isinstance(given, dict) else {"arguments": given}}


def stop_reason(finish: Any, *, calls: bool) -> str:
    """Return why a reply ended; some servers do not say that it calls tools."""
    return "tool_use" if calls and finish in ("stop", "tool_calls", "function_call") else _STOPS.get(finish, "end_turn")


def usage_of(reply: Mapping[str, Any]) -> dict[str, int]:
    """Return the tokens that the server counted; those that it had cached are counted apart."""
    usage = reply.get("usage") or {}
    cached = (usage.get("prompt_tokens_details") or {}).get("cached_tokens") or 0
    counted = (usage.get("prompt_tokens") or 0) - cached
    return {"input_tokens": max(0, counted), "cache_creation_input_tokens": 0, "cache_read_input_tokens": cached,
            "output_tokens": usage.get("completion_tokens") or 0}  # fmt: skip


def error_of(status: int, body: bytes) -> dict[str, Any]:
    """Return an error in the form of Anthropic's API; clients know one that says that the prompt is too long."""
    refusal = read_refusal(status, {}, body)
    said = refusal.message or f"the server answered with HTTP {status}"
    said = f"{_TOO_LONG}: {said}" if refusal.kind == "overflow" and _TOO_LONG not in said.lower() else said
    kind = _ERRORS.get(status, "invalid_request_error" if status < 500 else "api_error")
    return {"type": "error", "error": {"type": kind, "message": said}}
