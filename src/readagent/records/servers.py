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


class WayRecord(Record, frozen=True):
    """A way to a model that was found, in words; ``missing`` is what is still to be done before it can be used."""

    about: str
    model: str
    missing: str


class ProviderRecord(Record, frozen=True):
    """A server that needs a key: a model to begin with, the name of the key, and whether it is set."""

    name: str
    usual: str
    key_name: str
    has_key: bool


class WeightsRecord(Record, frozen=True):
    """The weights of the offline reader: whether they are ready, or how many bytes of the download are here.

    ``steps`` are the commands that make it ready; ``problem`` says why a download failed.
    """

    ready: bool
    bytes: int
    steps: str
    loading: bool
    done: int
    problem: str
    hint: str


class SampleRecord(Record, frozen=True):
    """The sample: its document, and the answer that was recorded."""

    document: str
    answer: int


class SetupRecord(Record, frozen=True):
    """Which model is used, whether it can be, and, if that was asked, which others there are."""

    model: str
    is_local: bool
    ready: bool
    may_change: bool
    weights: WeightsRecord
    ways: list[WayRecord]
    looked_at: list[str]
    providers: list[ProviderRecord]


class ModelCheck(Record, frozen=True):
    """What a model replied to a request of a few words; ``window`` is in tokens, if the server tells it."""

    model: str
    answers: bool
    window: int | None
    seconds: float
    error: str
    hint: str


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
