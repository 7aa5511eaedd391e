"""One e-mail message: who wrote it to whom, when and about what, its text, and the names of its attachments."""

from __future__ import annotations

import re
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.header import decode_header, make_header
from email.message import Message
from email.parser import BytesParser
from email.utils import getaddresses, parsedate_to_datetime

from readagent.errors import LoadError
from readagent.loaders.mail.body import (
    PART_ERRORS,
    Passage,
    html_passages,
    is_text,
    plain_passages,
    text_of,
)

Person = tuple[str, str]  # a name and an address, one of which may be empty

_ID = re.compile(r"<[^<>\s]{1,300}>")
_MAX_DEPTH = 20  # of messages and parts within each other
_LESS_THAN_HTML = 0.5  # a plain text with fewer words than this share of the HTML text is not the same text
_NAMED_ONLY = frozenset({
    "text/calendar", "text/css", "text/directory", "text/javascript", "text/rfc822-headers", "text/vcard",
    "text/x-vcard",
})  # fmt: skip  # texts for programs, which are named as attachments are


@dataclass(slots=True)
class Mail:
    """A message. ``moment`` is its time for sorting, ``references`` are the ids of earlier messages."""

    subject: str = ""
    senders: tuple[Person, ...] = ()
    recipients: tuple[Person, ...] = ()
    date: str = ""
    moment: float = 0
    id: str = ""
    references: tuple[str, ...] = ()
    passages: list[Passage] = field(default_factory=list)
    attachments: list[str] = field(default_factory=list)
    enclosed: list[Mail] = field(default_factory=list)


def mail_of(data: bytes, name: str) -> Mail:
    """Return the message in these bytes."""
    try:
        return _mail(BytesParser().parsebytes(data), name, 0)
    except RecursionError:
        raise LoadError(f"{name} is nested too deeply", hint="save the message again, or as plain text") from None


def _mail(message: Message, name: str, depth: int) -> Mail:
    headers = _headers(message)
    moment = _moment(headers.get("date", ""))
    recipients = [headers[key] for key in ("to", "cc") if headers.get(key)]
    mail = Mail(
        subject=headers.get("subject", ""),
        senders=_people(headers.get("from", "") or headers.get("sender", "")),
        recipients=_people(", ".join(recipients)),
        date=f"{moment:%Y-%m-%d %H:%M}" if moment else headers.get("date", ""),
        moment=moment.timestamp() if moment and moment.tzinfo else 0,
        id=next(iter(_ID.findall(headers.get("message-id", ""))), ""),
        references=tuple(_ID.findall(f"{headers.get('references', '')} {headers.get('in-reply-to', '')}")),
    )
    _read_part(message, mail, name, depth)
    if not (mail.passages or mail.enclosed):  # the only text may be an attachment, or declared as something else
        for part in message.walk():
            if not part.is_multipart() and is_text(part):
                _read_text(part, mail, name)
    return mail


def _headers(message: Message) -> dict[str, str]:
    """Return the headers by name in lower case, the first of each, decoded."""
    found: dict[str, str] = {}
    for key, value in message.raw_items():
        found.setdefault(key.lower(), _decoded(str(value)))
    return found


def _decoded(value: str) -> str:
    raw = value.encode("utf-8", "surrogateescape")
    try:
        value = raw.decode("utf-8")
    except UnicodeDecodeError:
        value = raw.decode("cp1252", "replace")
    with suppress(*PART_ERRORS):
        value = str(make_header(decode_header(value))) if "=?" in value else value
    return " ".join(value.encode("utf-8", "replace").decode().split())


def _moment(date: str) -> datetime | None:
    try:
        return parsedate_to_datetime(re.sub(r"-0000\b", "+0000", date))
    except (ValueError, TypeError, IndexError, OverflowError):
        return None


def _people(addresses: str) -> tuple[Person, ...]:
    """Return names and addresses; a header without any of them as a name."""
    try:
        pairs = [(name.strip(" '\""), address) for name, address in getaddresses([addresses])]
    except PART_ERRORS:
        pairs = []
    people = tuple(("" if name == address else name, address) for name, address in pairs if name or address)
    return people or (((addresses, ""),) if addresses else ())


def names_of(people: Iterable[Person]) -> str:
    """Return the names, and the addresses of those without a name."""
    return ", ".join(name or address for name, address in people)


def _read_part(part: Message, mail: Mail, name: str, depth: int) -> None:
    """Add the text and the attachments of a part to the message."""
    kind = part.get_content_type()
    inside = part.get_payload() if part.is_multipart() else None  # of a text, it can fail on odd encodings
    file_name = _file_name(part)
    if depth > _MAX_DEPTH:
        raise LoadError(f"{name} is nested too deeply", hint="save the message again, or as plain text")
    if kind == "message/rfc822" and isinstance(inside, list):
        mail.enclosed += [_mail(one, name, depth + 1) for one in inside if isinstance(one, Message)]
    elif isinstance(inside, list):
        parts = [one for one in inside if isinstance(one, Message)]
        if kind.startswith("message/"):  # a report for programs
            mail.attachments.append(file_name or kind)
        if kind == "multipart/alternative":
            _read_best(parts, mail, name, depth + 1)
        else:
            for one in parts:
                _read_part(one, mail, name, depth + 1)
    elif kind.startswith("multipart/"):
        if is_text(part):
            _read_text(part, mail, name)
    elif kind.startswith("text/") and kind not in _NAMED_ONLY and part.get_content_disposition() != "attachment":
        _read_text(part, mail, name)
    elif file_name or kind not in mail.attachments:
        mail.attachments.append(file_name or kind)


def _read_text(part: Message, mail: Mail, name: str) -> None:
    """Add the text of a part to the message."""
    text = text_of(part, name)
    is_html = part.get_content_type() == "text/html"
    mail.passages += html_passages(text) if is_html else plain_passages(text, flowed=_is_flowed(part))


def _read_best(parts: Iterable[Message], mail: Mail, name: str, depth: int) -> None:
    """Add the plain version of a text, or the richest one if that has far more words."""
    versions = []
    for part in parts:
        version = Mail()
        _read_part(part, version, name, depth)
        versions.append((version, sum(len(one.block.text.split()) for one in version.passages)))
        mail.attachments += version.attachments
        mail.enclosed += version.enclosed
    most = max((words for _, words in versions), default=0)
    best = next((version for version, words in versions if words >= _LESS_THAN_HTML * most), Mail())
    mail.passages += best.passages


def _file_name(part: Message) -> str:
    try:
        return _decoded(part.get_filename() or "")
    except PART_ERRORS:
        return ""


def _is_flowed(part: Message) -> bool:
    """Whether a space at the end of a line says that the paragraph goes on."""
    with suppress(*PART_ERRORS):
        return str(part.get_param("format", "")).lower() == "flowed"
    return False


def day_of(mail: Mail) -> str:
    """Return the day on which a message was written, as in UTC."""
    return f"{datetime.fromtimestamp(mail.moment, UTC):%Y-%m-%d}" if mail.moment else ""
