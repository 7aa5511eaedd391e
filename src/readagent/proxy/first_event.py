"""What a response tells where it begins and ends: a refusal with status 200, and the tokens that were counted."""

from __future__ import annotations

import re
from dataclasses import replace

from readagent.errors import BadReplyError
from readagent.models.http import RawReply
from readagent.models.refusal import read_refusal
from readagent.models.wire import EventDecoder, decode, encode
from readagent.proxy.exchange import Refused

_MOST = 1_000_000  # bytes that are read before anything is passed on
_TAIL = 64_000  # bytes at the end of a response, in which the usage is looked for
_COUNT = re.compile(rb'(?<!\\)"(?:prompt|input)_tokens"\s*:\s*(\d{1,9})(?!\d)')
_CACHED = re.compile(rb'(?<!\\)"(?:cached_tokens|cache_read_input_tokens)"\s*:\s*(\d{1,9})(?!\d)')


class PromptCount:
    """Finds the tokens that the server counted in a prompt at the end of its response."""

    def __init__(self) -> None:
        self._end = b""

    def add(self, chunk: bytes) -> None:
        """Take in the next bytes of the response."""
        self._end = (self._end + chunk)[-_TAIL:]

    @property
    def tokens(self) -> int | None:
        """The count, if the response has one: the last, since a stream may count as it goes on."""
        found = _COUNT.findall(self._end)
        return int(found[-1]) or None if found else None

    @property
    def cached(self) -> int:
        """The tokens that the server says it had cached."""
        return max(map(int, _CACHED.findall(self._end)), default=0)


async def refusal_in(reply: RawReply) -> tuple[Refused | None, bytes]:
    """Return the refusal that a stream begins with, if any, and what was read of it until then."""
    kind = next((value for name, value in reply.headers if name.lower() == "content-type"), "")
    if not kind.startswith("text/event-stream"):
        return None, b""
    read, events, found = bytearray(), EventDecoder(_MOST), list[str]()
    try:
        async for chunk in reply.chunks:
            read += chunk
            if (found := events.feed(chunk)) or read.startswith(b":"):  # a comment: work has begun
                break
        value = decode(found[0]) if found else None
    except BadReplyError:
        return None, bytes(read)
    said = value.get("error") if isinstance(value, dict) else None
    body = encode({"error": said})
    if not said or read_refusal(400, {}, body).kind != "overflow":
        return None, bytes(read)
    return Refused(replace(reply, status=400, headers=[("content-type", "application/json")]), body), bytes(read)
