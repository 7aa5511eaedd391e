"""Where clients of Anthropic's API come in: their requests go on as chat completions, and get messages back.

Everything behind the door knows chat completions only: who may ask, what fits, and what a server answers.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from readagent.errors import BadReplyError
from readagent.models.http import MAX_BYTES
from readagent.models.wire import EventDecoder, decode, encode
from readagent.proxy.messages import (
    call_id,
    empty_message,
    error_of,
    message_of,
    read_messages,
    stop_reason,
    thought_in,
    usage_of,
)

MESSAGES, COUNT_TOKENS, _CHAT = "/v1/messages", "/v1/messages/count_tokens", "/v1/chat/completions"
_KEY = "readagent.messages"  # in the scope of a request that came through this door
_NOT_KEPT = (b"content-length", b"content-encoding", b"transfer-encoding")


def exchange_of(scope: Scope) -> Exchange | None:
    """Return the exchange with a client that came through this door; None with any other."""
    found = scope.get(_KEY)
    return found if isinstance(found, Exchange) else None


class MessagesDoor:
    """Wraps the application, with its guard: a key in `x-api-key` counts as one in `Authorization`."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request for a message or for a count of tokens, and pass the others on."""
        if scope["type"] != "http" or scope["path"] not in (MESSAGES, COUNT_TOKENS):
            await self._app(scope, receive, send)
            return
        exchange = Exchange(send, counts=scope["path"] == COUNT_TOKENS)
        inner = {**scope, "headers": list(_with_bearer(scope["headers"])), _KEY: exchange}
        if not exchange.counts:
            inner |= {"path": _CHAT, "raw_path": _CHAT.encode()}
        await self._app(inner, receive, exchange.send)
        await exchange.break_off()


def _with_bearer(headers: list[tuple[bytes, bytes]]) -> Iterator[tuple[bytes, bytes]]:
    """Yield headers as clients of OpenAI's API send them."""
    has_bearer = any(name == b"authorization" for name, _ in headers)
    for name, value in headers:
        if name == b"x-api-key" and not has_bearer:
            yield b"authorization", b"Bearer " + value.strip()
        elif not name.startswith(b"anthropic-"):
            yield name, value


class Exchange:
    """One request and its response, in both forms. A request that only ``counts`` tokens gets the count as it is."""

    def __init__(self, send: Send, *, counts: bool) -> None:
        self.counts = counts
        self._send, self._thoughts = send, False
        self._start: Message | None = None
        self._body = bytearray()
        self._events: MessageEvents | None = None

    def chat(self, body: bytes) -> bytes:
        """Return the body of a chat completion for the body of the request."""
        request, chat = read_messages(body)
        self._thoughts = request.shows_thoughts
        return encode(chat)

    async def send(self, message: Message) -> None:
        """Take the next message of the response to a chat completion, and send what it is for the client."""
        if message["type"] == "http.response.start":
            kind = dict(message["headers"]).get(b"content-type", b"")
            kept = [one for one in message["headers"] if one[0] not in _NOT_KEPT]
            self._start = {**message, "headers": kept}
            if message["status"] == 200 and kind.startswith(b"text/event-stream"):
                self._events = MessageEvents(thoughts=self._thoughts)
                await self._send(self._start)
        elif self._events is not None:
            translated = self._events.feed(message.get("body", b""))
            if not message.get("more_body", False):
                translated += self._events.end()
            await self._write(translated, more=message.get("more_body", False))
        elif self._start is not None:
            self._body += message.get("body", b"")
            if not message.get("more_body", False) or len(self._body) > MAX_BYTES:
                await self._answer()

    async def break_off(self) -> None:
        """End a response that broke off before anything of it was sent."""
        if self._start is not None and self._events is None:
            self._start["status"], self._body = 502, bytearray()
            await self._answer()

    async def _answer(self) -> None:
        assert self._start is not None
        start, body = self._start, bytes(self._body)
        self._start = None
        try:
            if start["status"] >= 400:
                body = encode(error_of(start["status"], body))
            elif not self.counts:
                body = message_of(body, thoughts=self._thoughts)
        except BadReplyError as error:
            start["status"], body = 502, encode(error_of(502, encode({"error": {"message": str(error)}})))
        await self._send({**start, "headers": [*start["headers"], (b"content-length", b"%d" % len(body))]})
        await self._write(body, more=False)

    async def _write(self, body: bytes, *, more: bool) -> None:
        if body or not more:
            await self._send({"type": "http.response.body", "body": body, "more_body": more})


