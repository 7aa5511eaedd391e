"""Proxy: passes requests on to the server of a model, and makes those fit that are too long for its window."""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import Callable, Mapping
from contextlib import nullcontext, suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from time import perf_counter

from readagent.errors import ContextOverflowError, ReadAgentError
from readagent.library import Library
from readagent.models.hosts import host_of
from readagent.models.http import HttpClient, RawReply
from readagent.models.refusal import read_refusal
from readagent.models.retry import waiting_together
from readagent.models.wire import encode
from readagent.proxy.callers import Caller, Callers, KeyFrom
from readagent.proxy.chat import REPLY_LIMITS, ChatRequest, read_chat, request_tokens
from readagent.proxy.compress import Compressed, compress
from readagent.proxy.endpoint_guard import RefusedRequestError, refusal_of
from readagent.proxy.exchange import STOPPING, Incoming, Outgoing, Refused, at_most
from readagent.proxy.first_event import PromptCount, refusal_in
from readagent.proxy.readers import CURRENT, Reader, Readers
from readagent.proxy.report import Report, UsageLines, with_usage
from readagent.proxy.responses import read_responses
from readagent.proxy.sizes import careful_room
from readagent.proxy.window import Fit, why_refused
from readagent.settings import Settings

_log = logging.getLogger(__name__)

_ATTEMPTS = 3  # at making a request fit, each with what was learnt when one of our own calls was refused
_MAX_ERROR = 1_000_000  # bytes of an error that is read
_REMEMBERED = 100  # requests
_FAULTS = 6.0  # seconds for which a server is tried that fails on everything; a caller waits meanwhile
_GRACE = 3.0  # seconds for calls in flight when the proxy stops
_CHAT, _MESSAGES = "/chat/completions", "/messages"
_OPENAI = "api.openai.com"  # whose newer models refuse `max_tokens`
_REPLY = 4  # parts of the window; a client that must set a limit for the reply gets one of them
_READ: Mapping[str, Callable[[bytes], ChatRequest | None]] = {_CHAT: read_chat, "/responses": read_responses}


@dataclass(frozen=True, slots=True)
class ProxyOptions:
    """How the proxy was started. ``key_from`` says whose key the server gets, if the caller sends one.

    ``token`` is what callers need for the proxy itself, if anything. ``hosts`` are names that it answers under, besides
    those of this machine. A request may have ``max_body`` bytes, and cause ``max_calls`` of our own: for a look-up, and
    for gists that are written after its response. With 0 the model is not asked for anything.
    """

    key_from: KeyFrom = "caller"
    token: str = ""
    hosts: tuple[str, ...] = ()
    max_body: int = 50_000_000
    max_calls: int = 40


