"""Connected: a connection made when it is first needed, and the window that its model is believed to have."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TypeVar

from readagent.connect import Connection, connect, wrap
from readagent.core.model import Model
from readagent.core.window import Window
from readagent.errors import ContextOverflowError, ReadAgentError
from readagent.library import Library
from readagent.models.cache import Cached
from readagent.settings import Settings

T = TypeVar("T")


class Connected:
    """The model that the settings name, or one of the user's ``own``; ``run`` tells repetitions apart."""

    def __init__(self, settings: Settings, library: Library | None, own: Model | None = None, run: int = 0) -> None:
        self._settings, self._library, self._own, self._run = settings, library, own, run
        self._connection: Connection | None = None
        self._window: Window | None = None

    async def model(self) -> Cached:
        """The model with all its wrappers."""
        return (await self._made()).model

    async def window(self) -> Window:
        """The window as given, as the server says, or as learnt from an overflow."""
        if self._window is None:
            tokens, endpoint = self._settings.window, (await self._made()).endpoint
            if tokens is None and endpoint is not None:
                tokens = await endpoint.window()
            self._window = Window(tokens)
        return self._window

    async def within_window(self, attempt: Callable[[Window], Awaitable[T]]) -> T:
        """Do it; after an overflow do it again with the smaller window that was learnt. What was paid for is kept."""
        connection = await self._made()
        while True:
            window = await self.window()
            try:
                return await attempt(window)
            except ContextOverflowError as error:
                self._window = window.learnt(error)
                if connection.endpoint is not None:
                    connection.endpoint.learn_window(self._window.tokens)
            except ReadAgentError:
                await connection.model.drain()
                raise

    async def aclose(self) -> None:
        """Wait for calls under way, so that what was paid for is kept, and close the connection."""
        if self._connection is not None:
            await self._connection.model.drain()
            await self._connection.aclose()
            self._connection = None

    async def _made(self) -> Connection:
        if self._connection is None:
            if self._own is not None:
                self._connection = wrap(self._own, self._settings, self._library, run=self._run)
            else:
                self._connection = await connect(self._settings, self._library, run=self._run)
        return self._connection
