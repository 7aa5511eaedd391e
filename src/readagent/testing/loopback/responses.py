"""What the loopback server sends besides chat completions: responses, vectors, and replies that never end."""

from __future__ import annotations

import asyncio
import re
import zlib
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from readagent.errors import BadReplyError
from readagent.models.wire import decode, encode
from readagent.testing.faults import Fault
from readagent.testing.loopback.requests import ErrorResponse, ReceivedRequest, Request, Writer, tokens


def read_response_request(request: Request) -> ReceivedRequest:
    """Parse a request for a response; ``messages`` has its items."""
    try:
        body = decode(request.body)
        given = body["input"]
        items = [{"role": "user", "content": given}] if isinstance(given, str) else list(given)
    except (BadReplyError, KeyError, TypeError) as error:
        raise ErrorResponse(400, f"We could not parse the body of your request: {error}") from error
    texts = [str(body["instructions"])] if body.get("instructions") else []
    prompt = "\n\n".join([*texts, *map(_text, items)])
    parameters = {name: value for name, value in body.items() if name != "input"}
    if "max_output_tokens" in body:
        parameters["max_tokens"] = body["max_output_tokens"]
    return ReceivedRequest(prompt, parameters, request.headers, messages=items, body=request.body)


def _text(item: Mapping[str, Any]) -> str:
    content = item.get("content", item.get("output"))
    if isinstance(content, list):
        return "\n\n".join(str(part.get("text", f"[{part['type']}]")) for part in content)
    return content if isinstance(content, str) else encode(item).decode()


def response_body(received: ReceivedRequest, text: str, usage: Mapping[str, Any]) -> dict[str, Any]:
    """Return the whole response."""
    told = {
        "input_tokens": usage["prompt_tokens"],
        "output_tokens": usage["completion_tokens"],
        "total_tokens": usage["total_tokens"],
        "input_tokens_details": {"cached_tokens": 0},
        "output_tokens_details": {"reasoning_tokens": 0},
    }
    return {**_empty_response(received), "status": "completed", "output": [_message(text)], "usage": told}


def response_events(
    received: ReceivedRequest, pieces: Iterable[str], whole: dict[str, Any]
) -> Iterator[dict[str, Any]]:
    """Yield the events of a streamed response."""
    at = {"item_id": "msg_1", "output_index": 0, "content_index": 0}
    events: list[dict[str, Any]] = [
        {"type": "response.created", "response": {**_empty_response(received), "status": "in_progress", "usage": None}},
        {"type": "response.output_item.added", "output_index": 0, "item": {**_message(""), "content": []}},
        {"type": "response.content_part.added", **at, "part": _message("")["content"][0]},
        *({"type": "response.output_text.delta", **at, "delta": piece, "logprobs": []} for piece in pieces),
        {"type": "response.completed", "response": whole},
    ]
    yield from ({**event, "sequence_number": number} for number, event in enumerate(events))


def _empty_response(received: ReceivedRequest) -> dict[str, Any]:
    return {"id": "resp_1", "object": "response", "created_at": 0, "model": received.parameters["model"], "output": [],
            "tools": [], "tool_choice": "auto", "parallel_tool_calls": True}  # fmt: skip


def _message(text: str) -> dict[str, Any]:
    part = {"type": "output_text", "text": text, "annotations": []}
    return {"type": "message", "id": "msg_1", "role": "assistant", "status": "completed", "content": [part]}


class Call(str):
    """A reply that calls a tool, with its ``name`` and its arguments as JSON."""

    name: str

    @classmethod
    def of(cls, name: str, **arguments: Any) -> Call:
        """Return a call with these arguments."""
        made = cls(encode(arguments).decode())
        made.name = name
        return made


def said(text: str, piece: str, number: int, *, first: bool = True) -> dict[str, Any]:
    """Return a piece of a reply as a message has it. The first one of a call of a tool has its name."""
    if not isinstance(text, Call):
        return {"content": piece}
    named = {"id": f"call_{number}", "type": "function"} if first else {}
    function = {**({"name": text.name} if first else {}), "arguments": "".join(piece)}  # a plain text for msgspec
    return {"tool_calls": [{"index": 0, **named, "function": function}]}


_MEGABYTE = 1_000_000
_PAUSE = 0.01


async def _drip(writer: Writer) -> None:
    await writer.start({"Content-Length": str(_MEGABYTE)})
    while True:
        await writer.raw(b" ")
        await asyncio.sleep(_PAUSE)


