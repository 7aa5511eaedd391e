"""How a file with e-mail begins. Every text is checked for that, so this module loads nothing that parses mail."""

from __future__ import annotations

import re

EMLX = re.compile(rb"\s*([0-9]{1,9})[ \t]*\r?\n")  # Apple Mail writes the length of the message before it
_LINE_END = re.compile(rb"\r+\n|\r")  # some programs write two carriage returns
_HEADER = re.compile(rb"(?:From [^\n]*\n)?(?:[!-9;-~]+:[^\n]*\n(?:[ \t][^\n]*\n)*)+")
_FIELD = re.compile(rb"^([!-9;-~]+):", re.MULTILINE)
_TELLING = frozenset({b"message-id", b"received", b"mime-version", b"return-path", b"delivered-to", b"x-mailer"})


def with_line_feeds(data: bytes) -> bytes:
    """Return the data with line feeds as line ends; old programs write carriage returns alone."""
    return _LINE_END.sub(b"\n", data) if b"\r" in data else data


def looks_like_mail(data: bytes, *, declared: bool) -> bool:
    """Whether these bytes begin with the headers of a message. A declared message may have fewer of them."""
    opening = with_line_feeds(data[:65_536]).lstrip(b"\xef\xbb\xbf\n ")
    if emlx := EMLX.match(opening):
        opening = opening[emlx.end() :]
    head = _HEADER.match(opening)
    names = {name.lower() for name in _FIELD.findall(head[0])} if head else set()
    if declared:
        return bool(names & {b"from", b"to", b"subject", b"date", b"message-id", b"received", b"content-type"})
    return b"from" in names and bool(names & _TELLING) and bool(names & {b"subject", b"date", b"to"})