class MessageEvents:
    """The events of a streamed message, made of the chunks of a chat completion."""

    def __init__(self, *, thoughts: bool) -> None:
        self._decoder, self._thoughts = EventDecoder(MAX_BYTES), thoughts
        self._begun = self._ended = False
        self._blocks, self._open = 0, ""  # how many were begun; the kind of the one that is open
        self._call: tuple[Any, Any] | None = None  # the index and the id of the last call
        self._finish = ""
        self._tail: dict[str, Any] = {"usage": {}}

    def feed(self, chunk: bytes) -> bytes:
        """Return the events for some bytes of the stream. A comment, which shows that work goes on, is a ping."""
        try:
            found = [event for data in self._decoder.feed(chunk) for event in self._translated(data)]
        except (AttributeError, BadReplyError, KeyError, TypeError, ValueError):
            found = self._failed("the server sent a stream that is no chat completion")
        return _as_events(found or ([{"type": "ping"}] if chunk.startswith(b":") else []))

    def end(self) -> bytes:
        """Return the last events, if the stream has not told its end."""
        return _as_events(list(self._end()))

    def _translated(self, data: str) -> Iterator[dict[str, Any]]:
        if self._ended:
            return
        if data == "[DONE]":
            yield from self._end()
            return
        chunk = decode(data)
        if chunk.get("error"):
            yield from self._failed("", encode(chunk))
            return
        if not self._begun:
            self._begun = True
            yield {"type": "message_start", "message": empty_message(chunk)}
        if chunk.get("usage"):
            self._tail = {"usage": usage_of(chunk)}
        if "readagent" in chunk:
            self._tail["readagent"] = chunk["readagent"]
        for choice in (chunk.get("choices") or ())[:1]:
            yield from self._pieces(choice.get("delta") or {})
            self._finish = choice.get("finish_reason") or self._finish

    def _pieces(self, delta: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
        if self._thoughts and (thought := thought_in(delta)):
            yield from self._begin("thinking", {"type": "thinking", "thinking": "", "signature": ""})
            yield self._piece({"type": "thinking_delta", "thinking": thought})
        if text := delta.get("content") or delta.get("refusal"):
            yield from self._begin("text", {"type": "text", "text": ""})
            yield self._piece({"type": "text_delta", "text": text})
        for call in delta.get("tool_calls") or ():
            called = call.get("function") or {}
            which = call.get("index"), call.get("id") or (self._call or (None, None))[1]
            if which != self._call:
                self._call = which
                empty = {"type": "tool_use", "id": call_id(call, self._blocks), "name": called["name"], "input": {}}
                yield from self._begin(f"call {self._blocks}", empty)
            if written := called.get("arguments"):
                yield self._piece({"type": "input_json_delta", "partial_json": written})

    def _begin(self, kind: str, empty: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
        """Begin a block, unless it is open."""
        if kind != self._open:
            yield from self._close()
            self._open, self._blocks = kind, self._blocks + 1
            yield {"type": "content_block_start", "index": self._blocks - 1, "content_block": empty}

    def _piece(self, delta: Mapping[str, Any]) -> dict[str, Any]:
        return {"type": "content_block_delta", "index": self._blocks - 1, "delta": delta}

    def _close(self) -> Iterator[dict[str, Any]]:
        if self._open:
            self._open = ""
            yield {"type": "content_block_stop", "index": self._blocks - 1}

    def _end(self) -> Iterator[dict[str, Any]]:
        if self._ended:
            return
        if not self._finish:
            yield from self._failed("the reply broke off")
            return
        yield from self._close()
        stop = {"stop_reason": stop_reason(self._finish, calls=self._call is not None), "stop_sequence": None}
        yield {"type": "message_delta", "delta": stop, **self._tail}
        yield {"type": "message_stop"}
        self._ended = True

    def _failed(self, said: str, body: bytes = b"") -> list[dict[str, Any]]:
        self._ended = True
        return [error_of(502, body or encode({"error": {"message": said}}))]


def _as_events(values: list[dict[str, Any]]) -> bytes:
    return b"".join(b"event: %b\ndata: %b\n\n" % (value["type"].encode(), encode(value)) for value in values)
