"""Secrets: what is typed at the keyboard only. Prompts, traces and screens show the name in its place."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping
from html import escape
from json import dumps
from urllib.parse import quote, quote_plus

from readagent.errors import UsageError

_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]*")
_SHORTEST = 4  # characters; a shorter text stands in a page for other reasons too
HIDDEN = "(hidden)"


class Secrets:
    """Named secrets, and texts that went into secret fields. ``{NAME}`` stands for a secret wherever it is seen."""

    def __init__(self, named: Mapping[str, str] | None = None) -> None:
        self._named = dict(named or {})
        self._typed: list[str] = []
        self._replacements: dict[str, str] = {}  # how a secret may be written, and what is shown instead
        for name, value in self._named.items():
            if not _NAME.fullmatch(name):
                raise UsageError(f"{name!r} cannot be the name of a secret", hint="letters and digits, as in PASSWORD")
            if len(value) < _SHORTEST:
                raise UsageError(f"the secret {name} is shorter than {_SHORTEST} characters, too short to be hidden")
            self._hide(value, f"{{{name}}}")

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self._named)

    def fill(self, text: str) -> str:
        """A text as it is typed: each ``{NAME}`` replaced by its secret."""
        return re.sub(r"\{(\w+)\}", lambda found: self._named.get(found[1], found[0]), text)

    def redact(self, text: str) -> str:
        """A text as it may be shown or kept."""
        for written in sorted(self._replacements, key=len, reverse=True):
            text = text.replace(written, self._replacements[written])
        return text

    def add_typed(self, value: str) -> None:
        """Hide a text that went into a secret field from now on, whoever it came from."""
        if len(value) >= _SHORTEST and value not in self._replacements:
            self._typed.append(value)
            self._hide(value, HIDDEN)

    def values(self) -> tuple[str, ...]:
        """The secrets themselves, for painting over them where a page shows them."""
        return (*self._named.values(), *self._typed)

    def has_placeholder(self, text: str) -> bool:
        """Whether a text that was made showable has the place of a secret in it."""
        return HIDDEN in text or any(f"{{{name}}}" in text for name in self._named)

    def _hide(self, value: str, shown: str) -> None:
        collapsed = " ".join(value.split())
        for text in dict.fromkeys((value, collapsed)):
            for written in (text, escape(text), escape(text, quote=False), quote(text, safe=""), quote_plus(text),
                            quote(text), dumps(text)[1:-1], dumps(text, ensure_ascii=False)[1:-1]):  # fmt: skip
                self._replacements.setdefault(written, shown)


def secrets_from_env(pairs: Iterable[str], environ: Mapping[str, str] | None = None) -> dict[str, str]:
    """The secrets of ``NAME=ENVVAR`` pairs: the values are in the environment, never on the command line."""
    environ = os.environ if environ is None else environ
    named: dict[str, str] = {}
    for pair in pairs:
        name, equals, variable = pair.partition("=")
        if not equals or not variable:
            raise UsageError(f"{pair!r} does not name a secret", hint="as in --secret PASSWORD=SHOP_PASSWORD")
        if not environ.get(variable):
            raise UsageError(f"there is nothing in the environment variable {variable}", hint=f"export {variable}")
        named[name] = environ[variable]
    return named
