"""Messages of chat servers: what is said in them, whatever their form."""

from __future__ import annotations

from typing import Any

import pytest

from readagent.core.chat import Spoken, as_message, spoken_in
from readagent.errors import UsageError

CALL = {"id": "1", "type": "function", "function": {"name": "weather", "arguments": '{"city": "Oslo"}'}}


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        ({"role": "user", "content": "\n\n  Hello. "}, ("User", "  Hello.")),
        ({"role": "user", "name": "Ann", "content": "Hello."}, ("Ann", "Hello.")),
        ({"role": "system", "content": "Be brief."}, None),
        ({"role": "assistant", "content": None}, None),
        (
            {"role": "assistant", "content": None, "tool_calls": [CALL]},
            ("Assistant", '(calls weather {"city": "Oslo"})'),
        ),
        ({"role": "tool", "name": "weather", "content": "Rain."}, ("Tool weather", "Rain.")),
        (
            {
                "role": "user",
                "content": [{"type": "text", "text": "Look:"}, {"type": "image_url", "image_url": {"url": "data:…"}}],
            },
            ("User", "Look:\n\n[image]"),
        ),
        (
            {"role": "assistant", "content": [{"type": "tool_use", "name": "weather", "input": {"city": "Oslo"}}]},
            ("Assistant", '(calls weather {"city": "Oslo"})'),
        ),
        (
            {"role": "user", "content": [{"type": "tool_result", "content": [{"type": "text", "text": "Rain."}]}]},
            ("User", "Rain."),
        ),
    ],
)
def test_what_is_said(message: dict[str, Any], expected: tuple[str, str] | None) -> None:
    assert spoken_in(message) == expected


@pytest.mark.parametrize(
    ("wrong", "match"),
    [
        ({"content": "Hello."}, "needs a role"),
        ("Hello.", "needs a role"),
        ({"role": "robot", "content": "Hello."}, "unknown role 'robot'"),
        ({"role": "user", "content": 3}, "a text or a list of parts"),
        ({"role": "user", "content": [3]}, "a text or a mapping"),
    ],
)
def test_what_is_no_message(wrong: Any, match: str) -> None:
    with pytest.raises(UsageError, match=match):
        spoken_in(wrong)


@pytest.mark.parametrize(
    ("speaker", "expected"),
    [
        ("Assistant", {"role": "assistant", "content": "Noon."}),
        ("User", {"role": "user", "content": "Noon."}),
        ("Ann", {"role": "user", "content": "Ann: Noon."}),
    ],
)
def test_a_turn_as_a_message(speaker: str, expected: dict[str, str]) -> None:
    assert as_message(Spoken(1, speaker, "Noon.", 0, 5)) == expected
