"""Secrets: texts that only the browser receives. Prompts, traces and screenshots show a name in their place."""

from __future__ import annotations

import os
import re
from base64 import b64encode, urlsafe_b64encode
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from html import escape
from json import dumps
from typing import Literal
from urllib.parse import quote, quote_plus

from readagent.errors import UsageError

_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]*")
_MIN_LENGTH = 4  # characters; shorter texts also occur in a page for other reasons
HIDDEN = "(hidden)"


@dataclass(frozen=True, slots=True)
class Secret:
    """A secret and where it may be typed: on which host, and into which kind of field.

    An empty ``host`` is the host of the start address. ``field`` is ``"secret"`` for fields for passwords, card numbers
    and one-time codes, and ``"any"`` for every field.
    """

    value: str
    host: str = ""
    field: Literal["secret", "any"] = "secret"


class Secrets:
    """Named secrets, shown as ``{NAME}``, and texts typed into secret fields, shown as ``(hidden)``.

    A secret that is given as a text belongs to the host ``home`` and to fields for secrets.
    """

    def __init__(self, named: Mapping[str, str | Secret] | None = None, home: str = "") -> None:
        given = {name: Secret(one) if isinstance(one, str) else one for name, one in (named or {}).items()}
        self._places = {name: (one.host or home, one.field) for name, one in given.items()}
        self._named = {name: one.value for name, one in given.items()}
        self._typed: list[str] = []
        self._replacements: dict[str, str] = {}  # each spelling of a secret, and what replaces it
        for name, value in self._named.items():
            if not _NAME.fullmatch(name):
                raise UsageError(
                    f"{name!r} is not a valid name for a secret",
                    hint="use letters, digits and underscores, for example PASSWORD",
                )
            if len(value) < _MIN_LENGTH:
                raise UsageError(f"the secret {name} is too short to be hidden: it needs {_MIN_LENGTH} characters")
            self._hide(value, f"{{{name}}}")

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the secrets."""
        return tuple(self._named)

    def fill(self, text: str) -> str:
        """Return the text to type: each ``{NAME}`` replaced by its secret."""
        return re.sub(r"\{(\w+)\}", lambda found: self._named.get(found[1], found[0]), text)

    def misplaced(self, text: str, host: str, *, secret_field: bool) -> str:
        """Return why a text must not be typed into a field on this host; empty if it may be."""
        for name in re.findall(r"\{(\w+)\}", text):
            own_host, kind = self._places.get(name, (host, "any"))
            if host != own_host:
                return f"{{{name}}} belongs to {own_host} and is not typed on {host or 'a page without a host'}"
            if kind == "secret" and not secret_field:
                return f"{{{name}}} is typed only into fields for passwords, card numbers and one-time codes"
        return ""

    def redact(self, text: str) -> str:
        """Return a text without secrets, to be shown or stored."""
        for spelling in sorted(self._replacements, key=len, reverse=True):
            text = text.replace(spelling, self._replacements[spelling])
        return text

    def add_typed(self, value: str) -> None:
        """Redact a text that was typed into a secret field from now on."""
        if len(value) >= _MIN_LENGTH and value not in self._replacements:
            self._typed.append(value)
            self._hide(value, HIDDEN)

    def values(self) -> tuple[str, ...]:
        """Return the secrets themselves, to mask them in screenshots."""
        return (*self._named.values(), *self._typed)

    def has_placeholder(self, text: str) -> bool:
        """Return whether a redacted text contains the placeholder of a secret."""
        return HIDDEN in text or any(f"{{{name}}}" in text for name in self._named)

    def _hide(self, value: str, placeholder: str) -> None:
        collapsed = " ".join(value.split())
        for text in dict.fromkeys((value, collapsed)):
            for spelling in _spellings(text):
                self._replacements.setdefault(spelling, placeholder)


def _spellings(text: str) -> Iterator[str]:
    """Yield the forms in which a text can occur in pages, addresses, requests and files."""
    encoded = (quote(text, safe=""), quote_plus(text), quote(text))
    yield from (text, escape(text), escape(text, quote=False), *encoded)
    yield from (re.sub("%[0-9A-F]{2}", lambda found: found[0].lower(), one) for one in encoded)
    yield from (quote(one, safe="") for one in encoded)  # encoded twice
    yield from (dumps(text)[1:-1], dumps(text, ensure_ascii=False)[1:-1])
    yield from (dumps(dumps(text)[1:-1])[1:-1], escape(dumps(text)[1:-1]))
    data = text.encode()
    yield from (data.hex(), data.hex().upper())
    for skipped in range(3):  # base64 has three forms, by the place of the text in what is encoded
        first, last = (4 * skipped + 2) // 3 if skipped else 0, (len(data) + skipped) * 4 // 3
        for encode in (b64encode, urlsafe_b64encode):
            inner = encode(b"\0" * skipped + data).decode()[first:].rstrip("=")[: last - first]
            if len(inner) >= _MIN_LENGTH:
                yield inner


def secrets_from_env(pairs: Iterable[str], environ: Mapping[str, str] | None = None) -> dict[str, str | Secret]:
    """Return the secrets named by ``NAME=ENVVAR`` pairs; their values never appear on the command line.

    ``NAME@HOST=ENVVAR`` is for another host than that of the start address, ``NAME:any=ENVVAR`` for fields of any kind.
    """
    environ = os.environ if environ is None else environ
    named: dict[str, str | Secret] = {}
    for pair in pairs:
        what, equals, variable = pair.partition("=")
        if not equals or not variable:
            raise UsageError(f"{pair!r} is not of the form NAME=ENVVAR", hint="for example PASSWORD=SHOP_PASSWORD")
        if not environ.get(variable):
            raise UsageError(f"the environment variable {variable} is not set or empty", hint=f"export {variable}=...")
        anywhere = what.endswith(":any")
        name, _, host = what.removesuffix(":any").partition("@")
        named[name] = Secret(environ[variable], host.lower(), "any" if anywhere else "secret")
    return named
