"""ProxyDoor: the OpenAI-compatible endpoint inside `readagent serve`; the same token, and the server's own key."""

from __future__ import annotations

from collections.abc import Callable

from readagent.library import Library
from readagent.proxy.proxy import Proxy, ProxyOptions
from readagent.proxy.report import Report
from readagent.records import record
from readagent.records.servers import ProxiedRequest
from readagent.settings import Settings


class ProxyDoor:
    """The proxy of a server, which is made when it is first needed. Only one with a model server has one.

    ``on_request`` is called after each request with what became of it.
    """

    def __init__(self, settings: Settings, library: Library, token: str) -> None:
        self._settings, self._library = settings, library
        self._options = ProxyOptions(key_from="server", token=token)
        self.on_request: Callable[[Report], None] = lambda report: None
        self._proxy: Proxy | None = None

    def find(self) -> Proxy:
        """Return the proxy; raise UsageError if there is no model server."""
        if self._proxy is None:
            self._proxy = Proxy(self._settings, self._library, self._options, lambda report: self.on_request(report))
        return self._proxy

    def use(self, settings: Settings) -> None:
        """Use another model for the requests to come."""
        self._settings, self._proxy = settings, None

    def last(self) -> list[ProxiedRequest]:
        """Return the last requests, the newest first."""
        reports = [] if self._proxy is None else list(self._proxy.last)
        return [record(ProxiedRequest, one) for one in reports]

    def stop(self) -> None:
        """End the requests that are being answered, with an error."""
        if self._proxy is not None:
            self._proxy.stop()

    async def aclose(self) -> None:
        """Wait for calls in flight, and close its connections."""
        if self._proxy is not None:
            await self._proxy.aclose()
