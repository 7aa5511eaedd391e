"""Secrets: texts that only the browser receives. Prompts, traces and screenshots show a name in their place.

A secret is recognised as it is, percent-encoded, as HTML entities or escapes of JSON, in any mixture of these, and in
base64.
"""

from __future__ import annotations

import os
import re
from base64 import b64encode, urlsafe_b64encode
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from html.entities import html5
from typing import Literal

from readagent.errors import UsageError
from readagent_browse.live.origin import Origin

MIN_LENGTH = 4  # characters; shorter texts also occur in a page for other reasons
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]*")
_PLACEHOLDER = re.compile(r"\{(\w+)\}")
HIDDEN = "(hidden)"


@dataclass(frozen=True, slots=True)
class Secret:
    """A secret and where it may be typed: on which host, and into which kind of field.

    An empty ``host`` is the origin of the start address; without ``http://`` it means https. ``field`` is ``"secret"``
    for fields for passwords, card numbers and one-time codes, and ``"any"`` for every field.
    """

    value: str
    host: str = ""
    field: Literal["secret", "any"] = "secret"


class Secrets:
    """Named secrets, shown as ``{NAME}``, and texts typed into secret fields, shown as ``(hidden)``.

    A secret that is given as a text belongs to the origin ``home`` and to fields for secrets.
    """

    def __init__(self, named: Mapping[str, str | Secret] | None = None, home: Origin | None = None) -> None:
        given = {name: Secret(one) if isinstance(one, str) else one for name, one in (named or {}).items()}
        self._places = {name: (Origin.parse(one.host) if one.host else home, one.field) for name, one in given.items()}
        self._named = {name: one.value for name, one in given.items()}
        self._shown: dict[str, str] = {}  # what replaces each secret
        for name, value in self._named.items():
            if not _NAME.fullmatch(name):
                raise UsageError(
                    f"{name!r} is not a valid name for a secret",
                    hint="use letters, digits and underscores, for example PASSWORD",
                )
            if len(value) < MIN_LENGTH:
                raise UsageError(f"the secret {name} is too short to be hidden: it needs {MIN_LENGTH} characters")
            self._shown.setdefault(value, f"{{{name}}}")
        self._pattern = self._compiled()

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the secrets."""
        return tuple(self._named)

    @property
    def pattern(self) -> str:
        """The expression that finds every secret, also in JavaScript; empty if there are none."""
        return "|".join(f"(?:{_forms(value)})" for value in self._by_length())

    def fill(self, text: str) -> str:
        """Return the text to type: each ``{NAME}`` replaced by its secret."""
        return _PLACEHOLDER.sub(lambda found: self._named.get(found[1], found[0]), text)

    def misplaced(self, text: str, origin: str, *, secret_field: bool) -> str:
        """Return why a text must not be typed into a field of a page from this origin; empty if it may be."""
        here = Origin.of(origin)
        for name in _PLACEHOLDER.findall(text):
            own, kind = self._places.get(name, (here, "any"))
            if name in self._places and (own is None or here is None or not own.covers(here)):
                return f"{{{name}}} belongs to {own} and is not typed on {here or 'a page without a host'}"
            if kind == "secret" and not secret_field:
                return f"{{{name}}} is typed only into fields for passwords, card numbers and one-time codes"
        return ""

    def redact(self, text: str) -> str:
        """Return a text without secrets, to be shown or stored."""
        if self._pattern is None:
            return text
        shown = [self._shown[value] for value in self._by_length()]
        return self._pattern.sub(lambda found: shown[(found.lastindex or 1) - 1], text)

    def add_typed(self, value: str) -> None:
        """Redact a text that was typed into a secret field from now on."""
        if len(value) >= MIN_LENGTH and value not in self._shown:
            self._shown[value] = HIDDEN
            self._pattern = self._compiled()

    def _by_length(self) -> list[str]:
        """Return the secrets, the longest first: it may contain another one."""
        return sorted(self._shown, key=len, reverse=True)

    def _compiled(self) -> re.Pattern[str] | None:
        return re.compile("|".join(f"({_forms(value)})" for value in self._by_length())) if self._shown else None


_ENTITIES: dict[str, list[str]] = {}
for _entity, _text in html5.items():
    _ENTITIES.setdefault(_text, []).append(_entity.removesuffix(";"))


def _forms(value: str) -> str:
    """Return the expression for the forms of one secret."""
    return "|".join(("".join(map(_character, " ".join(value.split()))), *map(re.escape, dict.fromkeys(_base64(value)))))


def _character(char: str) -> str:
    """Return the expression for a character as it is, percent-encoded, as an entity or as an escape of JSON."""
    number = ord(char)
    percent = "".join(f"%{_digits(f'{byte:02x}')}" for byte in char.encode("utf-8", "surrogatepass"))
    forms = [percent, rf"&#0*{number};?", rf"&#[xX]0*{_digits(f'{number:x}')};?"]
    forms += [rf"&{name};?" for name in dict.fromkeys(_ENTITIES.get(char, ()))]
    units = char.encode("utf-16-be", "surrogatepass").hex()
    forms.append("".join(rf"\\u{_digits(units[at : at + 4])}" for at in range(0, len(units), 4)))
    if char in '"\\/':
        forms.append(re.escape(f"\\{char}"))
    if char == " ":
        return r"(?:(?:\s|%20|&nbsp;|&#0*(?:32|160);?|&#[xX]0*(?:20|[aA]0);?)+|\+)"
    return f"(?:{'|'.join(forms)}|{re.escape(char)})"  # the longer forms come first


def _digits(number: str) -> str:
    """Return the expression for a hexadecimal number in small or capital letters."""
    return "".join(f"[{digit}{digit.upper()}]" if digit.isalpha() else digit for digit in number)


def _base64(value: str) -> Iterator[str]:
    """Yield the three forms of base64, by the place in what is encoded: the letters that tell nothing else."""
    data = value.encode("utf-8", "surrogatepass")
    for skipped in range(3):
        for encode in (b64encode, urlsafe_b64encode):
            inner = encode(b"\0" * skipped + data).decode()[-(-8 * skipped // 6) : 8 * (skipped + len(data)) // 6]
            if len(inner) >= MIN_LENGTH:
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
