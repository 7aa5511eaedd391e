"""Feeds: listeners that are slow or come late get a picture of what has happened, and delay nobody."""

from __future__ import annotations

from typing import Any

import pytest

from readagent.web.events import Feed, server_sent

pytestmark = pytest.mark.anyio


def told(feed: Feed, position: int | None) -> list[tuple[str, Any]]:
    return [(one.kind, one.data) for one in feed.after(position)[0]]


def test_a_listener_that_comes_late_gets_what_it_adds_up_to() -> None:
    feed = Feed()
    feed.tell("state", {"state": "running"})
    feed.tell("page", {"start": 0, "end": 9, "words": 2})
    feed.tell("begin", {})
    feed.tell("page", {"start": 0, "end": 5, "words": 1})
    feed.tell("gist", {"start": 0, "end": 5, "text": "Short."})
    feed.tell("opened", {"pages": [1]})
    feed.tell("opened", {"pages": [1, 3]})
    for piece in ("The", " wrong", " one"):
        feed.tell("text", {"delta": piece})
    feed.tell("restart", {})
    feed.tell("text", {"delta": "The"})
    feed.tell("text", {"delta": " answer"})
    assert told(feed, None) == [
        ("state", {"state": "running"}), ("begin", {}), ("page", {"start": 0, "end": 5, "words": 1}),
        ("gist", {"start": 0, "end": 5, "text": "Short."}), ("opened", {"pages": [1, 3]}),
        ("text", {"delta": "The answer"}),
    ]  # fmt: skip


def test_a_listener_that_fell_behind_gets_a_picture_instead() -> None:
    feed = Feed()
    feed.tell("text", {"delta": "x"})
    for _ in range(5000):
        feed.tell("text", {"delta": "x"})
    assert told(feed, 1) == [("begin", {}), ("text", {"delta": "x" * 5001})]
    assert len(told(feed, 4500)) == 501


async def test_a_slow_client_delays_nobody_and_loses_nothing() -> None:
    feed = Feed()
    slow, quick = server_sent(feed, ""), server_sent(feed, "")
    await anext(slow)
    received = [await anext(quick)]
    for number in range(3000):  # more than is kept, while the slow one takes nothing
        feed.tell("page", {"start": number, "end": number + 1, "words": 1})
    feed.tell("done", {"state": "done"}, last=True)
    received += [one async for one in quick]
    late = [one async for one in slow]
    assert received[-1].startswith(b"id: ")
    for events in (received, late):
        starts = {one.partition(b'"start":')[2].partition(b",")[0] for one in events if b"event: page" in one}
        assert len(starts - {b""}) == 3000
        assert b'{"state":"done"}' in b"".join(events)
