"""LoopbackServer: what it accepts, how it answers, and how it fails on demand."""

from __future__ import annotations

import asyncio
import re
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from types import TracebackType
from typing import Any

from readagent.testing.faults import Fault, Faults
from readagent.testing.loopback.embeddings import read_embeddings, vectors_of
from readagent.testing.loopback.http import Request, Writer, read_request
from readagent.testing.loopback.pace import Pace
from readagent.testing.loopback.requests import (
    PARAMETERS,
    Constrain,
    Refused,
    Served,
    constraint_of,
    read_completion,
    tokens,
)
from readagent.testing.skim import skim

Answer = Callable[[str, dict[str, Any] | None], str]


_REFUSAL = "I'm sorry, but I can't help with that."
_BAD_GATEWAY = b"<html><head><title>502 Bad Gateway</title></head><body><h1>502 Bad Gateway</h1></body></html>"


class LoopbackServer:
    """The server: ``async with LoopbackServer() as server``, or ``with LoopbackServer().in_thread() as server``.

    ``answer`` makes the reply from the prompt and the constraint (a JSON schema, or None); without one the server
    skims. ``constrain`` is the one way to constrain output that it accepts (others get a 400), ``none``, or
    ``ignore``: it accepts everything and takes no notice. ``rejects`` names parameters answered with a 400, ``routes``
    adds paths with fixed JSON, ``reasoning`` is a thought streamed before each reply. ``latency`` is waited before each
    reply; a ``pace`` makes replies take as long as those of a real server. Its vectors are bags of words.
    """

    def __init__(
        self,
        answer: Answer | None = None,
        *,
        faults: Faults | Iterable[Fault | None] = (),
        models: Iterable[str] = ("skimmer",),
        window: int | None = None,
        key: str | None = None,
        constrain: Constrain = "schema",
        rejects: Iterable[str] = (),
        routes: Mapping[str, Any] | None = None,
        retry_after: float | str = 0,
        cached_share: float = 0.0,
        reasoning: str = "",
        latency: float = 0.0,
        pace: Pace | None = None,
        port: int = 0,
        keep_requests: bool = True,
    ) -> None:
        self.answer: Answer = answer or skim
        self.faults = faults if isinstance(faults, Faults) else Faults(planned=faults)
        self.models = tuple(models)
        self.window = window
        self.constrain = constrain
        self.requests: list[Served] = []
        self.base_url = ""
        self._key = key
        self._rejects = tuple(rejects)
        self._routes = dict(routes or {})
        self._retry_after = retry_after
        self._cached_share = cached_share
        self._reasoning = reasoning
        self._latency = latency
        self._pace = pace
        self._slots = asyncio.Semaphore(pace.slots if pace else 1)
        self._port = port
        self._keep_requests = keep_requests
        self._server: asyncio.Server | None = None
        self._connections: set[asyncio.Task[None]] = set()

    async def __aenter__(self) -> LoopbackServer:
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", self._port, limit=2**26)
        self.base_url = f"http://127.0.0.1:{self._server.sockets[0].getsockname()[1]}/v1"
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        assert self._server is not None
        self._server.close()
        for task in self._connections:
            task.cancel()
        await asyncio.gather(*self._connections, return_exceptions=True)
        await self._server.wait_closed()

    @contextmanager
    def in_thread(self) -> Iterator[LoopbackServer]:
        """The same server on a thread of its own, for code that does not await."""
        ready = threading.Event()
        loop = asyncio.new_event_loop()
        stop = asyncio.Event()

        async def serve() -> None:
            try:
                async with self:
                    ready.set()
                    await stop.wait()
            finally:
                ready.set()

        thread = threading.Thread(target=loop.run_until_complete, args=(serve(),), daemon=True)
        thread.start()
        ready.wait()
        try:
            yield self
        finally:
            loop.call_soon_threadsafe(stop.set)
            thread.join()
            loop.close()

    async def _serve(self, reader: asyncio.StreamReader, stream: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._connections.add(task)
        try:
            while (request := await read_request(reader)) is not None:
                if not await self._reply(request, Writer(stream), reader):
                    break
        except (OSError, ValueError, asyncio.IncompleteReadError, asyncio.CancelledError):
            pass  # the client went away, or the server is closing
        finally:
            self._connections.discard(task)
            stream.close()
            with suppress(OSError, asyncio.CancelledError):
                await stream.wait_closed()

    async def _reply(self, request: Request, writer: Writer, reader: asyncio.StreamReader) -> bool:
        """Answer one request; False where the connection is to be closed."""
        try:
            if self._key and request.headers.get("authorization") != f"Bearer {self._key}":
                raise Refused(401, "Incorrect API key provided.", code="invalid_api_key")
            if request.path in self._routes:
                await writer.send(200, self._routes[request.path])
            elif request.path == "/v1/models":
                await writer.send(200, {"object": "list", "data": [self._listed(name) for name in self.models]})
            elif request.path == "/v1/chat/completions" and request.method == "POST":
                return await self._complete(read_completion(request), writer, reader)
            elif request.path == "/v1/embeddings" and request.method == "POST":
                return await self._complete(read_embeddings(request), writer, reader)
            else:
                raise Refused(404, f"Invalid URL ({request.method} {request.path})")
        except Refused as refused:
            await writer.send(refused.status, refused.body)
        return True

    def _listed(self, name: str) -> dict[str, Any]:
        listed = {"id": name, "object": "model", "owned_by": "loopback"}
        return listed if self.window is None else {**listed, "max_model_len": self.window}

    async def _complete(self, served: Served, writer: Writer, reader: asyncio.StreamReader) -> bool:
        if self._keep_requests:
            self.requests.append(served)
        if self._latency:
            await asyncio.sleep(self._latency)
        served.fault = self.faults.next(served.prompt)
        if served.fault == "stall":
            await reader.read(1)  # returns when the client gives up
            return False
        self._check(served)
        if await self._spoil(served.fault, served, writer):
            return True
        if "input" in served.parameters:
            served.finished = served.fault != "cut"
            await writer.send(200, vectors_of(served), cut=not served.finished)
            return served.finished
        text, finish = self._text(served) if self._pace is None else await self._paced(served, self._pace)
        send = self._stream if served.parameters.get("stream") else self._send
        served.finished = await send(served, text, finish, writer)
        return served.finished

    def _check(self, served: Served) -> None:
        parameters = served.parameters
        if parameters.get("model") not in self.models:
            raise Refused(404, f"The model `{parameters.get('model')}` does not exist", code="model_not_found")
        for name in self._rejects:
            if name in parameters:
                instead = " Use 'max_completion_tokens' instead." if name == "max_tokens" else ""
                raise Refused(400, f"Unsupported parameter: '{name}' is not supported with this model.{instead}",
                              param=name, code="unsupported_parameter")  # fmt: skip
        for name, way in PARAMETERS.items():
            if name in parameters and self.constrain not in (way, "ignore"):
                raise Refused(400, f"Unrecognized request argument supplied: {name}", param=name)
        size, window = max(map(tokens, parameters.get("input", [served.prompt]))), self.window
        if served.fault == "overflow" or (window is not None and size > window):
            limit = size - 1 if window is None or size <= window else window
            raise Refused(
                400,
                f"This model's maximum context length is {limit} tokens. However, your messages resulted in {size} "
                "tokens. Please reduce the length of the messages.",
                code="context_length_exceeded",
            )

    async def _spoil(self, fault: Fault | None, served: Served, writer: Writer) -> bool:
        """Carry out a fault that has no completion in it; False where there is to be one."""
        if fault == "429":
            body = {"error": {"message": "Rate limit reached", "type": "requests", "code": "rate_limit_exceeded"}}
            await writer.send(429, body, {"Retry-After": str(self._retry_after)})
        elif fault == "500":
            await writer.send(500, {"error": {"message": "The server had an error while processing your request"}})
        elif fault == "html":
            await writer.send(502, _BAD_GATEWAY)
        elif fault == "wrong key":
            raise Refused(401, "Incorrect API key provided.", code="invalid_api_key")
        elif fault == "malformed" and served.parameters.get("stream"):
            await writer.start_events()
            await writer.event('{"choices": [{"delta": {"content": "half')
            await writer.end_events()
        elif fault == "malformed":
            await writer.send(200, b'{"id": "chatcmpl-1", "choices": [{"index": 0, "mess')
        else:
            return False
        return True

    def _text(self, served: Served) -> tuple[str, str]:
        if served.fault in ("empty", "length"):
            return "", "length" if served.fault == "length" else "stop"
        if served.fault == "refusal":
            return _REFUSAL, "stop"
        constraint = None if self.constrain == "ignore" else constraint_of(served.parameters)
        return self.answer(served.prompt, constraint), "stop"

    async def _paced(self, served: Served, pace: Pace) -> tuple[str, str]:
        """The reply, when a slot was free and its time has passed; finding it is part of that time."""
        async with self._slots:
            began = asyncio.get_running_loop().time()
            text, finish = self._text(served)
            due = began + pace.seconds(tokens(served.prompt), tokens(text))
            await asyncio.sleep(due - asyncio.get_running_loop().time())
        return text, finish

    def _usage(self, served: Served, text: str) -> dict[str, Any]:
        prompt, reply = tokens(served.prompt), tokens(text)
        cached = {"prompt_tokens_details": {"cached_tokens": int(prompt * self._cached_share)}}
        usage = {"prompt_tokens": prompt, "completion_tokens": reply, "total_tokens": prompt + reply}
        return {**usage, **cached} if self._cached_share else usage

    async def _send(self, served: Served, text: str, finish: str, writer: Writer) -> bool:
        message = {"role": "assistant", "content": text}
        if self._reasoning:
            message["reasoning_content"] = self._reasoning
        choice = {"index": 0, "message": message, "finish_reason": finish}
        body = {"id": "chatcmpl-1", "object": "chat.completion", "model": served.parameters["model"],
                "choices": [choice], "usage": self._usage(served, text)}  # fmt: skip
        await writer.send(200, body, cut=served.fault == "cut")
        return served.fault != "cut"

    async def _stream(self, served: Served, text: str, finish: str, writer: Writer) -> bool:
        def chunk(delta: dict[str, str], finish: str | None = None) -> dict[str, Any]:
            return {
                "object": "chat.completion.chunk",
                "choices": [{"index": 0, "delta": delta, "finish_reason": finish}],
            }

        await writer.start_events()
        if self._reasoning:
            await writer.event(chunk({"reasoning_content": self._reasoning}))
        pieces = re.findall(r"\s*\S+\s*", text) or [text]
        for piece in pieces[: (len(pieces) + 1) // 2] if served.fault == "cut" else pieces:
            await writer.event(chunk({"content": piece}))
        if served.fault == "cut":
            return False
        await writer.event(chunk({}, finish))
        if (served.parameters.get("stream_options") or {}).get("include_usage"):
            await writer.event({"choices": [], "usage": self._usage(served, text)})
        await writer.event("[DONE]")
        await writer.end_events()
        return True
