"""The proxy under /v1 of `readagent serve`: behind its token, with the server's key, and listed."""

from __future__ import annotations

import re
import signal
from collections.abc import Iterator

import httpx2
import pytest

from cli.console import LIMIT, running
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
    refused = asked(address, LONG)
    assert refused.status_code == 401
    assert refused.json()["error"]["message"] == "the token is missing or wrong (send it as the API key)"
    assert asked(address, LONG, authorization="Bearer sk-of-a-caller").status_code == 401
    assert model.requests == []
    reply = asked(address, LONG, authorization=f"Bearer {TOKEN}")
    assert (reply.status_code, reply.headers["x-readagent-compressed"]) == (200, "yes")
    assert {one.headers["authorization"] for one in model.requests} == {"Bearer sk-of-the-server"}
    assert len(answers(model)) == 1


def test_a_read_only_server_sends_nothing(model: LoopbackServer, serve: Serve) -> None:
    address = serve(read_only=True).client.address
    assert asked(address, LONG, authorization=f"Bearer {TOKEN}").status_code == 403
    assert model.requests == []


def test_pages_of_other_sites_are_refused_in_spite_of_the_token(model: LoopbackServer, serve: Serve) -> None:
    address = serve().client.address
    reply = asked(address, [said("user", "Hello")], authorization=f"Bearer {TOKEN}", origin="https://evil.example")
    assert (reply.status_code, model.requests) == (403, [])
    own = {"authorization": f"Bearer {TOKEN}", "origin": address.rstrip("/")}
    assert asked(address, [said("user", "Hello")], **own).status_code == 200


@pytest.mark.slow
def test_the_command_prints_a_line_for_each_request(model: LoopbackServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("READAGENT_BASE_URL", model.base_url)
    monkeypatch.setenv("READAGENT_MODEL", "skimmer")
    with running("serve", "--port", "0", "--token", TOKEN) as child:
        assert child.stdout is not None
        found = re.search(r"(http://\S+/)\?token=", child.stdout.readline())
        assert found is not None
        assert asked(found[1], [said("user", "Hello")], authorization=f"Bearer {TOKEN}").status_code == 200
        child.send_signal(signal.SIGTERM)
        _, told = child.communicate(timeout=LIMIT)
    assert re.search(r"^200 /chat/completions skimmer: \d+ tokens, passed on", told, re.M)
