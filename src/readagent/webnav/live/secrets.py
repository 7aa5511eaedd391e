"""Secrets: texts that only the browser receives. Prompts, traces and screenshots show a name in their place."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping
from html import escape
from json import dumps
from urllib.parse import quote, quote_plus

from readagent.errors import UsageError

_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]*")
_MIN_LENGTH = 4  # characters; shorter texts also occur in a page for other reasons
HIDDEN = "(hidden)"


class Secrets:
    """Named secrets, shown as ``{NAME}``, and texts typed into secret fields, shown as ``(hidden)``."""

    def __init__(self, named: Mapping[str, str] | None = None) -> None:
        self._named = dict(named or {})
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
            for spelling in (text, escape(text), escape(text, quote=False), quote(text, safe=""), quote_plus(text),
                             quote(text), dumps(text)[1:-1], dumps(text, ensure_ascii=False)[1:-1]):  # fmt: skip
                self._replacements.setdefault(spelling, placeholder)


def secrets_from_env(pairs: Iterable[str], environ: Mapping[str, str] | None = None) -> dict[str, str]:
    """Return the secrets named by ``NAME=ENVVAR`` pairs; their values never appear on the command line."""
    environ = os.environ if environ is None else environ
    named: dict[str, str] = {}
    for pair in pairs:
        name, equals, variable = pair.partition("=")
        if not equals or not variable:
            raise UsageError(f"{pair!r} is not of the form NAME=ENVVAR", hint="for example PASSWORD=SHOP_PASSWORD")
        if not environ.get(variable):
            raise UsageError(f"the environment variable {variable} is not set or empty", hint=f"export {variable}=...")
        named[name] = environ[variable]
    return named
