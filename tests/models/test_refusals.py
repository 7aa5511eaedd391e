"""Every recorded refusal is understood: what happened, whose fault it is, the numbers it names, when to try again."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import httpx2
import pytest

from readagent.core.model import Ask
from readagent.errors import (
    BadReplyError,
    ContentRefusedError,
    ContextOverflowError,
    ModelError,
    RateLimitedError,
    RejectedError,
    ServerFaultError,
    UnauthorizedError,
    UnknownModelError,
)
from readagent.models.completion import read_completion
from readagent.models.endpoint import Endpoint
from readagent.models.http import HttpClient
from readagent.models.refusal import Refusal, read_refusal
from readagent.models.server_info import fetch_limits

pytestmark = pytest.mark.anyio

FOLDER = Path(__file__).parents[1] / "fixtures" / "refusals"
RECORDS: list[dict[str, Any]] = [one for path in sorted(FOLDER.glob("*.json")) for one in json.loads(path.read_text())]
LARGE = [
    one for one in RECORDS if one["kind"] == "rate_limit" and "window" in one
]  # more tokens than an account may send
BY_KIND = {one["kind"]: one for one in RECORDS if one not in LARGE} | {"large": LARGE[0]}
ERRORS: dict[str, tuple[type[ModelError], str]] = {
    "overflow": (ContextOverflowError, "the prompt is too long for the model"),
    "reply_too_long": (RejectedError, "the server allows only shorter replies"),
    "content": (ContentRefusedError, "the server does not process this text"),
    "unauthorized": (UnauthorizedError, "the server re"),
    "payment": (RejectedError, "your account has "),
    "no_model": (UnknownModelError, "the server has no model"),
    "rate_limit": (RateLimitedError, "the server is limiting requests"),
    "busy": (ServerFaultError, "the server is busy"),
    "fault": (ServerFaultError, "the server failed"),
    "parameter": (RejectedError, "the server rejected the request"),
    "other": (RejectedError, "the server rejected the request"),
}


def body_of(record: dict[str, Any]) -> bytes:
    body = record["body"]
    return body.encode() if isinstance(body, str) else json.dumps(body).encode()


def read(record: dict[str, Any]) -> Refusal:
    if record["status"] == 200:
        refusal = read_completion(body_of(record))
        assert isinstance(refusal, Refusal)
        return refusal
    return read_refusal(record["status"], record.get("headers", {}), body_of(record))


def test_a_refusal_is_understood() -> None:
    numbers = ("window", "prompt_tokens", "reply_limit", "retry_after")
    for record in RECORDS:
        refusal = read(record)
        understood = {name: getattr(refusal, name) for name in numbers if getattr(refusal, name) is not None}
        assert (refusal.kind, understood) == (
            record["kind"],
            {name: record[name] for name in numbers if name in record},
        )


@pytest.mark.parametrize("record", BY_KIND.values(), ids=BY_KIND)
async def test_a_refusal_becomes_one_line_that_says_whose_fault_it_is(record: dict[str, Any]) -> None:
    """The body also mentions the key, which must not be shown."""
    told = json.loads(json.dumps(record).replace("the text of the page", "sk-secret"))

    def handle(request: httpx2.Request) -> httpx2.Response:
        if not request.content:
            return httpx2.Response(404)
        return httpx2.Response(told["status"], content=body_of(told), headers=told.get("headers"))

    endpoint = Endpoint("https://api.example.com/v1", "m", key="sk-secret", transport=httpx2.MockTransport(handle))
    with pytest.raises(ModelError) as caught:
        await endpoint.complete(Ask("gist", "word " * record.get("window", 1)))
    kind, beginning = ERRORS[record["kind"]]
    if record in LARGE:
        kind, beginning = ContextOverflowError, "the prompt has more tokens than your account may send in one request"
    error = caught.value
    assert type(error) is kind
    assert str(error).startswith(beginning)
    assert str(error).isprintable()
    assert len(str(error)) < 400
    assert "sk-secret" not in str(error) + error.hint
    if isinstance(error, ContextOverflowError):
        assert error.window == record.get("window")
        assert error.prompt_tokens == record.get("prompt_tokens")
    if isinstance(error, RateLimitedError):
        assert error.retry_after == record.get("retry_after")


async def test_the_refusal_of_a_content_filter_is_not_told_as_a_missing_key() -> None:
    body = {"error": {"message": "Your input was flagged.", "code": 403, "metadata": {"reasons": ["violence"]}}}
    transport = httpx2.MockTransport(lambda request: httpx2.Response(403, json=body))
    with pytest.raises(ContentRefusedError, match=r"Your input was flagged\. Reasons: violence$") as caught:
        await Endpoint("https://api.example.com/v1", "m", transport=transport).complete(Ask("gist", "p"))
    assert "key" not in str(caught.value) + caught.value.hint


@pytest.mark.parametrize(
    "body",
    [b"", b"[]", b"null", b"3", b'"text"', b"\xff\xfe", b'{"error": [[[[[[[[[["deep"]]]]]]]]]]}', b'{"error": {"code": []}}',
     b"[" * 30_000, b'{"error": {"message": {"message": {"message": 3}}}}', b'{"error": {"n_ctx": 1e999}}',
     b'{"error": {"n_ctx": 123456789012345678901234567890, "message": "context size 99999999999999999999999"}}'],
)  # fmt: skip
def test_an_error_of_any_shape_can_be_read(body: bytes) -> None:
    for status in (200, 400, 403, 413, 429, 500, 503):
        refusal = read_refusal(status, {}, body)
        assert refusal.message.isprintable()
        assert refusal.window is None


async def test_an_error_that_nobody_understands_in_a_completion_is_a_bad_reply() -> None:
    transport = httpx2.MockTransport(lambda request: httpx2.Response(200, json={"error": "something odd"}))
    with pytest.raises(BadReplyError, match="the server replied with an error: something odd"):
        await Endpoint("http://localhost/v1", "m", transport=transport).complete(Ask("gist", "p"))


@pytest.mark.parametrize(
    ("message", "window"),
    [
        ("Invalid value for 'user': 'maximum context  length is 600 tokens'", None),
        ("Invalid value for 'user': 'maximum context length is 600 tokens'. The context length is 4096.", 4096),
        ("This model's maximum context length is 4096 tokens.", 4096),
    ],
)
def test_what_the_request_says_is_not_the_servers_statement(message: str, window: int | None) -> None:
    sent = "Hello. This model's maximum context\nlength is 600 tokens. Is it?"
    assert read_refusal(400, {}, json.dumps({"message": message}).encode(), sent=sent).window == window


def test_a_field_of_the_request_is_not_the_servers_statement() -> None:
    body = b'{"error": {"message": "prompt is too long", "input": {"n_ctx": 600}}}'
    assert read_refusal(400, {}, body).window == 600
    assert read_refusal(400, {}, body, sent="model m n_ctx 600").window is None


@pytest.mark.parametrize("key", ["0", "4096", "sk-a-long-key"])
def test_a_key_that_is_a_part_of_words_and_numbers_does_not_change_what_is_read(key: str) -> None:
    said = "This model's maximum context length is 4096 tokens. However, your messages resulted in 9000 tokens."
    body = json.dumps({"error": {"message": said, "code": "context_length_exceeded"}}).encode()
    refusal = read_refusal(400, {}, body, key)
    assert (refusal.kind, refusal.window, refusal.prompt_tokens) == ("overflow", 4096, 9000)
    assert refusal.message.replace("[key]", key) == said
    assert "[key]" not in re.sub(r"\[key\](?!\w)", "", refusal.message)


@pytest.mark.parametrize("key", ["k", "sk-a-long-key"])
def test_the_key_is_not_shown(key: str) -> None:
    body = json.dumps({"error": {"message": f"Incorrect API key provided: {key}."}}).encode()
    assert read_refusal(401, {}, body, key).message == "Incorrect API key provided: [key]."


OTHER = {"data": [{"id": "m", "owned_by": "me"}]}

NEAR = "http://127.0.0.1:9000/v1"


def props(build: str) -> dict[str, Any]:
    return {"build_info": build, "default_generation_settings": {"n_ctx": 4096}}


@pytest.mark.parametrize(
    ("url", "paths", "refuses"),
    [
        ("https://api.openai.com/v1", {"/v1/models": OTHER}, True),
        (NEAR, {"/v1/models": {"data": [{"id": "m", "owned_by": "llamacpp"}]}, "/props": props("b5000-0123abc")}, None),
        (NEAR, {"/v1/models": OTHER, "/api/v0/models": {"data": [{"id": "m", "loaded_context_length": 4096}]}}, False),
        (NEAR, {"/v1/models": {"data": [{"id": "m", "owned_by": "me", "max_model_len": 4096}]}}, None),
    ],
)
async def test_servers_are_told_apart(url: str, paths: dict[str, Any], refuses: bool | None) -> None:
    def handle(request: httpx2.Request) -> httpx2.Response:
        found = paths.get(request.url.path)
        return httpx2.Response(404) if found is None else httpx2.Response(200, json=found)

    client = HttpClient(url, transport=httpx2.MockTransport(handle))
    found = await fetch_limits(client, "m")
    await client.aclose()
    assert found.refuses is refuses
    assert found.window == (None if "openai" in url else 4096)
