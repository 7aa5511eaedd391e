"""The first event of a stream: SGLang and others refuse a request in it, with status 200."""

from __future__ import annotations

from dataclasses import replace

from readagent.errors import BadReplyError
from readagent.models.http import RawReply
from readagent.models.refusal import read_refusal
from readagent.models.streaming import EventDecoder
from readagent.models.wire import decode, encode
from readagent.proxy.exchange import Refused

_MOST = 1_000_000  # bytes that are read before anything is passed on


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
