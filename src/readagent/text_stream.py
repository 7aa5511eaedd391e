"""TextStream: an AsyncTextStream for code that does not await."""

from __future__ import annotations

from types import TracebackType
from typing import Generic, Self

from readagent.errors import UsageError
from readagent.private_loop import PrivateLoop
from readagent.stream import A, AsyncTextStream


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
