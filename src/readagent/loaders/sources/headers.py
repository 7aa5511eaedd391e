"""What the headers of a response say: file name, content type and encoding; and errors by status code."""

from __future__ import annotations

import codecs
import re
from collections.abc import Mapping
from dataclasses import dataclass
from email.message import Message

from readagent.errors import LoadError

SAVE_PAGE = "open it in a browser, save the page, and read the file"
_CHECK_ADDRESS = "check the address"
_STATUS = {
    401: ("login required", SAVE_PAGE),
    402: ("payment required", SAVE_PAGE),
    403: ("access denied", SAVE_PAGE),
    404: ("page not found", _CHECK_ADDRESS),
    410: ("the page was removed", _CHECK_ADDRESS),
    429: ("too many requests", "try again later"),
    451: ("unavailable for legal reasons", SAVE_PAGE),
}
_CHARSETS = re.compile(
    r"(?i)utf-?8|utf-?16(?:le|be)?|us-ascii|iso[-_]8859[-_]\d{1,2}|latin-?\d|windows-\d{3,4}|cp\d{3,4}|koi8-[ru]"
    r"|shift[-_]jis|euc-(?:jp|kr)|iso-2022-jp|gb2312|gbk|gb18030|big5(?:-hkscs)?|tis-620|macintosh"
)
_BYTE_ORDER_MARKS = (codecs.BOM_UTF8, codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_MAX_NAME = 200  # characters


@dataclass(frozen=True, slots=True)
class PageInfo:
    """The file name, the content type (such as ``text/html``) and the encoding; empty where the server sent none."""

    name: str
    content_type: str
    charset: str

    @classmethod
    def from_headers(cls, headers: Mapping[str, str]) -> PageInfo:
        """Read these headers."""
        message = Message()
        for header in ("content-type", "content-disposition"):
            message[header] = " ".join(headers.get(header, "").encode("ascii", "replace").decode().split())
        content_type = message.get_content_type() if headers.get("content-type") else ""
        return cls(file_name(message.get_filename("") or ""), content_type, message.get_content_charset("") or "")

    def as_utf8(self, data: bytes) -> bytes:
        """Return text in the encoding the server names, which overrides that of the page, as UTF-8 with a mark."""
        is_text = self.content_type.startswith("text/") or self.content_type.endswith(("xml", "json"))
        if not is_text or not _CHARSETS.fullmatch(self.charset) or data.startswith(_BYTE_ORDER_MARKS):
            return data
        western = self.charset in ("iso-8859-1", "latin1", "latin-1", "us-ascii")  # browsers read these as cp1252
        try:
            return codecs.BOM_UTF8 + data.decode("cp1252" if western else self.charset).encode()
        except (UnicodeError, LookupError):
            return data


def file_name(path: str) -> str:
    """Return the last part of a path, without unprintable characters."""
    last = re.split(r"[/\\]", path.rstrip("/"))[-1]
    return "".join(character for character in last if character.isprintable())[:_MAX_NAME].strip(". ")


def refuse_status(where: str, status: int) -> None:
    """Raise LoadError unless the status means that the page was sent."""
    if status in (200, 203):
        return
    failure = f"could not download {where}: HTTP {status}"
    if status in _STATUS:
        meaning, hint = _STATUS[status]
        raise LoadError(f"{failure} ({meaning})", hint=hint)
    if status >= 500:
        raise LoadError(f"{failure} (server error)", hint="try again later")
    raise LoadError(failure, hint=SAVE_PAGE)
