"""Outlook messages (.msg), read with oxmsg, which is an extra: they become e-mail. The only module that uses it."""

from __future__ import annotations

import io
import struct
from email.header import Header
from email.mime.multipart import MIMEMultipart
from email.mime.text import MIMEText
from email.utils import format_datetime, formataddr
from typing import Any

from readagent.core.document import Document
from readagent.errors import LoadError
from readagent.loaders.formats import Options
from readagent.loaders.mail import parser
from readagent.loaders.sandbox.archive import GET_AGAIN
from readagent.loaders.unsupported import old_office_file

_ERRORS = (ArithmeticError, AttributeError, LookupError, OSError, TypeError, ValueError, struct.error)
_KEPT = ("Message-ID", "References", "In-Reply-To")  # of the headers that came over the network


def parse(data: bytes, name: str, options: Options) -> Document:
    """Return an Outlook message as a document."""
    try:
        from oxmsg import Message
    except ImportError:
        raise old_office_file(data, name, "readagent[office]") from None
    try:
        written = _mail(Message.load(io.BytesIO(data))).as_bytes()
    except _ERRORS as error:
        raise LoadError(f"{name} is damaged: its message could not be read", hint=GET_AGAIN) from error
    return parser.parse(written, name, options)


def _mail(message: Any) -> MIMEMultipart:
    """Return the same message as e-mail; of attachments only the names."""
    mail, texts = MIMEMultipart(), MIMEMultipart("alternative")
    headers = {key.lower(): value for key, value in (message.message_headers or {}).items()}
    people = [formataddr((one.name or "", one.email_address or "")) for one in message.recipients]
    fields = {"Subject": message.subject, "From": message.sender, "To": ", ".join(people)}
    fields |= {key: headers.get(key.lower(), "") for key in _KEPT}
    if message.sent_date:
        fields["Date"] = format_datetime(message.sent_date)
    for key, value in fields.items():
        if line := " ".join((value or "").replace("\x00", "").split()):
            mail[key] = Header(line, "utf-8", maxlinelen=100_000).encode()
    for text, kind in ((message.body, "plain"), (message.html_body, "html")):
        if text and text.strip("\x00\r\n "):
            texts.attach(MIMEText(text.replace("\x00", ""), kind, "utf-8"))
    mail.attach(texts)
    for one in message.attachments:
        part = MIMEText("", "plain", "utf-8")
        part.add_header("Content-Disposition", "attachment", filename=one.file_name or "message")
        mail.attach(part)
    return mail
