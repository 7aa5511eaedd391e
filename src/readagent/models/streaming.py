"""Decode server-sent events from a stream of bytes, and pass a reply on to a listener while it arrives."""

from __future__ import annotations

import re
from dataclasses import replace

from readagent.core.model import Ask, Reply
from readagent.models.refusal import OversizedReplyError


def emit(ask: Ask, reply: Reply) -> Reply:
    """Send the whole text of a reply to the ask's listener, if there is one. Returns the reply."""
    if ask.listen is not None and reply.text:
        ask.listen(reply.text)
    return reply


class StreamListener:
    """The listener of an ask over several attempts at the same reply; it can be closed.

    If a later attempt starts after text was passed on, the ask's ``restart`` is called first. An ask without one
    receives only the text of the first attempt.
    """

    def __init__(self, ask: Ask) -> None:
        assert ask.listen is not None
        self._listen, self._restart = ask.listen, ask.restart
        self._begun = False
        self._open = True

    def restart(self) -> None:
        """Start a new attempt."""
        if not self._begun or not self._open:
            return
        self._begun = False
        if self._restart is None:
            self._open = False
        else:
            self._restart()

    def close(self) -> None:
        """Stop passing text on."""
        self._open = False

    def __call__(self, piece: str) -> None:
        if piece and self._open:
            self._begun = True
            self._listen(piece)


def wrap_listener(ask: Ask) -> tuple[Ask, StreamListener | None]:
    """Return the ask with its listener wrapped in a StreamListener, and the wrapper."""
    if ask.listen is None:
        return ask, None
    listener = StreamListener(ask)
    return replace(ask, listen=listener, restart=listener.restart), listener


_LINE_END = re.compile(rb"\r\n|\r|\n")  # no other: U+2028 and U+0085 may be part of a text
_BOM = b"\xef\xbb\xbf"
_FIELD = re.compile(rb"\s*(?:data|event|id|retry|): ?")  # a line without a name is a comment


def looks_like_events(body: bytes) -> bool:
    """Whether a body is a stream of events, whatever its content type says."""
    return _FIELD.match(body.removeprefix(_BOM)) is not None


class EventDecoder:
    """Collects the data of events from chunks of bytes, however the bytes are divided.

    The work is proportional to the number of bytes. An event of more than ``limit`` bytes raises BadReplyError.
    """

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._line: list[bytes] = []  # the parts of a line that has not ended
        self._data: list[bytes] = []  # the data lines of an event that has not ended
        self._size = 0
        self._began = False
        self._after_return = False

    def feed(self, chunk: bytes) -> list[str]:
        """Return the data of every event that ends in this chunk. Events without data are left out."""
        if not chunk:
            return []
        rest = chunk[1:] if self._after_return and chunk.startswith(b"\n") else chunk
        self._after_return = chunk.endswith(b"\r")
        events: list[str] = []
        *ended, unfinished = _LINE_END.split(rest)
        for part in ended:
            events += self._end_line(part)
        self._line.append(unfinished)
        self._count(len(unfinished))
        return events

    def end(self) -> list[str]:
        """Return the last event, if the stream ended without an empty line after it."""
        return self._end_line(b"") + self._end_event()

    def _end_line(self, last: bytes) -> list[str]:
        line = b"".join([*self._line, last])
        self._line.clear()
        if not self._began:
            self._began, line = True, line.removeprefix(_BOM)
        if not line:
            return self._end_event()
        name, _, value = line.partition(b":")
        if name == b"data":
            self._data.append(value.removeprefix(b" "))
            self._count(len(last))
        elif not self._data:
            self._size = 0  # a comment or another field, which is not kept
        return []

    def _end_event(self) -> list[str]:
        data, self._data, self._size = self._data, [], 0
        return [b"\n".join(data).decode("utf-8", "replace")] if data else []

    def _count(self, size: int) -> None:
        self._size += size
        if self._size > self._limit:
            raise OversizedReplyError(f"the server sent an event of more than {self._limit:,} bytes")
