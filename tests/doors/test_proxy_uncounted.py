"""Requests with more than the proxy can count: nothing is concluded from them for others."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import httpx2
import pytest

from doors.proxying import CHAT, WINDOW, RunningProxy, prose, said
from readagent.testing.loopback import LoopbackServer
from readagent.testing.loopback.requests import tokens

MARK = "Search the files."  # where the server adds tokens of its own
ADDED = 6000
SEARCH = [{"type": "file_search", "vector_store_ids": ["vs_1"]}]
UNCOUNTED = [
    ("/v1/responses", {"tools": SEARCH}),
    ("/v1/responses", {"prompt": {"id": "pmpt_1"}}),
    (CHAT, {"tools": [{"type": "web_search"}]}),
    (CHAT, {"documents": [{"id": 1}]}),
    (CHAT, {"extra": {"text": "x" * 400}}),
]
LISTED = {"/v1/models": {"data": [{"id": "skimmer"}]}}  # without the window


def with_added(text: str) -> int:
    return tokens(text) + ADDED * text.startswith(MARK)


def send(proxy: RunningProxy, path: str, text: str, key: str, **more: Any) -> httpx2.Response:
    given = {"input": text} if path != CHAT else {"messages": [said("user", text)]}
    body = {"model": "skimmer", **given, **more}
    return proxy.http.post(path, json=body, headers={"authorization": f"Bearer {key}"})


@pytest.mark.slow
@pytest.mark.parametrize(("path", "more"), UNCOUNTED)
def test_a_request_that_the_server_adds_to_does_not_make_the_window_small(
    own_home: Path, path: str, more: dict[str, Any]
) -> None:
    with LoopbackServer(window=WINDOW, counts="vague", count=with_added).in_thread() as model:
        proxy = RunningProxy(own_home, model.base_url)
        try:
            eve = send(proxy, path, f"{MARK} {prose(1800)}", "sk-eve", **more)
            assert (eve.status_code, eve.headers["x-readagent-compressed"]) == (200, "yes")
            bob = send(proxy, CHAT, prose(3500), "sk-bob")
        finally:
            proxy.stop()
    assert (bob.status_code, bob.headers["x-readagent-compressed"]) == (200, "no")


@pytest.mark.parametrize(("path", "more"), UNCOUNTED)
def test_a_short_request_that_the_server_adds_to_is_not_made_shorter(
    own_home: Path, path: str, more: dict[str, Any]
) -> None:
    with LoopbackServer(window=WINDOW, count=with_added, routes=LISTED).in_thread() as model:
        proxy = RunningProxy(own_home, model.base_url)
        try:
            eve = send(proxy, path, f"{MARK} {prose(1800)}", "sk-eve", **more)
        finally:
            proxy.stop()
        assert len(model.requests) == 1
    assert (eve.status_code, eve.json()["error"]["code"]) == (400, "context_length_exceeded")
    assert "cannot be counted" in eve.headers["x-readagent-reason"]


@pytest.mark.slow
def test_what_was_answered_before_overrules_a_refusal_of_less(own_home: Path) -> None:
    with LoopbackServer(window=WINDOW, counts="vague", count=with_added).in_thread() as model:
        proxy = RunningProxy(own_home, model.base_url)
        try:
            assert send(proxy, CHAT, prose(3500), "sk-bob").status_code == 200
            eve = send(proxy, CHAT, f"{MARK} {prose(2400)}", "sk-eve")
            assert (eve.status_code, eve.headers["x-readagent-compressed"]) == (200, "yes")
            answered = send(proxy, CHAT, prose(3300, 1), "sk-cy")
        finally:
            proxy.stop()
    assert (answered.status_code, answered.headers["x-readagent-compressed"]) == (200, "no")
