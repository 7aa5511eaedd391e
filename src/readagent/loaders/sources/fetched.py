"""What a source gives: bytes, and what is known about them."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Fetched:
    """The bytes of a source.

    ``name`` is used in messages, ``title`` if the document has no title of its own. ``source`` is the absolute path or
    the address, empty for standard input. ``content_type`` is what the server sent, ``address`` the final address after
    redirects.
    """

    data: bytes
    name: str
    title: str
    source: str
    content_type: str = ""
    address: str = ""
