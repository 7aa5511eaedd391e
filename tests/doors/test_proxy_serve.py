"""The proxy under /v1 of `readagent serve`: behind its token, with the server's key, and listed."""

from __future__ import annotations

from collections.abc import Iterator

import httpx2
import pytest

from doors.proxying import CHAT, WINDOW, answers, prose, said
from readagent.testing.loopback import LoopbackServer
from web.fixtures import Serve
from web.running import TOKEN

LONG = [said("user", f"Who painted the door?\n\n{prose(12_000)}")]


@pytest.fixture
def model() -> Iterator[LoopbackServer]:
    with LoopbackServer(window=WINDOW).in_thread() as server:
        yield server


def asked(address: str, messages: object, **headers: str) -> httpx2.Response:
    body = {"model": "skimmer", "messages": messages}
    return httpx2.post(f"{address.rstrip('/')}{CHAT}", json=body, headers=headers, timeout=60)


def test_it_needs_the_token_and_sends_the_servers_key(
    model: LoopbackServer, serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("READAGENT_API_KEY", "sk-of-the-server")
    address = serve().client.address
    assert asked(address, LONG).status_code == 401
    assert asked(address, LONG, authorization="Bearer sk-of-a-caller").status_code == 401
    assert model.requests == []
    reply = asked(address, LONG, authorization=f"Bearer {TOKEN}")
    assert (reply.status_code, reply.headers["x-readagent-compressed"]) == (200, "yes")
    assert {one.headers["authorization"] for one in model.requests} == {"Bearer sk-of-the-server"}
    assert len(answers(model)) == 1


def test_the_last_requests_are_listed(serve: Serve) -> None:
    client = serve().client
    assert client.get("/api/proxy") == []
    for messages in ([said("user", "Hello")], LONG):
        asked(client.address, messages, authorization=f"Bearer {TOKEN}")
    new, old = client.get("/api/proxy")
    assert (old["compressed"], old["status"], old["pages"]) == (False, 200, 0)
    assert new["compressed"]
    assert new["original_tokens"] > WINDOW > new["sent_tokens"]
    assert new["pages"] > new["pages_opened"] > 0


def test_a_read_only_server_sends_nothing(model: LoopbackServer, serve: Serve) -> None:
    address = serve(read_only=True).client.address
    assert asked(address, LONG, authorization=f"Bearer {TOKEN}").status_code == 403
    assert model.requests == []