class Proxy:
    """One server for all callers. ``on_request`` is called after each request with what became of it."""

    def __init__(
        self,
        settings: Settings,
        library: Library,
        options: ProxyOptions,
        on_request: Callable[[Report], None] = lambda report: None,
    ) -> None:
        self.options = options
        self._readers = Readers(settings, library)
        target = self._readers.target
        self.server = target.base_url
        self.callers = Callers(library, options.key_from, target.key, options.token)
        self._client, self._silence = HttpClient(target.base_url, timeout=settings.timeout), settings.silence
        self._on_request = on_request
        self.stopping = asyncio.Event()
        self._checks: set[asyncio.Task[None]] = set()
        self.last: deque[Report] = deque(maxlen=_REMEMBERED)

    @property
    def writes(self) -> bool:
        """Whether gists are being written."""
        return self._readers.writer.busy

    def stop(self) -> None:
        """End the requests that are being answered, with an error."""
        self.stopping.set()

    async def aclose(self) -> None:
        """Wait a little for calls in flight, so that what was paid for is kept, and close all connections."""
        for check in self._checks:
            check.cancel()
        with suppress(TimeoutError):
            async with asyncio.timeout(_GRACE):
                await self._readers.aclose()
        await self._client.aclose()

    async def handle(self, incoming: Incoming, out: Outgoing) -> None:
        """Answer a request."""
        path = _MESSAGES if incoming.for_a_message else incoming.path
        report = Report(path, caller=incoming.caller.name, hide=incoming.caller.hide)
        report.time, began = datetime.now(UTC).isoformat(timespec="seconds"), perf_counter()
        try:
            if incoming.path in _READ and incoming.method == "POST":
                await self._chat(incoming, out, report)
            else:
                await self._pass(incoming, out, report, incoming.body)
        except ReadAgentError as error:
            report.because(report.reason or str(error))
            report.status = refusal_of(error).status
            report.failed = not out.status
            raise
        except asyncio.CancelledError:
            report.gone = not self.stopping.is_set()
            if not report.gone:
                report.reason, report.status, report.failed = STOPPING, 503, not out.status
            raise
        finally:
            report.status, report.seconds = out.status or report.status, perf_counter() - began
            self.last.appendleft(report)
            _log.info("%s", report.line())
            self._on_request(report)

    async def _chat(self, incoming: Incoming, out: Outgoing, report: Report) -> None:
        chat = None if incoming.compressed else _READ[incoming.path](incoming.body)
        if chat is not None:
            report.model = chat.model
        if incoming.compressed:
            report.reason = "its body is compressed"
        elif chat is not None and chat.kept_elsewhere:
            report.reason = f"the server has a part of the conversation: {chat.kept_elsewhere}"
        if chat is None or chat.kept_elsewhere:
            await self._pass(incoming, out, report, incoming.body)
            return
        async with self._readers.reader(incoming.caller, chat.model) as reader:
            with waiting_together(self._readers.patience, _FAULTS), self._readers.writer.paused():
                CURRENT.set(report)
                if incoming.path == _CHAT:
                    chat, incoming = await self._limited(chat, reader, incoming)
                await self._fitted(chat, reader, incoming, out, report)

    async def count(self, caller: Caller, body: bytes) -> int:
        """Return the tokens of a prompt, as estimated for the model that it names."""
        chat = read_chat(body)
        if chat is None:
            raise RefusedRequestError(400, "there are no messages to count")
        async with self._readers.reader(caller, chat.model) as reader:
            return await asyncio.to_thread(request_tokens, chat, reader.window.steady().count)

    async def _limited(self, chat: ChatRequest, reader: Reader, incoming: Incoming) -> tuple[ChatRequest, Incoming]:
        """Lower a limit for the reply that leaves little room: clients of Anthropic's API must set one.

        Others say what they mean, unless it is more than the window: there it is lowered for a long prompt.
        """
        window, longest = (await reader.window.now()).tokens, chat.longest_reply
        if longest is None:
            return chat, incoming
        lowered = min(longest, window // _REPLY) if window else longest
        if not incoming.for_a_message:
            count = reader.window.steady().count
            if window is None or longest < window or request_tokens(chat, count) <= careful_room(window, lowered):
                return chat, incoming
        newer, older = REPLY_LIMITS
        name = newer if newer in chat.body or host_of(self.server) == _OPENAI else older
        body = {field: value for field, value in chat.body.items() if field not in REPLY_LIMITS} | {name: lowered}
        return replace(chat, body=body), replace(incoming, body=encode(body))

    async def _fitted(
        self, chat: ChatRequest, reader: Reader, incoming: Incoming, out: Outgoing, report: Report
    ) -> None:
        """Pass a request on that fits; make one fit that does not, or that the server refuses as too long."""
        fit, fits = await reader.window.first_fit(chat, report)
        made = None if fits else await self._made(chat, reader, fit, report, out)
        body = incoming.body if made is None else encode(made.body)
        count = PromptCount()
        refused = await self._pass(incoming, out, report, body, chat, made, count, tried=fit.tried)
        while refused is not None and (fits or made is not None):
            size = None if made is None else made.tokens
            after = reader.window.next_fit(fit, refused, chat, size, incoming.caller.key)
            made = None if after is None else await self._made(chat, reader, after, report, out)
            if after is None or made is None:
                break
            fit, refused = after, await self._pass(incoming, out, report, encode(made.body), chat, made, count)
        if refused is not None:
            report.because(why_refused(refused, chat, report, incoming.caller.key))
            await self._write_error(refused, incoming, out, report)
            await out.end()
        elif out.status == 200:
            reader.window.note_answered(fit)
            if made is not None:
                self._learn(made, reader, incoming, count, report)
            elif count.tokens is not None:
                check = asyncio.create_task(self._check(chat, incoming.caller, count, report))
                self._checks.add(check)
                check.add_done_callback(self._checks.discard)

    async def _check(self, chat: ChatRequest, caller: Caller, count: PromptCount, report: Report) -> None:
        """Say if the server has cut a request. The caller has the response by then, and may be gone."""
        async with self._readers.reader(caller, chat.model) as reader:
            with suppress(ReadAgentError):
                if said := await reader.window.note_count(chat, count.tokens or 0, count.cached):
                    report.because(said)
                    _log.warning("%s", report.reason)

    def _learn(self, made: Compressed, reader: Reader, incoming: Incoming, count: PromptCount, report: Report) -> None:
        """Keep what the server counted in a request that was made to fit, and write gists for the next ones."""
        if made.memory is not None and made.pages:
            if count.tokens is not None:
                reader.note_ratio(made.memory, count.tokens, report.sent_tokens)
            again = self._readers.reader(incoming.caller, report.model)
            self._readers.writer.start(made, self.options.max_calls, again)

    async def _made(
        self, chat: ChatRequest, reader: Reader, fit: Fit, report: Report, out: Outgoing
    ) -> Compressed | None:
        """Return a request that fits; None if that fails for any reason, so that the server says what is wrong."""
        try:
            encode(chat.body)
        except RecursionError:
            report.reason = "a field of the request is nested too deeply"
            return None
        ask = self.options.max_calls > 0
        for _ in range(_ATTEMPTS):
            session = reader.session(reader.window.own_window(fit))
            try:
                async with out.comments() if chat.streams else nullcontext():
                    made = await compress(
                        chat, session, reader.known, window=fit.window, more=fit.more, ratio=reader.ratio,
                        ask=ask,
                    )  # fmt: skip
            except ContextOverflowError as error:
                report.because(str(error))
                try:
                    fit = reader.window.after_own(fit, error)
                except ReadAgentError:
                    ask = False
                continue
            except ReadAgentError as error:
                report.because(str(error))
                _log.warning(
                    "a request of %d tokens is passed on as it is: %s", report.original_tokens, report.hide(str(error))
                )
                return None
            except Exception as error:  # noqa: BLE001
                report.reason = f"unexpected error (a bug in readagent): {type(error).__name__}"
                _log.exception("a request is passed on as it is, because it could not be made shorter")
                return None
            finally:
                report.note_calls(session, reader.endpoint.price)
            report.compressed = True
            report.because(next((one.reason for one in session.trace.fallbacks), report.reason if not ask else ""))
            report.sent_tokens = request_tokens(chat, reader.window.steady().count, made.messages)
            report.note_saved(reader.endpoint.price)
            report.pages, report.pages_opened = made.pages, len(made.opened)
            report.pages_without_gist = made.without_gist
            return made
        return None

    async def _pass(
        self,
        incoming: Incoming,
        out: Outgoing,
        report: Report,
        body: bytes,
        chat: ChatRequest | None = None,
        made: Compressed | None = None,
        count: PromptCount | None = None,
        *,
        tried: bool = False,
    ) -> Refused | None:
        """Send a request, and pass the response on as it arrives.

        A chat that the server refuses as too long is not passed on but returned. Where the request was made to fit,
        the response tells so beside its usage. If it is only ``tried``, its refusal may also be the first event.
        ``count`` finds the tokens that the server counts in a request that is passed on as it is.
        """
        content, headers = body if incoming.method == "POST" else None, incoming.sent_headers()
        async with self._client.relay(incoming.method, incoming.target, content, headers, self._silence) as reply:
            if chat is not None and reply.status >= 400:
                error = await at_most(reply.chunks, _MAX_ERROR)
                refusal = read_refusal(reply.status, dict(reply.headers), error)
                if refusal.kind == "overflow":
                    return Refused(reply, error)
                await self._write_error(Refused(reply, error), incoming, out, report)
                async for chunk in reply.chunks:
                    if not incoming.caller.is_ours:
                        await out.write(chunk)
            elif made is not None and reply.status == 200 and chat is not None:
                await self._tell(reply, out, report, chat, count)
            elif reply.status >= 400 and incoming.caller.is_ours:
                await self._write_error(Refused(reply, await at_most(reply.chunks, _MAX_ERROR)), incoming, out, report)
            else:
                refused, first = await refusal_in(reply) if tried else (None, b"")
                if refused is not None:
                    return refused
                await out.start(reply.status, reply.headers, report.headers())
                await out.write(first)
                async for chunk in reply.chunks:
                    await out.write(chunk)
                    if count is not None:
                        count.add(chunk)
            await out.end()
        return None

    async def _write_error(self, refused: Refused, incoming: Incoming, out: Outgoing, report: Report) -> None:
        """Pass on what was read of an error, without the key if that is ours."""
        ours, reply = incoming.caller.is_ours, refused.reply
        await out.start(reply.status, reply.headers, report.headers(), edited=ours)
        await out.write(incoming.caller.hide_bytes(refused.body) if ours else refused.body)

    async def _tell(
        self, reply: RawReply, out: Outgoing, report: Report, chat: ChatRequest, count: PromptCount | None
    ) -> None:
        """Pass the response to a request that was made to fit on, with what we tell beside its usage."""
        kind = next((value for name, value in reply.headers if name.lower() == "content-type"), "")
        await out.start(reply.status, reply.headers, report.headers(), edited=True)
        if not kind.startswith("text/event-stream"):
            whole = b"".join([chunk async for chunk in reply.chunks])
            if count is not None:
                count.add(whole)
            await out.write(with_usage(whole, report))
            return
        lines = UsageLines(report) if chat.wants_usage else None
        async for chunk in reply.chunks:
            if count is not None:
                count.add(chunk)
            await out.write(lines.feed(chunk) if lines is not None else chunk)
        if lines is not None:
            await out.write(lines.end())
