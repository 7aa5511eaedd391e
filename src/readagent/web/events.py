"""Feed: the events of a job for any number of listeners, and server-sent events made of them.

A listener has no queue of its own, only a position. One that falls behind what is kept gets a picture of the job as it
is now, so that a slow client costs nothing and delays nobody.
"""

from __future__ import annotations

import asyncio
import secrets
import threading
from collections import deque
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import Any

from readagent.models.wire import encode

_KEPT = 1000  # events
_SILENCE = 15.0  # seconds after which a comment is sent, so that proxies keep the connection


@dataclass(frozen=True, slots=True)
class Sent:
    """An event with its number; None in the picture of a job, which only its last event has."""

    kind: str
    data: Any
    number: int | None = None


@dataclass(slots=True)
class Picture:
    """What the events of a job add up to: pages and gists by their start, opened pages, and the text of the answer."""

    pages: dict[int, dict[str, Any]] = field(default_factory=dict)
    gists: dict[int, dict[str, Any]] = field(default_factory=dict)
    opened: list[int] = field(default_factory=list)
    text: str = ""

    def take(self, kind: str, data: Any) -> None:
        """Take an event into account."""
        match kind:
            case "begin":
                self.pages, self.gists, self.opened, self.text = {}, {}, [], ""
            case "page":
                self.pages[data["start"]] = data
            case "gist":
                self.gists[data["start"]] = data
            case "opened":
                self.opened = [*dict.fromkeys([*self.opened, *data["pages"]])]
            case "restart":
                self.text = ""
            case "text":
                self.text += data["delta"]

    def events(self) -> Iterator[tuple[str, Any]]:
        """Yield events that lead to this picture."""
        yield "begin", {}
        for data in self.pages.values():
            yield "page", data
        for data in self.gists.values():
            yield "gist", data
        if self.opened:
            yield "opened", {"pages": self.opened}
        if self.text:
            yield "text", {"delta": self.text}


class Feed:
    """The latest events, numbered. ``tell`` may be called on any thread; listeners are on the server's event loop.

    The picture of a feed that is not ``of_one`` job has no state. ``now`` returns the state of a job that goes on: how
    far it is changes more often than listeners are told its state.
    """

    def __init__(self, *, of_one: bool = True, now: Callable[[], Any] | None = None) -> None:
        self._of_one, self._now = of_one, now
        self._boot = secrets.token_hex(4)
        self._lock = threading.Lock()
        self._events: deque[Sent] = deque(maxlen=_KEPT)
        self._number = 0
        self._picture = Picture()
        self._state: Sent | None = None
        self._ended = False
        self._last: Sent | None = None
        self._listeners: set[tuple[asyncio.AbstractEventLoop, asyncio.Event]] = set()

    def tell(self, kind: str, data: Any, *, last: bool = False) -> None:
        """Add an event; after the ``last`` one the streams end."""
        with self._lock:
            self._number += 1
            self._events.append(Sent(kind, data, self._number))
            self._picture.take(kind, data)
            if self._of_one and kind in ("state", "done"):
                self._state = Sent("state", data)
            self._ended = self._ended or last
            self._last = Sent(kind, data) if last else self._last
            listeners = list(self._listeners)
        for loop, heard in listeners:
            with suppress(RuntimeError):  # the loop was closed
                loop.call_soon_threadsafe(heard.set)

    def end(self) -> None:
        """End the streams without another event, as when the server stops: clients connect again."""
        with self._lock:
            self._ended = True
            listeners = list(self._listeners)
        for loop, heard in listeners:
            with suppress(RuntimeError):
                loop.call_soon_threadsafe(heard.set)

    @property
    def listeners(self) -> int:
        """How many listen now."""
        return len(self._listeners)

    def pages(self) -> tuple[dict[int, dict[str, Any]], dict[int, dict[str, Any]]]:
        """Return the pages and gists so far, by their start."""
        with self._lock:
            return dict(self._picture.pages), dict(self._picture.gists)

    def id_of(self, number: int) -> str:
        """Return the id of an event, which no other server gives."""
        return f"{self._boot}-{number}"

    def position(self, last_id: str) -> int | None:
        """Return the number of the event with this id; None if it is none of ours."""
        boot, _, number = last_id.rpartition("-")
        return int(number) if boot == self._boot and number.isdecimal() else None

    def after(self, position: int | None) -> tuple[list[Sent], int, bool]:
        """Return the events after a position, the new position, and whether there will be no more.

        Without a position, or if events after it are no longer kept, they are a picture of all that has happened.
        """
        with self._lock:
            ended, oldest = self._ended, self._events[0].number if self._events else self._number + 1
            assert oldest is not None
            if position is not None and oldest - 1 <= position <= self._number:
                return [one for one in self._events if (one.number or 0) > position], self._number, ended
            shown = [] if self._state is None else [self._state]
            if shown and self._now is not None and not ended:
                shown = [Sent("state", self._now())]
            shown += [Sent(kind, data) for kind, data in self._picture.events()]
            shown += [] if self._last is None else [self._last]
            return [*shown[:-1], Sent(shown[-1].kind, shown[-1].data, self._number)], self._number, ended

    @contextmanager
    def listening(self) -> Iterator[asyncio.Event]:
        """Yield an event of asyncio that is set whenever there is something new."""
        listener = (asyncio.get_running_loop(), asyncio.Event())
        with self._lock:
            self._listeners.add(listener)
        try:
            yield listener[1]
        finally:
            with self._lock:
                self._listeners.discard(listener)


async def server_sent(feed: Feed, last_id: str, silence: float = _SILENCE) -> AsyncIterator[bytes]:
    """Yield a feed as server-sent events, from the event after ``last_id`` on, until it ends."""
    position = feed.position(last_id)
    with feed.listening() as heard:
        while True:
            heard.clear()
            events, position, ended = feed.after(position)
            for one in events:
                yield as_bytes(one.kind, one.data, "" if one.number is None else feed.id_of(one.number))
            if ended:
                return
            try:
                await asyncio.wait_for(heard.wait(), silence)
            except TimeoutError:
                yield b": still here\n\n"


def as_bytes(kind: str, data: Any, number: str = "") -> bytes:
    """Return one server-sent event. JSON has no line breaks, so that the data is one line."""
    shown = f"id: {number}\n" if number else ""
    return f"{shown}event: {kind}\ndata: ".encode() + encode(data) + b"\n\n"
