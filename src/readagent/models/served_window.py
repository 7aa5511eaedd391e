"""ServedWindow: what is known about the window of a model on a server, and the room that it leaves for a reply."""

from __future__ import annotations

import asyncio

from readagent.errors import ConnectionFailedError, RateLimitedError, ServerFaultError
from readagent.models.capabilities import Capabilities
from readagent.models.http import HttpClient
from readagent.models.server_info import Limits, fetch_limits

MAX_REPLY_TOKENS = 8192  # enough to reason, and an end to endless replies
_LEAST_REPLY = 256  # tokens, in all but small windows
_LEAST_SHARE = 6  # in small windows the shortest reply gets this part of them; prompts leave more than that
_ENOUGH = 3  # answers after which a server that failed to tell the window is not asked again
_TEMPLATE = 128  # tokens that servers add to a prompt: roles, dates, a default system prompt


def least_reply(window: int | None) -> int:
    """Return the tokens of the shortest reply that is worth asking for in this window, if it is known."""
    return _LEAST_REPLY if window is None else min(_LEAST_REPLY, window // _LEAST_SHARE)


class ServedWindow:
    """The window of a model, in tokens, prompt and reply together.

    The value that the user has ``given`` counts before any other. Without one, it is the smaller of what the server
    reports and what was learnt from its refusals, or else the value of the price table.
    """

    def __init__(self, client: HttpClient, given: int | None) -> None:
        self.given = given
        self._client = client
        self._fetching = asyncio.Lock()
        self._fetched = False
        self._attempts = self._answers = 0
        self._reported = Limits()
        self._refused: int | None = None  # named by the server when it refused a request of this connection
        self.assumed: int | None = None  # what requests have to fit while nothing else is known

    async def fetch(self, model: str) -> None:
        """Ask the server, once for each connection, and again if it failed; raise the error of a busy server."""
        attempts = self._attempts
        if self._fetched or self.given is not None:
            return
        async with self._fetching:
            if self._fetched or self._attempts != attempts:  # another call has asked meanwhile
                return
            self._attempts += 1
            try:
                self._reported = await fetch_limits(self._client, model)
                self._fetched = True
            except RateLimitedError:
                raise
            except ServerFaultError as error:
                if error.busy:
                    raise
            except ConnectionFailedError:
                pass

    @property
    def listed(self) -> int | None:
        """The window that the user has given, or that the server has listed, whatever its refusals say."""
        return self._reported.window if self.given is None else self.given

    @property
    def reported(self) -> int | None:
        """The window that the server has listed, as far as it was asked."""
        return self._reported.window

    @property
    def refuses(self) -> bool | None:
        """Whether the server refuses a prompt that is too long, and does not cut it; None if that is not known."""
        return self._reported.refuses

    def answered(self) -> None:
        """Note that the server answered a call. One that does so and cannot tell the window is not asked for ever."""
        self._answers += 1
        self._fetched = self._fetched or self._answers >= _ENOUGH

    def tokens(self, learnt: Capabilities, priced: int | None) -> int | None:
        """Return the window, or None if it is unknown. ``priced`` is the value of the price table."""
        if self.given is not None:
            return self.given
        known = [tokens for tokens in (self._reported.window, learnt.window) if tokens is not None]
        return min(known) if known else priced

    def refuse(self, tokens: int) -> None:
        """Respect the window that the server named in a refusal, even if the user has given a larger one."""
        self._refused = min(tokens, self._refused or tokens)

    def longest_reply(self, size: int, known: Capabilities, priced: int | None, least: int = 0) -> int:
        """Return the tokens of the longest reply to a prompt of about ``size`` tokens; it needs the ``least``."""
        most = min(known.reply_limit or MAX_REPLY_TOKENS, self._reported.reply or MAX_REPLY_TOKENS)
        windows = [tokens for tokens in (self._refused, self.tokens(known, priced)) if tokens]
        windows = windows or [tokens for tokens in (self.assumed,) if tokens]
        limits = [*windows, known.request_limit] if known.request_limit else windows
        if not limits:
            return most
        margin = _TEMPLATE + size // 20  # an estimate may be a little low
        least = max(least, least_reply(min(windows, default=None)))
        return min(most, max(least, min(limits) - size - margin))
