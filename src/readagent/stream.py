"""AsyncTextStream and TextStream: the text of an answer as it arrives, and then the answer."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from contextlib import suppress
from types import TracebackType
from typing import Any, Generic, Protocol, Self, TypeVar

from readagent.core.escaping import brief
from readagent.core.trace import AnswerText, Event, Listener
from readagent.errors import UsageError
from readagent.private_loop import PrivateLoop


class HasText(Protocol):
    """An answer, about a document or a shelf."""

    @property
    def text(self) -> str: ...


A = TypeVar("A", bound=HasText)
Asking = Callable[[Listener], Coroutine[Any, Any, A]]


class AsyncTextStream(Generic[A]):
    """Yields the text of an answer piece by piece; afterwards ``answer`` is the complete answer.

    Nothing is asked before the first piece is wanted. A reply can break off or be replaced: then the answer starts
    again with the next piece, and ``restarted`` is True for it. ``text`` is the answer so far, without what was
    replaced; at the end it is the text of the answer, also of a choice or a claim, which comes in one piece. An error
    is raised where it happens. Closing the stream, leaving its ``async with``, or a timeout while a piece is awaited
    ends the work: no further call is made, and a reply that is on its way is kept in the library. If there are several
    readers, each piece goes to one of them, and the end to all.
    """

    def __init__(self, ask: Asking[A], listen: Listener) -> None:
        self._ask, self._listen = ask, listen
        self._pieces: asyncio.Queue[AnswerText | None] = asyncio.Queue()  # None at the end
        self._task: asyncio.Task[A] | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._answer: A | None = None
        self._ended: Exception | None = None  # why there is no answer
        self.text = ""
        self.restarted = False

    def __repr__(self) -> str:
        state = "complete" if self._answer else "ended" if self._ended else "running" if self._task else "not begun"
        return brief(self, self.text, state)

    @property
    def answer(self) -> A:
        """The answer. Before the stream has ended this raises UsageError, and after an error that error."""
        if self._answer is not None:
            return self._answer
        raise self._ended or UsageError(
            "the answer is not complete yet", hint="iterate to the end of the stream first, or call finish()"
        )

    async def finish(self) -> A:
        """Wait for the end of the stream, without its pieces, and return the answer."""
        async for _ in self:
            pass
        return self.answer

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> str:
        piece = await self.next_piece()
        if piece is None:
            raise StopAsyncIteration
        return piece

    async def next_piece(self) -> str | None:
        """Return the next piece of the text, or None at the end."""
        if self._over():
            return None
        task = self._task or self._started()
        try:
            event = await self._pieces.get()
        except asyncio.CancelledError:
            self._cancel("cancelled")
            raise
        if event is None:
            self._pieces.put_nowait(None)  # for the other readers
        if self._over():  # meanwhile
            return None
        event = event or self._last(task)
        if event is None:
            return None
        self.restarted = event.restart
        self.text = event.text if event.restart else self.text + event.text
        return event.text

    def _over(self) -> bool:
        return self._answer is not None or self._ended is not None

    def _started(self) -> asyncio.Task[A]:
        pieces, heard = self._pieces, self._listen

        def listen(event: Event) -> None:  # without a reference to the stream, so that a dropped stream ends
            if isinstance(event, AnswerText):
                pieces.put_nowait(event)
            heard(event)

        self._loop = asyncio.get_running_loop()
        self._task = task = self._loop.create_task(self._ask(listen))

        def ended(task: asyncio.Task[A]) -> None:
            pieces.put_nowait(None)
            if not task.cancelled():
                task.exception()  # otherwise an error that nobody waits for is logged

        task.add_done_callback(ended)
        return task

    def _last(self, task: asyncio.Task[A]) -> AnswerText | None:
        """Note how the work ended; return what the text still lacks, None if it is complete."""
        if task.cancelled():
            self._ended = UsageError("the agent was closed before the answer was complete", hint="ask again")
            raise self._ended
        try:
            self._answer = answer = task.result()
        except Exception as error:
            self._ended = error
            raise
        if answer.text == self.text:
            return None
        again = not answer.text.startswith(self.text)
        return AnswerText(answer.text if again else answer.text[len(self.text) :], restart=again)

    async def aclose(self) -> None:
        """End the stream. If the answer is not complete, no further call is made for it."""
        self._cancel("closed")
        if self._task is not None and not self._task.done():
            await asyncio.wait([self._task])

    def _cancel(self, how: str) -> None:
        """End the work, if the answer is not complete."""
        if not self._over():
            self._ended = UsageError(f"the stream was {how} before the answer was complete", hint="ask again")
        if self._task is not None:
            self._task.cancel()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()

    def __del__(self) -> None:
        if self._task is not None and self._loop is not None and not self._task.done():
            with suppress(RuntimeError):  # the loop has ended, and the task with it
                self._loop.call_soon_threadsafe(self._task.cancel)


class TextStream(Generic[A]):
    """Yields the text of an answer piece by piece; afterwards ``answer`` is the complete answer.

    See AsyncTextStream; ``close``, the end of a ``with`` block and an interrupt end the work.
    """

    def __init__(self, loop: PrivateLoop, stream: AsyncTextStream[A]) -> None:
        self._loop, self._stream = loop, stream

    def __repr__(self) -> str:
        return repr(self._stream).replace("AsyncTextStream", type(self).__name__, 1)

    @property
    def answer(self) -> A:
        """See AsyncTextStream.answer."""
        return self._stream.answer

    @property
    def text(self) -> str:
        """The answer so far, without what was replaced."""
        return self._stream.text

    @property
    def restarted(self) -> bool:
        """Whether the answer started again with the newest piece."""
        return self._stream.restarted

    def finish(self) -> A:
        """See AsyncTextStream.finish."""
        for _ in self:
            pass
        return self.answer

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> str:
        try:
            piece = self._loop.wait(self._stream.next_piece())
        except KeyboardInterrupt:
            self.close()
            raise
        if piece is None:
            raise StopIteration
        return piece

    def close(self) -> None:
        """See AsyncTextStream.aclose."""
        try:
            self._loop.wait(self._stream.aclose())
        except UsageError:  # the agent is closed, and the stream with it
            return

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
