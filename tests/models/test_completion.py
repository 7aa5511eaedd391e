"""Completions in the variants that servers send: odd usage, blocked prompts, errors inside a reply."""

from __future__ import annotations

import json
from typing import Any

import httpx2
import pytest
from hypothesis import given
from hypothesis import strategies as st

from readagent.core.model import Ask
from readagent.errors import (
    BadReplyError,
    ConnectionFailedError,
    ContentRefusedError,
    ContextOverflowError,
    RateLimitedError,
    ServerFaultError,
)
from readagent.models.completion import Completion, read_completion
from readagent.models.endpoint import Endpoint
from readagent.models.wire import EventDecoder

pytestmark = pytest.mark.anyio

CHOICE = {"message": {"content": "one two three"}, "finish_reason": "stop"}
ODD = ["2e400", "-1", "9" * 4301, '"12"', "true", "0"]  # fmt: skip


def completed(body: bytes) -> Completion:
    result = read_completion(body)
    assert isinstance(result, Completion)
    return result


@pytest.mark.parametrize("number", ODD)
def test_a_count_that_makes_no_sense_counts_as_missing(number: str) -> None:
    usage = (f'{{"prompt_tokens": {number}, "completion_tokens": {number}, "total_tokens": {number},'
             f'"prompt_tokens_details": {{"cached_tokens": {number}}}}}')  # fmt: skip
    done = completed(f'{{"choices": [{json.dumps(CHOICE)}], "usage": {usage}}}'.encode())
    assert (done.text, done.prompt_tokens, done.reply_tokens, done.cached_tokens) == ("one two three", None, None, 0)


def test_a_reply_that_is_not_json_is_told_without_details_of_a_parser() -> None:
    with pytest.raises(BadReplyError) as caught:
        read_completion(b"Bad gateway")
    assert str(caught.value) == "the reply was not JSON"


@pytest.mark.parametrize("usage", [None, "many", {"prompt_tokens": {}}])
def test_usage_of_any_shape_can_be_read(usage: Any) -> None:
    done = completed(json.dumps({"choices": [CHOICE], "usage": usage}).encode())
    assert (done.prompt_tokens, done.reply_tokens) == (None, None)


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        ({"choices": [], "promptFeedback": {"blockReason": "SAFETY"}}, ContentRefusedError),
        ({"error": {"message": "This model's maximum context length is 512 tokens."}}, ContextOverflowError),
        ([{"error": {"code": 429, "message": "slow down", "details": [{"retryDelay": "7s"}]}}], RateLimitedError),
        ({"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}, ServerFaultError),
    ],
)
async def test_an_error_inside_a_reply_counts(body: Any, kind: type[Exception]) -> None:
    with pytest.raises(kind) as caught:
        await sends(json.dumps(body).encode(), "application/json").complete(Ask("gist", "word " * 2000))
    if isinstance(caught.value, RateLimitedError):
        assert caught.value.retry_after == 7.0


@pytest.mark.parametrize("reason", ["content_filter", "content_filter: PROHIBITED_CONTENT", "SAFETY"])
def test_a_choice_without_a_message_may_be_a_refusal(reason: str) -> None:
    done = completed(json.dumps({"choices": [{"finish_reason": reason}]}).encode())
    assert (done.text, done.finish) == ("", "filtered")


async def test_an_error_after_the_first_piece_is_not_answered_by_a_second_request() -> None:
    """The listener has heard the beginning: only whoever owns the listener can start again."""
    heard: list[str] = []
    sent = 0

    def handle(request: httpx2.Request) -> httpx2.Response:
        nonlocal sent
        sent += 1
        data = ('data: {"choices": [{"delta": {"content": "It was"}}]}\n\n'
                'data: {"error": {"message": "Context size has been exceeded."}}\n\n')  # fmt: skip
        return httpx2.Response(200, text=data, headers={"content-type": "text/event-stream"})

    endpoint = Endpoint("http://localhost/v1", "m", window=2048, transport=httpx2.MockTransport(handle))
    with pytest.raises(ContextOverflowError):
        await endpoint.complete(Ask("respond", "Who?", listen=heard.append))
    assert (sent, heard) == (1, ["It was"])