async def _endless(writer: Writer) -> None:
    await writer.start_events()
    while True:
        await writer.event({"choices": [{"index": 0, "delta": {"content": "on and on " * 1000}}]})


async def _comments(writer: Writer) -> None:
    await writer.start_events()
    await _comment(writer)


async def _silence(writer: Writer) -> None:
    await writer.start_events()
    await writer.event({"choices": [{"index": 0, "delta": {"content": "It was"}}]})
    await _comment(writer)


async def _comment(writer: Writer) -> None:
    while True:
        await writer.chunk(b": still here\n\n")
        await asyncio.sleep(_PAUSE)


async def _refused_stream(writer: Writer) -> None:
    """Refuse as servers do that have sent status 200 before they count."""
    await writer.start_events()
    await writer.event({"error": {"message": "This model's maximum context length is exceeded by the prompt."}})


async def _long_line(writer: Writer) -> None:
    await writer.start_events()
    await writer.chunk(b"data: ")
    while True:
        await writer.chunk(b"x" * _MEGABYTE)


async def _huge(writer: Writer) -> None:
    await writer.start({"Content-Length": str(100 * _MEGABYTE)})
    for _ in range(100):
        await writer.raw(b" " * _MEGABYTE)


async def _bomb(writer: Writer) -> None:
    packer = zlib.compressobj(9, zlib.DEFLATED, zlib.MAX_WBITS | 16)
    head = packer.compress(b" ") + packer.flush(zlib.Z_FULL_FLUSH)
    block = packer.compress(b" " * _MEGABYTE) + packer.flush(zlib.Z_FULL_FLUSH)  # can be repeated any number of times
    await writer.start({"Content-Length": str(len(head) + 1000 * len(block)), "Content-Encoding": "gzip"})
    await writer.raw(head + 1000 * block)


BROKEN: Mapping[Fault, Callable[[Writer], Awaitable[None]]] = {
    "drip": _drip, "endless": _endless, "comments": _comments, "silence": _silence, "long line": _long_line,
    "huge": _huge, "bomb": _bomb, "refused stream": _refused_stream,
}  # fmt: skip


WIDTH = 64


def read_embeddings(request: Request) -> ReceivedRequest:
    """Parse a request for embeddings; the texts are in the parameter ``input``."""
    try:
        body = decode(request.body)
        texts = [body["input"]] if isinstance(body["input"], str) else [str(text) for text in body["input"]]
    except (BadReplyError, KeyError, TypeError) as error:
        raise ErrorResponse(400, f"We could not parse the body of your request: {error}") from error
    if not texts or not all(texts):
        raise ErrorResponse(400, "'$.input' is invalid: it must not be empty", param="input")
    return ReceivedRequest("\n".join(texts), {**body, "input": texts}, request.headers)


def embeddings_response(request: ReceivedRequest) -> dict[str, Any]:
    """Return the response. Its rows are in reverse order, since clients must use the index."""
    texts: list[str] = request.parameters["input"]
    rows = [{"object": "embedding", "index": i, "embedding": bag_of_words(text)} for i, text in enumerate(texts)]
    used = sum(map(tokens, texts))
    return {
        "object": "list",
        "model": request.parameters["model"],
        "data": rows[::-1],
        "usage": {"prompt_tokens": used, "total_tokens": used},
    }


def bag_of_words(text: str) -> list[float]:
    """Add one at a hashed position for each word, with a hashed sign. Never all zeros, and not normalised."""
    values = [0.1] + [0.0] * (WIDTH - 1)
    for word in re.findall(r"\w+", text.lower()):
        number = zlib.crc32(word.encode("utf-8", "replace"))
        values[number % WIDTH] += 1.0 if number & 0x10000 else -1.0
    return values


@dataclass(frozen=True, slots=True)
class Pace:
    """The seconds that a LoopbackServer takes to reply, to simulate a real server.

    At most ``slots`` requests are processed at the same time; the others wait, first come, first served.
    """

    fixed: float  # for every reply
    prompt_token: float  # for each token of the prompt
    reply_token: float  # for each token of the reply
    slots: int

    def seconds(self, prompt_tokens: int, reply_tokens: int) -> float:
        """Return the time of one reply, without waiting for a slot."""
        return self.fixed + prompt_tokens * self.prompt_token + reply_tokens * self.reply_token
