"""LoopbackServer: what it accepts, how it answers, and how it fails."""

from __future__ import annotations

import asyncio
import re
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from types import TracebackType
from typing import Any

from readagent.testing.faults import Fault, Faults
from readagent.testing.loopback.requests import (
    Constrain,
    Counts,
    ErrorResponse,
    ReceivedRequest,
    Request,
    Writer,
    check_parameters,
    check_size,
    constraint_of,
    read_completion,
    read_request,
    send_fault,
    tokens,
)
from readagent.testing.loopback.responses import (
    BROKEN,
    Call,
    Pace,
    embeddings_response,
    read_embeddings,
    read_response_request,
    response_body,
    response_events,
    said,
)
from readagent.testing.skim import skim

Responder = Callable[[str, dict[str, Any] | None], str]

_REFUSAL = "I'm sorry, but I can't help with that."


class LoopbackServer:
    """An OpenAI-compatible server on 127.0.0.1: chat completions, responses, streaming, embeddings, list of models.

    Use it as ``async with LoopbackServer() as server`` or, in code without asyncio, ``with
    LoopbackServer().in_thread() as server``. ``base_url`` is its address, and ``requests`` lists what it received.

    - ``answer(prompt, constraint)`` returns the reply, which may be a ``Call`` of a tool; the constraint is a JSON
      schema or None. Default: ``skim``.
    - ``faults`` makes requests fail: a ``Faults``, or a list with the faults of the first requests.
    - ``models`` are the names of its models, ``window`` is their window in tokens, and ``key`` the API key it requires.
    - ``counts`` says what must fit the window: the ``prompt``, or the whole ``request`` with the longest reply it asks
      for. A server that is ``vague`` counts the request too, but names its window nowhere.
    - ``cuts`` is the window of a server that does not refuse a longer prompt but leaves out its beginning, without a
      word, and counts what is left.
    - ``constrain`` is how it takes the JSON schema of a reply: ``schema`` obeys it, ``none`` is a 400, and ``ignore``
      accepts it and does not obey.
    - ``rejects`` lists parameters that get a 400, and ``routes`` maps more paths to fixed JSON.
    - ``retry_after`` is sent with a 429, ``cached_share`` is the reported share of cached tokens, and ``reasoning`` is
      sent before each reply.
    - ``pieces`` cuts a streamed reply into pieces, by default into words.
    - ``count`` counts the tokens of prompts and replies; by default four characters are a token.
    - ``latency`` is waited before each reply, in seconds; a ``pace`` simulates the times of a real server.
    - ``port`` 0 chooses a free port. ``keep_requests=False`` does not collect requests.
    - ``responses=False`` is a server without ``/v1/responses``.

    Embeddings are bags of words.
    """

    def __init__(
        self,
        answer: Responder | None = None,
        *,
        faults: Faults | Iterable[Fault | None] = (),
        models: Iterable[str] = ("skimmer",),
        window: int | None = None,
        counts: Counts = "prompt",
        cuts: int | None = None,
        key: str | None = None,
        constrain: Constrain = "schema",
        rejects: Iterable[str] = (),
        routes: Mapping[str, Any] | None = None,
        retry_after: float | str = 0,
        cached_share: float = 0.0,
        reasoning: str = "",
        pieces: Callable[[str], Iterable[str]] | None = None,
        count: Callable[[str], int] = tokens,
        latency: float = 0.0,
        pace: Pace | None = None,
        port: int = 0,
        keep_requests: bool = True,
        responses: bool = True,
    ) -> None:
        self.answer: Responder = answer or skim
        self.faults = faults if isinstance(faults, Faults) else Faults(planned=faults)
        self.models = tuple(models)
        self.window = window
        self._counts = counts
        self._cuts = cuts
        self.constrain = constrain
        self.requests: list[ReceivedRequest] = []
        self.base_url = ""
        self._key = key
        self._rejects = tuple(rejects)
        self._routes = dict(routes or {})
        self._retry_after = retry_after
        self._cached_share = cached_share
        self._reasoning = reasoning
        self.pieces: Callable[[str], Iterable[str]] = pieces or _words
        self._count = count
        self._latency = latency
        self._pace = pace
        self._slots = asyncio.Semaphore(pace.slots if pace else 1)
        self._port = port
        self._keep_requests = keep_requests
        self._responses = responses
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
        """Run the server on a thread of its own, for code without asyncio."""
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
        """Answer one request. Returns False if the connection must be closed."""
        try:
            given = (request.headers.get("authorization"), request.query)
            if self._key and f"Bearer {self._key}" not in given and f"api_key={self._key}" not in given:
                raise ErrorResponse(401, "Incorrect API key provided.", code="invalid_api_key")
            if request.path in self._routes:
                await writer.send(200, self._routes[request.path])
            elif request.path == "/v1/models":
                await writer.send(200, {"object": "list", "data": [self._listed(name) for name in self.models]})
            elif request.path == "/v1/chat/completions" and request.method == "POST":
                return await self._complete(read_completion(request), writer, reader)
            elif request.path == "/v1/responses" and request.method == "POST" and self._responses:
                return await self._complete(read_response_request(request), writer, reader, responses=True)
            elif request.path == "/v1/embeddings" and request.method == "POST":
                return await self._complete(read_embeddings(request), writer, reader)
            else:
                raise ErrorResponse(404, f"Invalid URL ({request.method} {request.path})")
        except ErrorResponse as error:
            await writer.send(error.status, error.body)
        return True

    def _listed(self, name: str) -> dict[str, Any]:
        listed = {"id": name, "object": "model", "owned_by": "loopback"}
        told = self.window is not None and self._counts != "vague"
        return {**listed, "max_model_len": self.window} if told else listed

    async def _complete(
        self, received: ReceivedRequest, writer: Writer, reader: asyncio.StreamReader, *, responses: bool = False
    ) -> bool:
        if self._keep_requests:
            self.requests.append(received)
        if self._latency:
            await asyncio.sleep(self._latency)
        received.fault = self.faults.next(received.prompt)
        if received.fault == "stall":
            await reader.read(1)  # returns when the client disconnects
            return False
        check_parameters(received, self.models, self._rejects, self.constrain)
        check_size(received, self.window, self._counts, self._count)
        if received.fault is not None and (broken := BROKEN.get(received.fault)):
            await broken(writer)
            return False
        if await send_fault(received, writer, self._retry_after):
            return True
        if "input" in received.parameters:
            received.finished = received.fault != "cut"
            await writer.send(200, embeddings_response(received), cut=not received.finished)
            return received.finished
        text, finish = self._text(received) if self._pace is None else await self._paced(received, self._pace)
        send = self._stream if received.parameters.get("stream") else self._send
        if responses:
            send = self._respond
        received.finished = await send(received, text, finish, writer)
        return received.finished

    def _text(self, received: ReceivedRequest) -> tuple[str, str]:
        if received.fault in ("empty", "length"):
            return "", "length" if received.fault == "length" else "stop"
        if received.fault == "refusal":
            return _REFUSAL, "stop"
        constraint = None if self.constrain == "ignore" else constraint_of(received.parameters)
        text = self.answer(self._taken_in(received.prompt), constraint)
        return text, "tool_calls" if isinstance(text, Call) else "stop"

    def _taken_in(self, prompt: str) -> str:
        """Return the prompt, or the end of it that fits the window of a server that cuts."""
        size = self._count(prompt)
        return prompt if self._cuts is None or size <= self._cuts else prompt[-len(prompt) * self._cuts // size :]

    async def _paced(self, received: ReceivedRequest, pace: Pace) -> tuple[str, str]:
        """Return the reply once a slot is free and its time has passed, including the time to compute it."""
        async with self._slots:
            began = asyncio.get_running_loop().time()
            text, finish = self._text(received)
            due = began + pace.seconds(self._count(received.prompt), self._count(text))
            await asyncio.sleep(due - asyncio.get_running_loop().time())
        return text, finish

    def _usage(self, received: ReceivedRequest, text: str) -> dict[str, Any]:
        prompt, reply = self._count(self._taken_in(received.prompt)) + self._count(received.tools), self._count(text)
        cached = {"prompt_tokens_details": {"cached_tokens": int(prompt * self._cached_share)}}
        usage = {"prompt_tokens": prompt, "completion_tokens": reply, "total_tokens": prompt + reply}
        return {**usage, **cached} if self._cached_share else usage

    async def _send(self, received: ReceivedRequest, text: str, finish: str, writer: Writer) -> bool:
        message = {"role": "assistant", "content": None, **said(text, text, len(self.requests))}
        if self._reasoning:
            message["reasoning_content"] = self._reasoning
        choice = {"index": 0, "message": message, "finish_reason": finish}
        body = {"id": "chatcmpl-1", "object": "chat.completion", "model": received.parameters["model"],
                "choices": [choice], "usage": self._usage(received, text)}  # fmt: skip
        await writer.send(200, body, cut=received.fault == "cut")
        return received.fault != "cut"

    async def _respond(self, received: ReceivedRequest, text: str, finish: str, writer: Writer) -> bool:
        whole = response_body(received, text, self._usage(received, text))
        if not received.parameters.get("stream"):
            await writer.send(200, whole)
            return True
        await writer.start_events()
        for event in response_events(received, self.pieces(text), whole):
            await writer.event(event)
        await writer.end_events()
        return True

    async def _stream(self, received: ReceivedRequest, text: str, finish: str, writer: Writer) -> bool:
        def chunk(delta: dict[str, Any], finish: str | None = None) -> dict[str, Any]:
            return {
                "object": "chat.completion.chunk",
                "choices": [{"index": 0, "delta": delta, "finish_reason": finish}],
            }

        await writer.start_events()
        if self._reasoning:
            await writer.event(chunk({"reasoning_content": self._reasoning}))
        pieces = list(self.pieces(text)) or [text]
        for at, piece in enumerate(pieces[: (len(pieces) + 1) // 2] if received.fault == "cut" else pieces):
            await writer.event(chunk(said(text, piece, len(self.requests), first=not at)))
        if received.fault == "cut":
            return False
        await writer.event(chunk({}, finish))
        if (received.parameters.get("stream_options") or {}).get("include_usage"):
            await writer.event({"choices": [], "usage": self._usage(received, text)})
        await writer.event("[DONE]")
        await writer.end_events()
        return True


def _words(text: str) -> list[str]:
    return re.findall(r"\s*\S+\s*", text)
