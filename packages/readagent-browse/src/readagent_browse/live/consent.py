"""Consent: a person decides before anything that may have an effect leaves the browser.

What counts is the request, not the words on a button: everything that is not a plain look at a page is asked about.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

from readagent_browse.live.origin import Origin, origin_text, without_query
from readagent_browse.live.request_text import describe_request
from readagent_browse.live.secrets import Secrets
from readagent_browse.live.visit import Confirm, agree, refuse

_MOST_REFUSALS = 10  # during one action


class Consent:
    """Asks with ``confirm``, except about ``trusted`` origins, where everything is permitted.

    A request that is too long for a question is written into ``folder``, if there is one. What was refused once is
    refused again without a question, and so is everything after ten refusals during one action: a page must not tire
    people until they agree. ``asked`` counts the questions.
    """

    def __init__(self, confirm: Confirm = refuse, trusted: Iterable[str] = (), secrets: Secrets | None = None) -> None:
        self.folder: Path | None = None
        self._confirm = confirm
        self._trusted = tuple(map(Origin.parse, trusted))
        self._secrets = secrets or Secrets()
        self._known_refusals: set[str] = set()
        self._refusals: list[str] = []
        self._refused_now = 0  # times that the person said no since the last action
        self._failure: BaseException | None = None
        self.asked = 0
        self.refused_socket = ""  # the WebSocket that was refused because there is nobody to ask

    def permits_request(
        self, method: str, url: str, body: str = "", *, headers: Mapping[str, str] | None = None, beacon: bool = False
    ) -> bool:
        """Return whether a request may be sent, with this body and these headers.

        No task depends on a ``beacon``, which tells a server that a page was seen or left: it is asked about like the
        others, but is not among the refusals.
        """
        what = f"send {method} to {without_query(url)}"
        key = f"beacon {what}" if beacon else f"{method} {url}\n{body}"
        permitted = self.permits(
            what, url, key, lambda: describe_request(method, url, body, headers, self._secrets, self.folder)
        )
        if beacon and not permitted and self._refusals:
            self._refusals.pop()
        return permitted

    def redact(self, text: str) -> str:
        """Return a text without secrets."""
        return self._secrets.redact(text)

    def permits_socket(self, url: str) -> bool:
        """Return whether a WebSocket may be opened. Pages that live on one show nothing without it."""
        what = (
            f"open a WebSocket to {origin_text(url).replace('http', 'ws', 1)}, through which the page can send anything"
        )
        if self.permits(what, url):
            return True
        if self._confirm is refuse:
            self.refused_socket = what
        return False

    def permits(self, what: str, url: str, key: str = "", whole: Callable[[], str] | None = None) -> bool:
        """Return whether something may be done on behalf of the page at ``url``; ``what`` is what is told of it later.

        The person is shown ``whole``, if it is given. The same ``key`` is asked about once.
        """
        if self._failure is not None:
            return False
        origin = Origin.of(url)
        if self._confirm is agree or (origin and any(one.covers(origin) for one in self._trusted)):
            return True
        told, known = self._secrets.redact(what), key or what
        if self._confirm is refuse:
            self._refusals.append(told)
            return False
        if known not in self._known_refusals and self._refused_now < _MOST_REFUSALS:
            self.asked += 1
            try:
                if self._confirm(whole() if whole else told):
                    return True
            except BaseException as error:  # raised again by take_refusals, not in the handler of an event
                self._failure = error
                if isinstance(error, (KeyboardInterrupt, SystemExit)):
                    raise
                return False
            self._refused_now += 1
            self._known_refusals.add(known)
        self._refusals.append(told)
        return False

    @property
    def reason(self) -> str:
        """Why something is refused, for the model and the trace."""
        return "there is nobody to ask" if self._confirm is refuse else "the user did not confirm it"

    def take_refusals(self) -> tuple[str, ...]:
        """Return what was refused since the last call, each once. Raise the error if asking failed."""
        if self._failure is not None:
            raise self._failure
        refusals, self._refusals, self._refused_now = tuple(dict.fromkeys(self._refusals)), [], 0
        return refusals


Record = Callable[[str], None]
