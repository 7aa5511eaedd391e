"""What a server says about itself, about requests that it refuses, and about those that it passed to the model."""

from __future__ import annotations

from readagent.records import Record


class Limits(Record, frozen=True):
    """What a client may send."""

    upload_bytes: int


class Status(Record, frozen=True):
    """The version, the model that answers, and what the server allows. ``is_local``: the offline reader answers."""

    version: str
    model: str
    is_local: bool
    read_only: bool
    library: str
    runs: bool
    limits: Limits


class Problem(Record, frozen=True):
    """Why a request failed."""

    error: str
    hint: str = ""
    type: str = ""


class ProxiedRequest(Record, frozen=True):
    """A request to /v1 and what became of it. Tokens are those of the prompt, estimated; ``calls`` are our own.

    ``saved_usd`` is null where the price of the model is unknown or the request was passed on as it is.
    """

    time: str
    path: str
    model: str
    status: int
    compressed: bool
    original_tokens: int
    sent_tokens: int
    pages: int
    pages_opened: int
    pages_without_gist: int
    calls: int
    call_tokens: int
    saved_usd: float | None
    seconds: float
    reason: str
    gone: bool
