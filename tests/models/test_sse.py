"""Server-sent events are decoded as the HTML standard says, however the bytes are divided into chunks."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from readagent.errors import BadReplyError
from readagent.models.wire import EventDecoder


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
