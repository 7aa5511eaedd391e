"""Requests with more than messages: what is counted of it, and that nothing is concluded from the rest for others."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import httpx2
import pytest

from doors.proxying import CHAT, COUNT, WINDOW, RunningProxy, prose, said
from readagent.proxy.chat import ChatRequest, request_tokens
from readagent.testing.loopback import LoopbackServer
from readagent.testing.loopback.requests import tokens

MARK = "Search the files."  # where the server adds tokens of its own
ADDED = 6000
SEARCH = [{"type": "file_search", "vector_store_ids": ["vs_1"]}]
UNCOUNTED = [("/v1/responses", {"tools": SEARCH})]
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


@pytest.mark.parametrize(
    ("path", "field", "value"),
    [(CHAT, "documents", [{"title": "x", "text": prose(9000)}])],
)
def test_a_long_text_in_another_field_is_counted_and_the_reason_names_it(
    own_home: Path, path: str, field: str, value: Any
) -> None:
    with LoopbackServer().in_thread() as model:  # it would cut
        proxy = RunningProxy(own_home, model.base_url, settings={"window": WINDOW})
        try:
            reply = send(proxy, path, "Who painted the door?", "sk-one", **{field: value})
        finally:
            proxy.stop()
        assert [one.parameters[field] for one in model.requests if field in one.parameters] == [value]
    assert (reply.status_code, reply.headers["x-readagent-compressed"]) == (200, "no")
    assert int(reply.headers["x-readagent-original-tokens"]) > WINDOW
    assert f"`{field}` and the reply leave no room" in reply.headers["x-readagent-reason"]


@pytest.mark.parametrize(
    "message",
    [said("user", "Hi", name="n" * 15_000)],
)
def test_all_texts_of_a_message_are_counted(message: dict[str, Any]) -> None:
    assert request_tokens(ChatRequest({"messages": [message]}, (message,)), COUNT) > 1000


@pytest.mark.parametrize("more", [{"metadata": {"x": "y" * 512}}])
def test_fields_that_are_not_in_the_prompt_are_not_counted(more: dict[str, Any]) -> None:
    message = said("user", "Hi")
    counts = [request_tokens(ChatRequest(body, (message,)), COUNT) for body in ({}, more)]
    assert counts[0] == counts[1]