def streamed(*texts: str) -> bytes:
    """Return the events of a reply in these pieces, and its end."""
    chunks = [{"choices": [{"delta": {"content": text}}]} for text in texts]
    done = {"choices": [{"delta": {}, "finish_reason": "stop"}]}
    return b"".join(b"data: " + json.dumps(value).encode() + b"\n\n" for value in (*chunks, done)) + b"data: [DONE]\n\n"


def sends(body: bytes, kind: str) -> Endpoint:
    reply = httpx2.Response(200, content=body, headers={"content-type": kind})
    return Endpoint("http://localhost/v1", "m", window=2048, transport=httpx2.MockTransport(lambda request: reply))


@pytest.mark.parametrize("before", [b"", b"\xef\xbb\xbf"])
@pytest.mark.parametrize("kind", ["text/plain", ""])
async def test_a_stream_is_read_whatever_its_content_type_says(kind: str, before: bytes) -> None:
    heard: list[str] = []
    endpoint = sends(before + streamed("one ", "two"), kind)
    reply = await endpoint.complete(Ask("respond", "Who?", listen=heard.append))
    assert (reply.text, heard) == ("one two", ["one ", "two"])


async def test_a_stream_that_ends_within_an_event_was_cut_off() -> None:
    whole = streamed("one ", "two")
    cut = sends(whole[: whole.index(b"two") + 1], "text/event-stream")
    with pytest.raises(ConnectionFailedError, match="the stream ended before the reply was complete"):
        await cut.complete(Ask("respond", "Who?", listen=print))
    broken = sends(b"data: {oops\n\n" + whole, "text/event-stream")
    with pytest.raises(BadReplyError, match="the reply was not JSON"):
        await broken.complete(Ask("respond", "Who?", listen=print))


def decoded(*chunks: bytes, limit: int = 1_000_000) -> list[str]:
    decoder = EventDecoder(limit)
    return [event for chunk in chunks for event in decoder.feed(chunk)] + decoder.end()


@pytest.mark.parametrize(
    ("stream", "events"),
    [
        (b"data: one\n\ndata: two\n\n", ["one", "two"]),
        (b"data: one\r\n\r\ndata: two\r\n\r\n", ["one", "two"]),
        (b"data: first\ndata: second\n\n", ["first\nsecond"]),
        (b"\xef\xbb\xbfdata: after the mark\n\n", ["after the mark"]),
        (b": comment\n\n:\n\nid: 7\nevent: ping\nretry: 10\n\ndata: one\n: comment\n\n", ["one"]),
        (b"data: one\n\ndata: not ended", ["one", "not ended"]),
        (b"data: \xff\n\n", ["\ufffd"]),
    ],
)
def test_events_of_a_stream(stream: bytes, events: list[str]) -> None:
    assert decoded(stream) == events
    assert decoded(*(stream[at : at + 1] for at in range(len(stream)))) == events


@given(
    texts=st.lists(st.text(st.characters(exclude_characters="\r\n", exclude_categories=["Cs"]))),
    end=st.sampled_from(["\n", "\r", "\r\n"]),
    data=st.data(),
)
def test_the_division_into_chunks_does_not_matter(texts: list[str], end: str, data: st.DataObject) -> None:
    stream = "".join(f"data: {text}{end}{end}" for text in texts).encode()
    cuts = sorted(data.draw(st.lists(st.integers(0, len(stream)))))
    chunks = [stream[a:b] for a, b in zip([0, *cuts], [*cuts, len(stream)], strict=True)]
    assert decoded(*chunks) == texts


def test_an_event_that_is_too_long_is_an_error() -> None:
    with pytest.raises(BadReplyError, match="more than 1,000 bytes"):
        decoded(b"data: ", *[b"x" * 100] * 20, limit=1000)
    with pytest.raises(BadReplyError, match="more than 1,000 bytes"):
        decoded(*[b"data: " + b"x" * 100 + b"\n"] * 20, limit=1000)
    assert decoded(*[b": " + b"x" * 100 + b"\n"] * 20, b"data: fine\n\n", limit=1000) == ["fine"]
