"""Replies that never end, or are far too long: each is sent until the client closes the connection."""

from __future__ import annotations

import asyncio
import zlib
from collections.abc import Awaitable, Callable, Mapping

from readagent.testing.faults import Fault
from readagent.testing.loopback.http import Writer

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
    "huge": _huge, "bomb": _bomb,
}  # fmt: skip
