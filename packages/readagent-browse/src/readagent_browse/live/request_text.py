"""What a request would send, in one line for the person who is asked about it.

A short request is shown whole. Of a long one the names of the fields are shown, and the beginning and the end of each
value, so that nothing can be hidden after many other characters. Names and values that could be taken for other fields
are quoted. Controls and invisible characters are made visible.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from urllib.parse import parse_qsl, urlsplit

from readagent.core.escaping import visible
from readagent_browse.live.network_guard import bracketed
from readagent_browse.live.request_fields import (
    UNSEEN,
    Field,
    as_text,
    graphql_operations,
    is_json,
    redacted_fields,
    request_fields,
    unpacked,
)
from readagent_browse.live.secrets import HIDDEN, Secrets

_WHOLE = 800  # characters that are shown without a gap
_MOST_OF_VALUE = 120
_MOST_FIELDS = 200
_MOST_OPERATIONS = 20
_SECRET_NAME = re.compile(
    r"pass(?:word|wd|phrase)?|pwd|\bpw\b|secret|token|csrf|xsrf|card|cvc|cvv|\bpin\b|iban|authorization|api-?key|cookie",
    re.IGNORECASE,
)
_OWN_HEADERS = re.compile(  # those that the browser sets itself
    r"(?:accept-encoding|content-length|origin|referer|user-agent|upgrade-insecure-requests|host|"
    r"connection|cache-control|pragma|cookie|priority|dnt|save-data|purpose|sec-.*|access-control-request-.*)",
    re.IGNORECASE,
)
_USUAL_VALUES = {  # of headers that the browser sets and the page may set
    "x-requested-with": re.compile("XMLHttpRequest"),
    "accept": re.compile(
        r"(?:(?:\*/\*|text/(?:html|plain)|application/(?:json|xhtml\+xml|xml|signed-exchange)|image/(?:jxl|avif|webp|apng))"
        r"(?:;v=b3)?(?:;q=[01]\.\d)?(?:, ?|$))+"
    ),
    "content-type": re.compile(
        r"(?:application/(?:json|x-www-form-urlencoded)|text/plain)(?:; ?charset=utf-8)?"
        r"|multipart/form-data; boundary=----WebKitFormBoundary\w{16}",
        re.IGNORECASE,
    ),
}
_PLACEHOLDER = re.compile(rf"\{{\w+\}}|{re.escape(HIDDEN)}")
_NONE = Secrets()
_JOINERS = "\u200c\u200d"  # some scripts need them
_NOT_PLAIN = re.compile(r'[,="()]')


def describe_request(
    method: str, url: str, body: str = "", content_type: str = "", headers: Mapping[str, str] | None = None,
    secrets: Secrets = _NONE,
) -> str:  # fmt: skip
    """Return a request in one line: method, address, the headers that the page has set, and what it sends."""
    own = [Field((name,), value) for name, value in (headers or {}).items() if _is_set_by_page(name, value)]
    sends = readable_body(body, content_type, secrets)
    added = f" (with {_listed(own, secrets)})" if own else ""
    return f"send {method} to {place(url, secrets)}{added}{f': {sends}' if sends else ''}"


def place(url: str, secrets: Secrets = _NONE) -> str:
    """Return host, port, path and query of a URL, without secrets in path and query."""
    parts = urlsplit(url)
    port = f":{parts.port}" if parts.port else ""
    path, query = secrets.redact(parts.path or "/"), secrets.redact(parts.query)
    shown = shortened(f"{bracketed(parts.hostname or '')}{port}{path}")
    if not query:
        return shown
    if len(query) <= _WHOLE:
        return f"{shown}?{one_line(query)}"
    fields = [Field((name,), value) for name, value in parse_qsl(query, keep_blank_values=True)]
    return f"{shown}?{_listed(fields, secrets)}"


def readable_body(body: str, content_type: str = "", secrets: Secrets = _NONE) -> str:
    """Return what a request would send in one line: the fields of a form or of JSON, or another text.

    The values of fields whose names are those of passwords, cards or tokens are hidden. A name that contains a secret
    is not such a name: with it, a page could hide any value.
    """
    body = unpacked(body)
    fields = request_fields(body, content_type, secrets)
    if fields is not None:
        return _listed(fields, secrets)
    text = secrets.redact(as_text(body))
    if "graphql" in content_type.lower() and (operations := _operations(text)):
        return operations
    return shortened(text) if body == UNSEEN or is_json(body) else _quoted(text, _WHOLE)


def shortened(text: str, whole: int = _WHOLE) -> str:
    """Return a text in one line, of a long one the beginning and the end."""
    return _cut(one_line(text), whole, quotes=False)


def _quoted(text: str, whole: int) -> str:
    """Return a text like ``shortened``, in quotes if it could be taken for fields."""
    line = one_line(text)
    return _cut(line, whole, quotes=_NOT_PLAIN.search(line) is not None and line != HIDDEN)


def _cut(line: str, whole: int, *, quotes: bool) -> str:
    mark = _in_quotes if quotes else str
    if len(line) <= whole:
        return mark(line)
    first, last = whole // 2, whole // 3
    return f"{mark(line[:first])}... ({len(line) - first - last:,} characters left out) ...{mark(line[-last:])}"


def _in_quotes(line: str) -> str:
    """Return a text in quotes; a backslash stands before a quote in it, and is doubled only there."""
    return '"' + re.sub(r'(\\+)(?="|$)', r"\1\1", line).replace('"', '\\"') + '"'


def one_line(text: str) -> str:
    """Return a text with single spaces, in which every control and every invisible character can be seen."""
    return " ".join("".join(map(_seen, text)).split())


def _seen(char: str) -> str:
    if char.isprintable() or char in _JOINERS or char in "\t\n\r":
        return char
    return visible(char) if ord(char) < 0x80 else f"[U+{ord(char):04X}]"


def _is_set_by_page(name: str, value: str) -> bool:
    usual = _USUAL_VALUES.get(name.lower())
    return not _OWN_HEADERS.fullmatch(name) and not (usual and usual.fullmatch(value))


def _listed(fields: Sequence[Field], secrets: Secrets) -> str:
    """Return fields with their values; if they are long, with the beginning and the end of each value."""
    more, half = len(fields) - _MOST_FIELDS, _MOST_FIELDS // 2
    some = fields if more <= 0 else [*fields[:half], *fields[-half:]]
    shown = redacted_fields(some, secrets)
    parts = [_shown(field, _WHOLE) for field in shown]
    if sum(map(len, parts)) + 2 * len(parts) > _WHOLE + 2:
        parts = [_shown(field, _MOST_OF_VALUE) for field in shown]
    if more > 0:
        parts.insert(half, f"... ({more:,} fields left out) ...")
    return ", ".join(parts)


def _shown(field: Field, most: int) -> str:
    name = ".".join(_shown_name(one, most // 2) for one in field.path)
    name = _quoted(name, most) if len(name) > most else name
    if any(_SECRET_NAME.search(_PLACEHOLDER.sub("", one)) for one in field.path):
        return f"{name}={HIDDEN}"
    if field.file is not None:
        return f"{name}={_shown_file(field, most)}"
    operations = _operations(field.value) if len(field.value) > most and field.path[-1] == "query" else ""
    return f"{name}={operations or _quoted(field.value, most)}"


def _shown_name(name: str, most: int) -> str:
    line = one_line(name)
    return _cut(line, most, quotes="." in line or _NOT_PLAIN.search(line) is not None)


def _shown_file(field: Field, most: int) -> str:
    kind = f", {_quoted(field.file_type, most)}" if field.file_type else ""
    name = f"file {_in_quotes(shortened(field.file or '', most))}{kind}"
    if field.size is None:
        return f"({name}, from the disk)"
    return f"({name}, {field.size:,} bytes: {_in_quotes(shortened(field.value, most))})"


def _operations(text: str) -> str:
    """Return the operations of a GraphQL text, the beginning and the end of each; empty if it is another text."""
    operations = graphql_operations(text)
    more, half = len(operations) - _MOST_OPERATIONS, _MOST_OPERATIONS // 2
    some = operations if more <= 0 else [*operations[:half], *operations[-half:]]
    parts = [_cut(one_line(one), _MOST_OF_VALUE, quotes=True) for one in some]
    if more > 0:
        parts.insert(half, f"... ({more:,} left out) ...")
    return f"(GraphQL: {', '.join(parts)})" if parts else ""
