"""What a request would send, in one line for the person who is asked about it.

A short request is shown whole. Of a long one the names of all fields are shown, and the beginning and the end of each
value, so that nothing can be hidden after many other characters. Controls and invisible characters are made visible.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from readagent.core.controls import visible
from readagent.webnav.live.network_guard import bracketed
from readagent.webnav.live.secrets import HIDDEN

_WHOLE = 800  # characters that are shown without a gap
_MOST_FIELDS = 200
_SECRET_NAME = re.compile(
    r"pass(?:word|wd|phrase)?|pwd|\bpw\b|secret|token|csrf|xsrf|card|cvc|cvv|\bpin\b|iban|authorization|api-?key|cookie",
    re.IGNORECASE,
)
_PART = re.compile(r'name="([^"]*)"(?:; filename="([^"]*)")?[^\r\n]*\r?\n(?:[^\r\n]+\r?\n)*\r?\n(.*)', re.DOTALL)
_PAIRS = re.compile(r"(?:^|&)[\w.\[\]-]+=")
_OWN_HEADERS = re.compile(  # those that the browser sets itself
    r"(?:accept(?:-encoding|-language)?|content-(?:type|length)|origin|referer|user-agent|upgrade-insecure-requests|host|"
    r"connection|cache-control|pragma|cookie|priority|dnt|save-data|purpose|sec-.*|access-control-request-.*)",
    re.IGNORECASE,
)
_JOINERS = "\u200c\u200d"  # some scripts need them


def describe_request(
    method: str, url: str, body: str = "", content_type: str = "", headers: Mapping[str, str] | None = None
) -> str:
    """Return a request in one line: method, address, the headers that the page has set, and what it sends."""
    own = [(name, value) for name, value in (headers or {}).items() if _is_set_by_page(name, value)]
    sends = readable_body(body, content_type)
    added = f" (with {_listed(own)})" if own else ""
    return f"send {method} to {place(url)}{added}{f': {sends}' if sends else ''}"


def place(url: str) -> str:
    """Return host, port, path and query of a URL."""
    parts = urlsplit(url)
    port = f":{parts.port}" if parts.port else ""
    shown = shortened(f"{bracketed(parts.hostname or '')}{port}{parts.path or '/'}")
    if not parts.query:
        return shown
    if len(parts.query) <= _WHOLE:
        return f"{shown}?{one_line(parts.query)}"
    return f"{shown}?{_listed(parse_qsl(parts.query, keep_blank_values=True))}"


def readable_body(body: str, content_type: str = "") -> str:
    """Return what a request would send in one line: the fields of a form or of JSON, or another text.

    The values of fields whose names are those of passwords, cards or tokens are hidden.
    """
    fields = _fields(body, content_type.lower())
    return shortened(body) if fields is None else _listed(fields)


def shortened(text: str, whole: int = _WHOLE) -> str:
    """Return a text in one line, of a long one the beginning and the end."""
    line = one_line(text)
    if len(line) <= whole:
        return line
    first, last = whole // 2, whole // 3
    return f"{line[:first]}... ({len(line) - first - last:,} characters left out) ...{line[-last:]}"


def one_line(text: str) -> str:
    """Return a text with single spaces, in which every control and every invisible character can be seen."""
    return " ".join("".join(map(_seen, text)).split())


def _seen(char: str) -> str:
    if char.isprintable() or char in _JOINERS or char in "\t\n\r":
        return char
    return visible(char) if ord(char) < 0x80 else f"[U+{ord(char):04X}]"


def _is_set_by_page(name: str, value: str) -> bool:
    return not _OWN_HEADERS.fullmatch(name) and (name.lower(), value) != ("x-requested-with", "XMLHttpRequest")


def _listed(fields: Sequence[tuple[str, str]]) -> str:
    """Return fields with their values; if they are long, with the beginning and the end of each value."""
    shown = [(name, HIDDEN if _SECRET_NAME.search(name) else value) for name, value in fields]
    whole = one_line(", ".join(f"{name}={value}" for name, value in shown))
    if len(whole) <= _WHOLE:
        return whole
    parts = [f"{shortened(name, 60)}={shortened(value, 120)}" for name, value in shown]
    if (more := len(parts) - _MOST_FIELDS) > 0:
        half = _MOST_FIELDS // 2
        parts = [*parts[:half], f"... ({more:,} fields left out) ...", *parts[-half:]]
    return ", ".join(parts)


def _fields(body: str, content_type: str) -> list[tuple[str, str]] | None:
    """Return the fields of a form or of a JSON object; None if the body is neither."""
    if "multipart/form-data" in content_type:
        parts = (_PART.search(part) for part in re.split(r"\r?\n?--[^\r\n]*\r?\n?", body))
        return [(part[1], f"the file {part[2]}" if part[2] is not None else part[3]) for part in parts if part]
    if "application/x-www-form-urlencoded" in content_type:
        return parse_qsl(body, keep_blank_values=True)
    try:
        found = json.loads(body, object_pairs_hook=_Pairs)
    except (ValueError, RecursionError):
        return parse_qsl(body, keep_blank_values=True) if _PAIRS.search(body) and len(body) > _WHOLE else None
    if not isinstance(found, (_Pairs, list)) or (isinstance(found, list) and len(body) <= _WHOLE):
        return None
    return list(_leaves("", found))


class _Pairs(tuple[tuple[str, Any], ...]):
    """The members of a JSON object, also those with the same name."""

    __slots__ = ()


def _leaves(name: str, value: Any) -> Iterator[tuple[str, str]]:
    """Yield the values in a JSON value with their names, such as ``order.amount``."""
    if isinstance(value, (_Pairs, list)) and value:
        named = value if isinstance(value, _Pairs) else enumerate(value)
        for key, one in named:
            yield from _leaves(f"{name}.{key}" if name else str(key), one)
    else:
        yield name, value if isinstance(value, str) else json.dumps(value)
