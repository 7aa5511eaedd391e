"""The response to a request that is tried as it is: whether it begins with an error, and the tokens that it counts."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from dataclasses import replace

from readagent.errors import BadReplyError
from readagent.models.http import RawReply
from readagent.models.refusal import read_refusal
from readagent.models.streaming import EventDecoder
from readagent.models.wire import decode, encode
from readagent.proxy.exchange import Refused

_MOST = 1_000_000  # bytes that are read before anything is passed on
_TAIL = 64_000  # bytes at the end of a response, in which the usage is looked for
_COUNT = re.compile(rb'(?<!\\)"(?:prompt|input)_tokens"\s*:\s*(\d{1,9})(?!\d)')
_CACHED = re.compile(rb'(?<!\\)"(?:cached_tokens|cache_read_input_tokens)"\s*:\s*(\d{1,9})(?!\d)')


async def refusal_in(reply: RawReply) -> tuple[Refused | None, bytes]:
    """Return the refusal that a response with status 200 begins with, if any, and what was read of it until then.

    Some servers send the error as the first event of a stream, or as the whole body. Of a stream only the first event
    is read, and of another response all that is not very long.
    """
    kind = next((value for name, value in reply.headers if name.lower() == "content-type"), "")
    read, events = bytearray(), EventDecoder(_MOST) if kind.startswith("text/event-stream") else None
    error: str | bytes = b""
    try:
        async for chunk in reply.chunks:
            read += chunk
            if events is not None and (found := events.feed(chunk)):
                error = found[0]
                break
            if len(read) > _MOST or (events is not None and read.startswith(b":")):  # a comment: work has begun
                return None, bytes(read)
        value = decode(error if events is not None else bytes(read))
    except BadReplyError:
        return None, bytes(read)
    said = value.get("error") if isinstance(value, dict) else None
    if not said:
        return None, bytes(read)
    body = encode({"error": said})
    if read_refusal(400, {}, body).kind != "overflow":
        return None, bytes(read)
    headers = [(name, text) for name, text in reply.headers if name.lower() not in ("content-type", "content-length")]
    status_400 = replace(reply, status=400, headers=[*headers, ("content-type", "application/json")])
    return Refused(status_400, body), bytes(read)


class PromptCount:
    """Passes a response on as it is, and finds the tokens that the server counted in the prompt."""

    def __init__(self) -> None:
        self._end = b""

    async def of(self, first: bytes, chunks: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
        """Yield what was read already, and what follows."""
        self._end = first[-_TAIL:]
        if first:
            yield first
        async for chunk in chunks:
            self._end = (self._end + chunk)[-_TAIL:]
            yield chunk

    @property
    def cached(self) -> int:
        """The tokens that the server says it had cached."""
        return max(map(int, _CACHED.findall(self._end)), default=0)

    @property
    def tokens(self) -> int | None:
        """The count, if the response has one: the last, since a stream may count as it goes on."""
        found = _COUNT.findall(self._end)
        return int(found[-1]) or None if found else None
