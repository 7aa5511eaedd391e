"""Who asks: the credentials that are sent on, and a name that keeps the memories of callers apart.

A caller's key is never kept. Its name is a hash of the key with a secret of this library, which nobody can turn back.
"""

from __future__ import annotations

import hashlib
import hmac
import re
import secrets
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import takewhile
from typing import Literal

from starlette.datastructures import Headers

from readagent.library import Library
from readagent.models.hosts import bearer_token, same_secret
from readagent.models.refusal import SHORT_KEY, without_key

_ALWAYS = frozenset({"connection", "keep-alive", "proxy-authenticate", "proxy-authorization", "proxy-connection", "te",
                     "trailer", "transfer-encoding", "upgrade"})  # fmt: skip


def for_one_connection(headers: Iterable[tuple[str, str]]) -> frozenset[str]:
    """Return the names of such headers in lower case: the usual ones, and those that ``Connection`` names."""
    named = (value.split(",") for name, value in headers if name.lower() == "connection")
    return _ALWAYS.union(name.strip().lower() for names in named for name in names)


KeyFrom = Literal["caller", "server"]
TOKEN_HEADER = "x-readagent-token"
_CREDENTIAL = re.compile(r"(?:^|[-_])(?:auth|authorization|apikey|key|secret|token)$")  # in names of headers
_NO_CREDENTIALS = ("idempotency-key", "x-idempotency-key")
_KEYS = ("authorization", "api-key", "x-api-key", "x-goog-api-key")  # of these the server gets the first
_SECRET = "secret of the proxy"
_PART = 16  # characters of a key that are no accident


def is_credential(name: str) -> bool:
    """Whether a header, or a parameter in an address, has a key by its name: Authorization, api-key, x-auth-token."""
    name = name.lower()
    no = name.startswith("sec-") or name in (*_NO_CREDENTIALS, TOKEN_HEADER)
    return bool(_CREDENTIAL.search(name)) and not no


@dataclass(frozen=True, slots=True)
class Caller:
    """A caller: a name that says nothing about the key, and the headers with the key that the server gets."""

    name: str
    credentials: Sequence[tuple[str, str]] = field(default=(), repr=False)
    is_ours: bool = False  # the key is that of the proxy, which callers must not see

    @property
    def key(self) -> str | None:
        """The key in the credentials; None if there is none, or not in the usual form."""
        return bearer_token(dict(self.credentials).get("authorization", "")) or None

    def hide(self, text: str) -> str:
        """Return a text in one line, without the credentials, also where the end of one was cut off."""
        for secret in self._secrets():
            text = without_key(text, secret)
            while len(secret) > _PART and (at := text.find(secret[:_PART])) >= 0:
                rest = zip(text[at:], secret, strict=False)
                text = f"{text[:at]}[key]{text[at + sum(1 for _ in takewhile(_are_equal, rest)) :]}"
        return text

    def hide_bytes(self, body: bytes) -> bytes:
        """Return a body without the credentials; a short one is replaced only where it is a whole word."""
        for secret in self._secrets():
            wanted = re.escape(secret.encode("latin-1", "replace"))
            body = re.sub(wanted if len(secret) >= SHORT_KEY else rb"(?<!\w)%b(?!\w)" % wanted, b"[key]", body)
        return body

    def _secrets(self) -> list[str]:
        """Return the credentials, the longest first."""
        values = (bearer_token(value) or value for _, value in self.credentials)
        return sorted({value.strip() for value in values if value.strip()}, key=len, reverse=True)


class Callers:
    """Tells callers apart. ``own_key`` is ours for the server, and ``token`` what callers need for the proxy itself."""

    def __init__(self, library: Library, key_from: KeyFrom, own_key: str | None, token: str = "") -> None:
        self._library, self._key_from, self._token = library, key_from, token
        self._own = (("authorization", f"Bearer {own_key}"),) if own_key else ()
        self._secret: bytes | None = None

    def caller(self, headers: Headers) -> Caller:
        """Return who sent a request. Its key is used if there is one and it may be; otherwise ours; never both."""
        dropped = for_one_connection(headers.items())
        found = ((name, value) for name, value in headers.items() if is_credential(name) and name not in dropped)
        given = tuple((name, value) for name, value in found if value.strip())
        theirs = tuple(one for one in given if not (one[0] == "authorization" and self.is_token(one[1])))
        sent = _with_one_key(theirs) if theirs and self._key_from == "caller" else self._own
        return Caller(self._name(given), sent, is_ours=sent is self._own)

    def is_token(self, authorization: str) -> bool:
        """Whether an Authorization header has the token of the proxy, and no key of a caller."""
        return bool(self._token) and same_secret(bearer_token(authorization), self._token)

    def _name(self, given: Sequence[tuple[str, str]]) -> str:
        """Return the name of a caller; that of callers without a key is the same for all of them."""
        if not given:
            return "nobody"
        if self._secret is None:
            self._secret = self._kept_secret()
        whole = "\0".join(f"{name}\0{value.strip()}" for name, value in sorted(given))
        return hmac.new(self._secret, whole.encode("utf-8", "surrogateescape"), hashlib.sha256).hexdigest()[:20]

    def _kept_secret(self) -> bytes:
        kept = self._library.facts(_SECRET)
        if kept is None:
            kept = secrets.token_bytes(32)
            self._library.keep_facts(_SECRET, kept)
            kept = self._library.facts(_SECRET) or kept
        return kept


def _with_one_key(given: Sequence[tuple[str, str]]) -> tuple[tuple[str, str], ...]:
    """Return the credentials with one key for the server; those for a gateway, with other names, are kept."""
    keys = sorted((one for one in given if one[0] in _KEYS), key=lambda one: _KEYS.index(one[0]))
    return (*keys[:1], *(one for one in given if one[0] not in _KEYS))


def _are_equal(pair: tuple[str, str]) -> bool:
    return pair[0] == pair[1]
