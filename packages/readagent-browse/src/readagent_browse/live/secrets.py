"""Secrets: texts that only the browser receives. Prompts, traces and screenshots show a name in their place."""

from __future__ import annotations

import os
import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Literal

from readagent.errors import UsageError
from readagent_browse.live.secret_forms import MIN_LENGTH, TAG, SecretForms, Views
from readagent_browse.snapshot import ID_ATTRIBUTE

_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]*")
HIDDEN = "(hidden)"
# In HTML, as observe.js names it: the content of a field for secrets, which is never shown.
FIELD_ATTRIBUTE = f"{ID_ATTRIBUTE.removesuffix('id')}secret"
_IN_QUERY = r"""[^\s&=#"'<>]"""
_QUERY = re.compile(rf"(?<==){_IN_QUERY}*(?:&(?:amp;)?{_IN_QUERY}{{1,100}}={_IN_QUERY}*)+")
_QUERY_VALUE = re.compile(rf"(?:^|=)({_IN_QUERY}*)")
_VALUE = rf'[^>]*?\s(?:value|{FIELD_ATTRIBUTE})="([^"]*)"|<textarea\b[^>]*>([^<]*)'
_FIELD = re.compile(rf"<input\b{_VALUE}", re.IGNORECASE)
_BUTTON = r'[^>]*\stype="(?:button|checkbox|image|radio|reset|submit)"'
_TEXT_FIELD = re.compile(rf"<input\b(?!{_BUTTON}){_VALUE}", re.IGNORECASE)


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
        self._forms: dict[str, tuple[SecretForms, str]] = {}  # of each secret, and what replaces it
        for name, value in self._named.items():
            if not _NAME.fullmatch(name):
                raise UsageError(
                    f"{name!r} is not a valid name for a secret",
                    hint="use letters, digits and underscores, for example PASSWORD",
                )
            if len(value) < MIN_LENGTH:
                raise UsageError(f"the secret {name} is too short to be hidden: it needs {MIN_LENGTH} characters")
            self._forms.setdefault(value, (SecretForms(value), f"{{{name}}}"))

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
        if not self._forms:
            return text
        queries = _QUERY.sub(lambda found: self._redact_matches(found[0], _QUERY_VALUE), text)
        return self._replaced(queries, html=False)

    def redact_html(self, html: str) -> str:
        """Return HTML without secrets, also those whose letters are in several elements or fields; the tags stay.

        The attribute ``FIELD_ATTRIBUTE`` of fields is left out.
        """
        shown = self._redact_matches(self._redact_matches(html, _TEXT_FIELD), _FIELD, short=False)
        return self._replaced(self.redact(re.sub(rf' {FIELD_ATTRIBUTE}(?:="[^"]*")?', "", shown)), html=True)

    def redact_values(self, values: Sequence[str]) -> list[str]:
        """Return the values of fields that follow each other without secrets, also those in several of them."""
        return [self.redact(value) for value in self._without_pieces(values)]

    def _redact_matches(self, text: str, fields: re.Pattern[str], *, short: bool = True) -> str:
        """Return a text without the secrets that are in several of the values that a pattern captures."""
        found = [match.span(match.lastindex) for match in fields.finditer(text) if match.lastindex]
        values = self._without_pieces([text[start:end] for start, end in found], short=short)
        shown: list[str] = []
        done = 0
        for (start, end), value in zip(found, values, strict=True):
            shown += (text[done:start], value)
            done = end
        return "".join((*shown, text[done:]))

    def _without_pieces(self, values: Sequence[str], *, short: bool = True) -> list[str]:
        """Return values with a name in place of each piece of a secret that is in several of them."""
        pieces: list[list[tuple[int, int, str]]] = [[] for _ in values]
        for number, start, end, name in self._pieces(values, short=short) if len(values) > 1 else ():
            pieces[number].append((start, end, name))
        return [_with_placeholders(value, _merged(found)) for value, found in zip(values, pieces, strict=True)]

    def _pieces(self, values: Sequence[str], *, short: bool) -> Iterator[tuple[int, int, int, str]]:
        """Yield the pieces of secrets that are in several values: number of the value, start, end and the name.

        A short secret counts only if the values contain nothing else.
        """
        begins = [0, *accumulate(len(value) + 1 for value in values)]
        views = Views("\n".join(values))
        for forms, placeholder in self._forms.values():
            for start, end in forms.spans_in_values(views) if short or not forms.is_short else ():
                first, last = bisect_right(begins, start) - 1, bisect_right(begins, end - 1) - 1
                is_all = (start, end) == (begins[first], begins[last] + len(values[last]))
                if first == last or (forms.is_short and not is_all):
                    continue
                for number in range(first, last + 1):
                    inside = max(start - begins[number], 0), min(end - begins[number], len(values[number]))
                    if inside[0] < inside[1]:
                        yield number, *inside, placeholder

    def _replaced(self, text: str, *, html: bool) -> str:
        """Return a text with a name in place of each secret; in HTML also across tags, which follow the name."""
        if not self._forms:
            return text
        views = Views(text, html=html)
        spans = (
            (*span, placeholder)
            for forms, placeholder in self._forms.values()
            if not (html and forms.is_short)
            for span in forms.spans(views)
        )
        return _with_placeholders(text, _merged(spans), html=html)

    def is_in(self, text: str) -> bool:
        """Return whether a text contains a secret in a form that ``redact`` replaces."""
        return self.redact(text) != text

    def add_typed(self, value: str) -> None:
        """Redact a text that was typed into a secret field from now on."""
        if len(value) >= MIN_LENGTH and value not in self._forms:
            self._typed.append(value)
            self._forms[value] = SecretForms(value), HIDDEN

    def values(self) -> tuple[str, ...]:
        """Return the secrets themselves, to mask them in screenshots."""
        return (*self._named.values(), *self._typed)

    def has_placeholder(self, text: str) -> bool:
        """Return whether a redacted text contains the placeholder of a secret."""
        return HIDDEN in text or any(f"{{{name}}}" in text for name in self._named)


def _merged(spans: Iterable[tuple[int, int, str]]) -> list[tuple[int, int, str]]:
    """Return the places of secrets in order. Those that overlap are one, with the name of the longest."""
    merged: list[tuple[int, int, str]] = []
    longest = 0
    for start, end, placeholder in sorted(spans):
        if not merged or start >= merged[-1][1]:
            merged.append((start, end, placeholder))
            longest = end - start
            continue
        before = merged.pop()
        longer = end - start > longest
        merged.append((before[0], max(before[1], end), placeholder if longer else before[2]))
        longest = max(longest, end - start)
    return merged


def _with_placeholders(text: str, spans: Iterable[tuple[int, int, str]], *, html: bool = False) -> str:
    """Return a text with a name in place of each secret; in HTML, the tags within a secret follow the name."""
    shown: list[str] = []
    done = 0
    for start, end, placeholder in spans:
        shown += (text[done:start], placeholder, *(TAG.findall(text[start:end]) if html else ()))
        done = end
    return "".join((*shown, text[done:]))


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
