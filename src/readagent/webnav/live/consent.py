"""Consent: a person decides before anything that may have an effect leaves the browser.

What counts is the request, not the words on a button: everything that is not a plain look at a page is asked about.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable
from urllib.parse import parse_qsl, urlsplit

from readagent.webnav.live.network_guard import AllowedHost
from readagent.webnav.live.secrets import HIDDEN, Secrets
from readagent.webnav.live.visit import Confirm, agree, refuse

SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})  # they ask a server for something and change nothing
_MAX_SHOWN = 300  # characters of what a request would send
_MOST_REFUSALS = 10  # during one action
_SECRET_NAME = re.compile(
    r"pass(?:word|wd|phrase)?|pwd|\bpw\b|secret|token|csrf|card|cvc|cvv|\bpin\b|iban", re.IGNORECASE
)
_PART = re.compile(r'name="([^"]*)"(?:; filename="([^"]*)")?[^\r\n]*\r?\n(?:[^\r\n]+\r?\n)*\r?\n(.*)', re.DOTALL)


class Consent:
    """Asks with ``confirm``, except about ``trusted`` hosts, where everything is permitted.

    What was refused once is refused again without a question, and so is everything after ten refusals during
    one action: a page must not tire people until they agree. ``asked`` counts the questions.
    """

    def __init__(self, confirm: Confirm = refuse, trusted: Iterable[str] = (), secrets: Secrets | None = None) -> None:
        self._confirm = confirm
        self._trusted = tuple(map(AllowedHost.parse, trusted))
        self._secrets = secrets or Secrets()
        self._known_refusals: set[str] = set()
        self._refusals: list[str] = []
        self._refused_now = 0  # times that the person said no since the last action
        self._failure: BaseException | None = None
        self.asked = 0

    def permits_request(
        self, method: str, url: str, body: str = "", content_type: str = "", *, beacon: bool = False
    ) -> bool:
        """Return whether a request may be sent, with this body.

        No task depends on a ``beacon``, which tells a server that a page was seen or left: it is asked about like the
        others, but is not among the refusals.
        """
        sends = readable_body(self._secrets.redact(body), content_type)
        what = f"send {method} to {_place(url)}{f': {sends}' if sends else ''}"
        return self.permits(what, url, key=body) if not beacon else self._permits_beacon(what, url)

    def _permits_beacon(self, what: str, url: str) -> bool:
        """Ask about a beacon; one refusal is for all to the same path, whatever they would tell."""
        path = f"beacon {_place(url).partition('?')[0]}"
        if path in self._known_refusals:
            return False
        if self.permits(what, url):
            return True
        self._known_refusals.add(path)
        self._refusals = [one for one in self._refusals if one != self._secrets.redact(what)]
        return False

    def permits(self, what: str, url: str, *, key: str = "") -> bool:
        """Return whether something may be done on behalf of the page at ``url``; ``what`` is shown to the person."""
        if self._failure is not None:
            return False
        if self._confirm is agree or any(host.matches(urlsplit(url)) for host in self._trusted):
            return True
        question, known = self._secrets.redact(what), f"{what}\n{key}"
        if known not in self._known_refusals and self._refused_now < _MOST_REFUSALS:
            self.asked += 1
            try:
                if self._confirm(question):
                    return True
            except BaseException as error:  # raised again by take_refusals, not in the handler of an event
                self._failure = error
                if isinstance(error, (KeyboardInterrupt, SystemExit)):
                    raise
                return False
            self._refused_now += 1
            self._known_refusals.add(known)
        self._refusals.append(question)
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


def readable_body(body: str, content_type: str = "") -> str:
    """Return what a request would send in one line: the fields of a form, or the beginning of another text.

    The values of fields whose names are those of passwords, cards or tokens are hidden.
    """
    fields = _fields(body, content_type.lower())
    if fields is None:
        return _shortened(body)
    return _shortened(", ".join(f"{name}={HIDDEN if _SECRET_NAME.search(name) else value}" for name, value in fields))


def _fields(body: str, content_type: str) -> list[tuple[str, str]] | None:
    """Return the fields of a form or of a JSON object; None if the body is neither."""
    if "multipart/form-data" in content_type:
        parts = (_PART.search(part) for part in re.split(r"\r?\n?--[^\r\n]*\r?\n?", body))
        return [(part[1], f"the file {part[2]}" if part[2] is not None else part[3]) for part in parts if part]
    if "application/x-www-form-urlencoded" in content_type:
        return parse_qsl(body, keep_blank_values=True)
    try:
        found = json.loads(body)
    except ValueError:
        return None
    if not isinstance(found, dict):
        return None
    return [(name, value if isinstance(value, str) else json.dumps(value)) for name, value in found.items()]


def _shortened(text: str) -> str:
    line = " ".join("".join(char if char.isprintable() else " " for char in text).split())
    return line if len(line) <= _MAX_SHOWN else f"{line[:_MAX_SHOWN]}... ({len(line)} characters)"


def _place(url: str) -> str:
    """Return host, port and path of a URL, and that it has a query."""
    parts = urlsplit(url)
    port = f":{parts.port}" if parts.port else ""
    query = f"?{parts.query}" if parts.query else ""
    return _shortened(f"{parts.hostname}{port}{parts.path or '/'}{query}")


Record = Callable[[str], None]
