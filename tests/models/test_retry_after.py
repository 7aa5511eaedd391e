"""The time after which to try again is read from headers, fields and texts, in every usual form."""

from __future__ import annotations

import pytest

from readagent.models.refusal import from_headers, from_text


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("Please try again in 20s.", 20),
        ("Please try again in 1h2m3.5s.", 3723.5),
        ("try again in 120ms", 0.12),
        ("Please wait for 1 minute 30 seconds", 90),
        ("try again later", None),
        ("retry in 99999999 days", None),
    ],
)
def test_a_message_names_a_time(text: str, seconds: float | None) -> None:
    assert from_text(text) == (None if seconds is None else pytest.approx(seconds))


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"retry-after": "7"}, 7),
        ({"retry-after-ms": "1500", "retry-after": "2"}, 1.5),
        ({"retry-after": "soon"}, None),
        ({"x-ratelimit-remaining-requests": "0", "x-ratelimit-reset-requests": "6m0s"}, 360),
        ({"x-ratelimit-remaining-tokens": "10", "x-ratelimit-reset-tokens": "6m0s"}, None),
    ],
)
def test_headers_name_a_time(headers: dict[str, str], seconds: float | None) -> None:
    assert from_headers(headers) == seconds
