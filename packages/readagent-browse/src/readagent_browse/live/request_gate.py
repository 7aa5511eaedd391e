"""RequestGate: every request of the browser is held until the network guard and the user's consent let it go.

The DevTools protocol of the whole browser shows the requests of all pages, frames and workers, with every hop of a
redirect. WebSockets are not among them; the proxy asks the gate about these.
"""

from __future__ import annotations

import base64
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from itertools import groupby
from typing import TYPE_CHECKING, Any
from urllib.parse import urljoin, urlsplit

from readagent.errors import BrowserError, LoadError
from readagent_browse.live.browser import translate_errors
from readagent_browse.live.consent import Consent, Record
from readagent_browse.live.network_guard import NetworkGuard
from readagent_browse.live.origin import Origin, origin_text, without_query
from readagent_browse.live.page_monitor import BackgroundTasks
from readagent_browse.live.request_text import UNSEEN

if TYPE_CHECKING:
    from readagent_browse.live.browser import CDPSession

_OVERRIDES = {"x-http-method-override", "x-http-method", "x-method-override"}


class RequestGate:
    """The gate of one browser. ``record`` is told what was stopped, in words for the model.

    ``on_document_refused`` is called when a page or frame was not loaded.
    """

    def __init__(self, cdp: CDPSession, guard: NetworkGuard, consent: Consent, record: Record) -> None:
        self._cdp = cdp
        self._guard = guard
        self._consent = consent
        self._record = record
        self._tasks = BackgroundTasks()
        self._origins: set[Origin | None] = set()  # to which requests of pages were let go
        self.on_document_refused: Callable[[], None] = lambda: None

    async def start(self) -> None:
        """Hold requests from now on."""
        self._cdp.on("Fetch.requestPaused", lambda paused: self._tasks.run(self._on_paused(paused)))
        answers = {"urlPattern": "*", "resourceType": "Document", "requestStage": "Response"}
        await self._cdp.send("Fetch.enable", {"patterns": [{"urlPattern": "*"}, answers]})

    async def stop(self) -> None:
        """Hold no more requests."""
        with suppress(BrowserError), translate_errors("closing the gate"):
            await self._cdp.detach()

    async def addresses(self, url: str, *, socket: bool) -> Sequence[str]:
        """Return the network addresses for a connection of the proxy; raise LoadError if it is refused.

        The browser's own requests, such as those of its services, reach only hosts that the user named.
        """
        if not socket and Origin.of(url) not in self._origins and not self._guard.is_named(url):
            refusal = f"no page asked for something from {origin_text(url)}"
        else:
            refusal = await self._guard.refusal(url, navigates=socket)
        if refusal and socket:
            self._record(f"blocked: a WebSocket to {without_query(url)}, for {refusal}")
        if not refusal and socket and not self._consent.permits_socket(url):
            refusal = self._consent.reason
            self._record(f"not opened: a WebSocket to {without_query(url)} ({refusal})")
        if refusal:
            raise LoadError(refusal)
        return await self._guard.addresses(url)

    def failed(self, url: str, reason: str) -> None:
        """Record that a host could not be connected to."""
        self._record(f"no connection to {origin_text(url)}: {reason}")

    async def _on_paused(self, paused: dict[str, Any]) -> None:
        if "responseStatusCode" in paused or "responseErrorReason" in paused:
            with suppress(BrowserError), translate_errors("an answer"):
                await self._on_document(paused)
        else:
            await self._on_request(paused)

    async def _on_document(self, paused: dict[str, Any]) -> None:
        """Let the answer with a page or frame go on, unless it leads to another program: see app_links.js."""
        held, url = {"requestId": paused["requestId"]}, paused["request"]["url"]
        target = _header(paused, "location") if 300 <= paused.get("responseStatusCode", 0) < 400 else ""
        scheme = urlsplit(urljoin(url, target)).scheme
        if scheme in ("http", "https"):
            await self._cdp.send("Fetch.continueRequest", held)
        else:
            self._record(f"blocked: {without_query(url)}, for it leads to another program ({scheme}:)")
            await self._cdp.send("Fetch.failRequest", {**held, "errorReason": "Aborted"})
            self.on_document_refused()

    async def _on_request(self, paused: dict[str, Any]) -> None:
        held = {"requestId": paused["requestId"]}
        document, beacon = paused["resourceType"] == "Document", paused["resourceType"] == "Ping"
        allowed = False
        try:
            allowed = await self._is_allowed(paused["request"], document=document, beacon=beacon)
        finally:
            with suppress(BrowserError), translate_errors("a request"):
                if allowed:
                    await self._cdp.send("Fetch.continueRequest", held)
                else:  # an aborted load leaves the page as it is
                    reason = "Aborted" if document else "BlockedByClient"
                    await self._cdp.send("Fetch.failRequest", {**held, "errorReason": reason})
            if document and not allowed:
                self.on_document_refused()

    async def _is_allowed(self, request: dict[str, Any], *, document: bool, beacon: bool) -> bool:
        url, method = request["url"], request["method"]
        sends = _sends(method, request["headers"])
        if refusal := await self._guard.refusal(url, navigates=document or sends):
            if document or sends:
                self._record(f"blocked: {'' if document else f'{method} '}{without_query(url)}, for {refusal}")
            else:
                self._guard.note_blocked(url)
            return False
        self._origins.add(Origin.of(url))
        if not sends or self._consent.permits_request(
            method, url, _body(request), headers=request["headers"], beacon=beacon
        ):
            return True
        self._record(f"not sent: {method} {without_query(url)} ({self._consent.reason})")
        return False


def _sends(method: str, headers: Mapping[str, str]) -> bool:
    """Return whether a request is asked about: all but GET, and GET that asks the server to take it for another method.

    The question that a browser asks before a request to another origin (a CORS preflight) is not. Pages cannot set the
    header by which it is known.
    """
    names = {name.lower() for name in headers}
    if method == "OPTIONS" and "access-control-request-method" in names:
        return False
    return method != "GET" or not names.isdisjoint(_OVERRIDES)


def _body(request: dict[str, Any]) -> str:
    """Return what a request would send, as text; bytes that are no text are surrogates.

    Bytes that follow each other are decoded together: a character may be in two entries.
    """
    entries = groupby(request.get("postDataEntries", ()), lambda entry: "bytes" in entry)
    shown = (b"".join(base64.b64decode(entry["bytes"]) for entry in some) if seen else None for seen, some in entries)
    text = "".join(UNSEEN if part is None else part.decode("utf-8", "surrogateescape") for part in shown)
    return text or str(request.get("postData", "")) or (UNSEEN if request.get("hasPostData") else "")


def _header(paused: dict[str, Any], name: str) -> str:
    """Return a header of the answer to a request; empty if it has none of this name."""
    return next((one["value"] for one in paused.get("responseHeaders", ()) if one["name"].lower() == name), "")
