"""What a request would send, for the person who is asked about it: a short one whole, a long one as a private file.

Controls and invisible characters are made visible. Nothing but secrets is left out.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from itertools import count
from pathlib import Path
from urllib.parse import unquote, urlsplit

from readagent.core.escaping import visible
from readagent.private import make_folder, opener
from readagent_browse.live.origin import origin_text
from readagent_browse.live.secrets import Secrets

UNSEEN = "\udfff"  # in a body: data that the browser does not show, such as a file on the disk
_WHOLE = 800  # characters of a question
_BEGINNING = 300  # characters that are shown of a longer one
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
_JOINERS = "\u200c\u200d"  # some scripts need them
_SURROGATE = re.compile("[\ud800-\udffe]")
_LETTERS = re.compile(r"(?:%[89A-Fa-f][0-9A-Fa-f])+")  # percent-encoded, and none that a form or an address needs
_NONE = Secrets()


def describe_request(
    method: str, url: str, body: str = "", headers: Mapping[str, str] | None = None,
    secrets: Secrets = _NONE, folder: Path | None = None,
) -> str:  # fmt: skip
    """Return a request in one line: method, address, the headers that the page has set, and what it sends.

    A long request is written into a new file in ``folder``, and the line has its beginning and the path of the file.
    """
    own = {name: value for name, value in (headers or {}).items() if _is_set_by_page(name, value)}
    head = f" (with {', '.join(f'{name}: {value}' for name, value in own.items())})" if own else ""
    text = _LETTERS.sub(lambda found: unquote(found[0], errors="replace"), secrets.redact(as_text(body)))
    whole = f"{place(url, secrets)}{secrets.redact(head)}{f': {text}' if text else ''}"
    line = f"send {method} to {one_line(whole)}"
    if len(line) <= _WHOLE or folder is None:
        return line
    headed = "\n".join((f"{method} {place(url, secrets)}", *(f"{name}: {own[name]}" for name in own)))
    make_folder(folder)
    file = next(one for n in count(1) if not (one := folder / f"request-{n:02d}.txt").exists())
    with open(file, "x", encoding="utf-8", errors="replace", opener=opener) as stream:
        stream.write(f"{secrets.redact(headed)}\n\n{''.join(map(_seen, text))}\n")
    return f"{line[:_BEGINNING]}... (all {len(line):,} characters are in {file})"


def place(url: str, secrets: Secrets = _NONE) -> str:
    """Return origin, path and query of a URL, without secrets in path and query."""
    parts = urlsplit(url)
    query = f"?{secrets.redact(parts.query)}" if parts.query else ""
    return f"{origin_text(url)}{secrets.redact(parts.path or '/')}{query}"


def as_text(body: str) -> str:
    """Return a body with bytes that are no text written as numbers."""
    return _SURROGATE.sub(_number, body).replace(UNSEEN, "(data that cannot be shown)")


def _number(found: re.Match[str]) -> str:
    code = ord(found[0])
    return f"\\x{code - 0xDC00:02x}" if 0xDC80 <= code <= 0xDCFF else f"\\u{code:04x}"


def shortened(text: str, whole: int = _WHOLE) -> str:
    """Return a text in one line, of a long one the beginning and the end."""
    line = one_line(text)
    first, last = whole // 2, whole // 3
    left_out = len(line) - first - last
    return line if len(line) <= whole else f"{line[:first]}... ({left_out:,} characters left out) ...{line[-last:]}"


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
