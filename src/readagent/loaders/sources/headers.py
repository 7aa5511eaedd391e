"""What a server says of a page: its file name, its kind, its encoding; or why there is none."""

from __future__ import annotations

import codecs
import re
from collections.abc import Mapping
from dataclasses import dataclass
from email.message import Message

from readagent.errors import LoadError

SAVE = "open it in a browser, save the page, and read the file"
_SAID = {
    401: ("wants a name and a password", SAVE),
    402: ("wants to be paid", SAVE),
    403: ("refuses to show it to programs", SAVE),
    404: ("has no such page", "check how the address is spelt"),
    410: ("has no such page any more", "check how the address is spelt"),
    429: ("was asked too often", "try again later"),
    451: ("may not show it, for legal reasons", SAVE),
}
_CHARSETS = re.compile(
    r"(?i)utf-?8|utf-?16(?:le|be)?|us-ascii|iso[-_]8859[-_]\d{1,2}|latin-?\d|windows-\d{3,4}|cp\d{3,4}|koi8-[ru]"
    r"|shift[-_]jis|euc-(?:jp|kr)|iso-2022-jp|gb2312|gbk|gb18030|big5(?:-hkscs)?|tis-620|macintosh"
)
_MARKS = (codecs.BOM_UTF8, codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_LONGEST_NAME = 200  # characters


@dataclass(frozen=True, slots=True)
class Said:
    """The file name, the kind (as in ``text/html``) and the encoding; each empty where the server did not say it."""

    name: str
    kind: str
    charset: str

    @classmethod
    def of(cls, headers: Mapping[str, str]) -> Said:
        """What these headers say."""
        message = Message()
        for header in ("content-type", "content-disposition"):
            message[header] = " ".join(headers.get(header, "").encode("ascii", "replace").decode().split())
        kind = message.get_content_type() if headers.get("content-type") else ""
        return cls(last_part(message.get_filename("") or ""), kind, message.get_content_charset("") or "")

    def in_unicode(self, data: bytes) -> bytes:
        """Text in the encoding that the server names, which outdoes what the page itself says, as marked UTF-8."""
        is_text = self.kind.startswith("text/") or self.kind.endswith(("xml", "json"))
        if not is_text or not _CHARSETS.fullmatch(self.charset) or data.startswith(_MARKS):
            return data
        western = self.charset in ("iso-8859-1", "latin1", "latin-1", "us-ascii")  # what is named so is really cp1252
        try:
            return codecs.BOM_UTF8 + data.decode("cp1252" if western else self.charset).encode()
        except (UnicodeError, LookupError):
            return data


def last_part(path: str) -> str:
    """The last part of a path, without what no name has in it."""
    last = re.split(r"[/\\]", path.rstrip("/"))[-1]
    return "".join(character for character in last if character.isprintable())[:_LONGEST_NAME].strip(". ")


def refuse_status(where: str, status: int) -> None:
    """Raise where the server gives another answer than the page."""
    if status in (200, 203):
        return
    if status in _SAID:
        what, hint = _SAID[status]
        raise LoadError(f"the server of {where} {what} ({status})", hint=hint)
    if status >= 500:
        raise LoadError(f"the server of {where} failed ({status})", hint="try again later")
    raise LoadError(f"the server of {where} gives no page, but status {status}", hint=SAVE)
